//===- ShowProfile.h - what is shown after a recording ----------*- C++ -*-===//
//
// The report is another program, which links no LibTorch: it is started.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_SHOWPROFILE_H
#define TORCHPROF_TOOLS_SHOWPROFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace torchprof {

/// Prints the summary of \p Profiles, added up, and writes their page beside
/// the first, with the torchprof-report in the directory \p Bin. Returns the
/// exit code; a page that could not be written is reported and costs nothing
/// else.
int showProfiles(llvm::StringRef Bin, llvm::ArrayRef<llvm::StringRef> Profiles);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_SHOWPROFILE_H
