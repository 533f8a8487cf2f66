//===- ToolSupport.h - what the tools with LLVM share -----------*- C++ -*-===//
//
// Messages in LLVM's manner and output files that are kept only on success.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_TOOLSUPPORT_H
#define TORCHPROF_TOOLS_TOOLSUPPORT_H

#include "TorchBridge.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"

#include <optional>
#include <string>
#include <vector>

namespace torchprof {

/// Exit codes of every tool.
enum ExitCode { ExitFine = 0, ExitFinding = 1, ExitInput = 2 };

/// Sets the name that messages begin with, and makes a write past a limit on
/// file sizes an error like that of a full disk. Call it after llvm::InitLLVM,
/// which would end the process there.
void initTool(llvm::StringRef Argv0);

/// Parses the command line with LLVM's options. Prints what is wrong with it
/// as errors of the tool and returns false, or true when all is well.
bool parseOptions(int Argc, char **Argv, llvm::StringRef Overview);

/// Prints "TOOL: error: TEXT" to stderr and returns \p Code.
int reportError(const llvm::Twine &Text, int Code = ExitInput);

/// Prints "TOOL: warning: TEXT" to stderr.
void reportWarning(const llvm::Twine &Text);

/// Prints each line of a failed \p Failed as an error about \p File and
/// returns the exit code.
int reportOutcome(llvm::StringRef File, const Outcome &Failed);

/// C pointers to a list of strings; valid as long as the strings.
class TextListHolder {
public:
  explicit TextListHolder(const std::vector<std::string> &Texts);
  TextList get() const { return {Pointers.data(), Pointers.size()}; }

private:
  std::vector<const char *> Pointers;
};

/// An output file under a temporary name beside its final one. The file is
/// removed unless keep() succeeds, so an old file survives every failure.
class OutputFile {
public:
  /// Creates the temporary file; returns an error text, empty on success.
  std::string open(llvm::StringRef FinalPath);
  ~OutputFile();
  const char *temporaryPath() const { return TemporaryPath.c_str(); }
  /// Renames the temporary file; returns an error text, empty on success.
  std::string keep();

private:
  std::string FinalPath;
  std::string TemporaryPath;
};

} // namespace torchprof

#endif // TORCHPROF_TOOLS_TOOLSUPPORT_H
