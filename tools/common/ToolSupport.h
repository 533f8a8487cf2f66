//===- ToolSupport.h - between command lines and LibTorch -------*- C++ -*-===//
//
// What the tools with LLVM share, but for torchprof-report, which knows no
// LibTorch.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_TOOLSUPPORT_H
#define TORCHPROF_TOOLS_TOOLSUPPORT_H

#include "TorchBridge.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace torchprof {

/// Parses the command line with LLVM's options. Prints what is wrong with it
/// as errors of the tool and returns false, or true when all is well.
bool parseOptions(int Argc, char **Argv, llvm::StringRef Overview);

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
