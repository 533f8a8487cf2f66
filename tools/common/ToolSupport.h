//===- ToolSupport.h - what the tools with LLVM share -----------*- C++ -*-===//
//
// Command lines and messages in LLVM's manner.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_TOOLSUPPORT_H
#define TORCHPROF_TOOLS_TOOLSUPPORT_H

#include "TorchBridge.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace torchprof {

/// Exit codes of every tool.
enum ExitCode { ExitFine = 0, ExitFinding = 1, ExitInput = 2 };

/// Sets the name that messages begin with, and what becomes of signals and of
/// stdout (IgnoredSignals.h, StandardOutput.h). After noteIgnoredSignals() and
/// llvm::InitLLVM.
void initTool(llvm::StringRef Argv0);

/// Parses the command line with LLVM's options. Prints what is wrong with it
/// as errors of the tool and returns false, or true when all is well.
bool parseOptions(int Argc, char **Argv, llvm::StringRef Overview);

/// \p Text with the characters that could steer a terminal or hide themselves
/// written as escapes: names in a model are anybody's.
std::string printable(llvm::StringRef Text);

/// Prints "TOOL: error: TEXT", made printable, to stderr and returns \p Code.
int reportError(const llvm::Twine &Text, int Code = ExitInput);

/// Prints "TOOL: warning: TEXT", made printable, to stderr.
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

} // namespace torchprof

#endif // TORCHPROF_TOOLS_TOOLSUPPORT_H
