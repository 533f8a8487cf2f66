//===- LogPages.h - where a lane's log goes on ------------------*- C++ -*-===//
//
// A lane's log is used page by page. At the end of each, and at the end of an
// outermost root, it is decided whether to fold what has been written, and
// where the log goes on: at its first page again if it was folded between two
// runs, in the next one in trace mode and while the folding thread has not come
// to the end (FoldThread.h).
//
// A fold finds the cells out of reach of the near caches: the models that are
// worth a profile have streamed megabytes since the last one. So it comes late.
// The records of many runs are folded at once, and of those of one node only
// the first pays for that. It comes between two runs all the same: at the end
// of the last one whose like the log has room for.
//
// Owner only, unless something else is said; the lane is attached.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_LOGPAGES_H
#define TORCHPROF_LOGPAGES_H

#include "Lane.h"

namespace torchprof {

/// Called by append() when Written has come to the end of a page.
void logPageEnded(Lane &L);

/// At the end of a run: folds if the log has no room for another run of as many
/// records, or leaves to the folding thread what the run has written.
void logRunEnded(Lane &L);

/// Folds all that is in the log. What it takes is no part of the spans that are
/// open meanwhile.
void foldLog(Lane &L);

/// For the folding thread: folds at most a page of what the owner has left to
/// it. False if there is nothing more that it can fold. The spans around are
/// the owner's: nothing is subtracted from them.
bool foldLeftPage(Lane &L);

/// Lets the log begin anew in an epoch; what it holds is in its cells before.
/// The owner.
void emptyLog(Lane &L, uint32_t Epoch);

/// Lets the log begin anew if a reset was made since it was written last.
void followReset(Lane &L);

} // namespace torchprof

#endif // TORCHPROF_LOGPAGES_H
