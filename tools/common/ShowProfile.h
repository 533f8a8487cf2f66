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
/// the first, FILE.html for FILE.tprof and for FILE, with the torchprof-report
/// in the directory \p Bin. Returns the summary's exit code; a page that could
/// not be written is reported and costs nothing else. Nor is one that would
/// replace a file of another kind, if not \p Force.
int showProfiles(llvm::StringRef Bin, llvm::ArrayRef<llvm::StringRef> Profiles,
                 bool Force);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_SHOWPROFILE_H
