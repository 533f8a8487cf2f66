//===- JoinParts.h - snapshots of one process as one profile ----*- C++ -*-===//
//
// A process that empties its profile after a snapshot hands it out in parts.
// They have its clock, its sites and its lanes in common, so that the whole
// keeps what sums over processes (Merge.h) cannot: threads, traces and the
// order of calls.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_JOINPARTS_H
#define TORCHPROF_REPORT_JOINPARTS_H

#include "../Profile/Profile.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace torchprof::report {

/// The profile whose parts are \p Parts, at least one, in any order. What
/// belongs to the process, such as its steps and who holds memory, is what the
/// last part says. A span that is open at the end of a part is counted
/// where it ended; one that an exception has ended stays unfinished. Fails if a
/// part is of another process, or if two hold the same run.
llvm::Expected<Profile> joinParts(std::vector<Profile> Parts);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_JOINPARTS_H
