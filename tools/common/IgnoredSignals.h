//===- IgnoredSignals.h - signals that a parent had ignored -----*- C++ -*-===//
//
// nohup ignores SIGHUP, a shell SIGINT in the background. llvm::InitLLVM puts
// handlers in their places, and the process would die of them after all.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_IGNOREDSIGNALS_H
#define TORCHPROF_TOOLS_IGNOREDSIGNALS_H

namespace torchprof {

/// Notes which signals are ignored. First in main(), before llvm::InitLLVM.
void noteIgnoredSignals();

/// Ignores those signals again, after llvm::InitLLVM.
void ignoreNotedSignals();

/// Ignores those signals and no others, in a child process before it runs
/// another program.
void restoreSignals();

} // namespace torchprof

#endif // TORCHPROF_TOOLS_IGNOREDSIGNALS_H
