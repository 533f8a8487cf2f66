//===- StandardOutput.h - what could not be written -------------*- C++ -*-===//
//
// LLVM's streams for stdout and stderr abort the process at its exit if they
// could not write something by then, and LLVM's handler of SIGPIPE ends it with
// 74.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_STANDARDOUTPUT_H
#define TORCHPROF_TOOLS_STANDARDOUTPUT_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace torchprof {

/// Lets the process end with 2 and an error of \p Tool, whose characters live
/// as long as the process, if stdout could not be written; a message that
/// stderr did not take costs nothing else. A write to a closed pipe, or past a
/// limit on file sizes, fails as one to a full disk does. To be called first,
/// after an llvm::InitLLVM without a handler of SIGPIPE.
void watchStandardStreams(const char *Tool);

/// Writes what \p OS holds back, to \p Name, and says if a write has failed. A
/// reader that has seen enough (head) is not an error.
llvm::Error flushed(llvm::raw_fd_ostream &OS, const llvm::Twine &Name);

/// The same of stdout.
llvm::Error flushStandardOutput();

} // namespace torchprof

#endif // TORCHPROF_TOOLS_STANDARDOUTPUT_H
