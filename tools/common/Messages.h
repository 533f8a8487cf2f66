//===- Messages.h - what a tool says of itself and of errors ----*- C++ -*-===//
//
// Its version, errors and warnings in LLVM's manner, and the exit codes that go
// with them.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_MESSAGES_H
#define TORCHPROF_TOOLS_MESSAGES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace torchprof {

/// Exit codes of every tool.
enum ExitCode { ExitFine = 0, ExitFinding = 1, ExitInput = 2 };

/// Sets the name that messages begin with, what --version says, and what
/// becomes of signals, stdout and stderr (IgnoredSignals.h, StandardOutput.h).
/// After noteIgnoredSignals() and llvm::InitLLVM. \p With: what else has a
/// version that matters, "LibTorch 2.13.0".
void initTool(llvm::StringRef Argv0, const llvm::Twine &With = "");

/// That name.
llvm::StringRef toolName();

/// Prints "TOOL: error: TEXT", made printable, to stderr and returns \p Code.
int reportError(const llvm::Twine &Text, int Code = ExitInput);

/// Prints "TOOL: warning: TEXT", made printable, to stderr.
void reportWarning(const llvm::Twine &Text);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_MESSAGES_H
