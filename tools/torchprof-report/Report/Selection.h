//===- Selection.h - which sites a command is about -------------*- C++ -*-===//
//
// --include and --exclude: globs on kind, name or module path, the same words
// as torchprof-opt's. A site is selected if no include is given or one of them
// matches, and no exclude does.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_SELECTION_H
#define TORCHPROF_REPORT_SELECTION_H

#include "SiteTable.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

#include <memory>

namespace torchprof::report {

class Selection {
public:
  /// Everything.
  Selection() = default;

  static llvm::Expected<Selection> create(llvm::ArrayRef<std::string> Include,
                                          llvm::ArrayRef<std::string> Exclude);

  bool all() const { return Include.empty() && Exclude.empty(); }

  /// True if a site with these names is selected.
  bool matches(llvm::StringRef Kind, llvm::StringRef Name,
               const std::string &Module) const;
  bool matches(const SiteTable &Sites, uint32_t S) const;

  /// An error if a glob matches no site of any of \p Tables: a typing mistake
  /// would look like an empty profile.
  llvm::Error checkAgainst(llvm::ArrayRef<const SiteTable *> Tables) const;

private:
  struct Glob {
    /// The pattern refers to the text, which must not move with this struct.
    std::shared_ptr<const std::string> Text;
    llvm::GlobPattern Pattern;

    bool matches(llvm::StringRef Kind, llvm::StringRef Name,
                 const std::string &Module) const;
  };

  std::vector<Glob> Include;
  std::vector<Glob> Exclude;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_SELECTION_H
