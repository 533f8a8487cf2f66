//===- ShowProfile.h - what is shown after a recording ----------*- C++ -*-===//
//
// The report is another program, which links no LibTorch: it is started.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_SHOWPROFILE_H
#define TORCHPROF_TOOLS_SHOWPROFILE_H

#include "llvm/ADT/StringRef.h"

namespace torchprof {

/// Prints the summary of \p Profile and writes its page beside it, with the
/// torchprof-report in the directory \p Bin. Returns the exit code; a page
/// that could not be written is reported and costs nothing else.
int showProfile(llvm::StringRef Bin, llvm::StringRef Profile);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_SHOWPROFILE_H
