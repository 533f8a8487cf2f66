//===- ProfileWriter.h - writes .tprof files --------------------*- C++ -*-===//
//
// The inverse of ProfileReader.h: reading what was written gives the same
// profile, and writing that gives the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_PROFILEWRITER_H
#define TORCHPROF_REPORT_PROFILEWRITER_H

#include "Profile.h"

#include "llvm/Support/raw_ostream.h"

namespace torchprof::report {

/// Writes \p P in the present version of the profile format. Memory does not
/// grow with the number of cells. Errors are those of \p OS.
void writeProfile(const Profile &P, llvm::raw_ostream &OS);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_PROFILEWRITER_H
