//===- SourcePrefix.h - directories left out of source paths ----*- C++ -*-===//
//
// --source-prefix: the author's files stand in a manifest as they were found
// when the model was scripted, with the whole path. This cuts directories off
// for display.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_SOURCEPREFIX_H
#define TORCHPROF_REPORT_SOURCEPREFIX_H

#include "torchprof/format/Manifest.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace torchprof::report {

class SourcePrefix {
public:
  /// Nothing is cut off.
  SourcePrefix() = default;
  /// Cuts off the first of \p Directories that a path begins with.
  explicit SourcePrefix(std::vector<std::string> Directories);

  /// The directory that all files of the authors of these models are in, ""
  /// if there is none. The framework's own files do not count.
  static std::string
  common(llvm::ArrayRef<std::pair<uint32_t, std::shared_ptr<const Manifest>>>
             Models);

  llvm::StringRef cut(llvm::StringRef File) const;

private:
  std::vector<std::string> Directories; ///< without a slash at the end
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_SOURCEPREFIX_H
