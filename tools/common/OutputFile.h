//===- OutputFile.h - output files that replace nothing precious *- C++ -*-===//
//
// A mistyped -o must not cost a model its weights: a file is replaced only by
// a file of its kind, unless the user insists, and an input is never replaced.
// A symbolic link is followed: what it leads to is replaced, and the link
// stays.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_OUTPUTFILE_H
#define TORCHPROF_TOOLS_OUTPUTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace torchprof {

enum class FileKind { Model, Profile, Page };

/// Says why no file of \p Kind may be written to \p Path: its directory cannot
/// be written, what lies there is one of \p Inputs, not a regular file or an
/// open file of a process (/dev/stdout), or, if not \p Force, a file of another
/// kind. Empty if it may; so is a new or an empty file.
std::string whyNotWritable(llvm::StringRef Path, FileKind Kind, bool Force,
                           llvm::ArrayRef<std::string> Inputs);

/// Says so if the file at \p Path is of another kind. Empty if it is of this
/// one, if it is empty, and if there is none.
std::string whyNotOfKind(llvm::StringRef Path, FileKind Kind);

/// Says so if \p Path is one of \p Inputs. Empty if it is none.
std::string whyNotReplaced(llvm::StringRef Path,
                           llvm::ArrayRef<std::string> Inputs);

/// The files that the values \p Specs of --input name; InputSpec.h has their
/// grammar.
std::vector<std::string> filesOfInputs(llvm::ArrayRef<std::string> Specs);

/// An output file under a temporary name beside its final one. The file is
/// removed unless keep() succeeds, so an old file survives every failure. Only
/// what a process has open, such as /dev/stdout, is written to as it is: there
/// the name is one of the system's, and the file's own may be gone.
class OutputFile {
public:
  OutputFile() = default;
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;
  ~OutputFile();
  /// Creates the temporary file; returns an error text, empty on success.
  std::string open(llvm::StringRef Path);
  /// For those who write to the open file.
  int descriptor() const { return Descriptor; }
  /// Empty if an open file is written to, which whyNotWritable() refuses.
  const std::string &temporaryPath() const { return TemporaryPath; }
  /// Renames the temporary file; returns an error text, empty on success.
  std::string keep();

private:
  std::string FinalPath;
  std::string TemporaryPath; ///< empty if there is no such file
  int Descriptor = -1;
};

} // namespace torchprof

#endif // TORCHPROF_TOOLS_OUTPUTFILE_H
