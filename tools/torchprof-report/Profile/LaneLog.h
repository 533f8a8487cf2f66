//===- LaneLog.h - logs of lanes --------------------------------*- C++ -*-===//
//
// What a process had not folded into its cells when it ended, or when its file
// is read, is folded here, so that the rest of the report knows nothing of logs
// but the spans of a trace.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_LANELOG_H
#define TORCHPROF_REPORT_LANELOG_H

#include "Profile.h"

namespace torchprof::report {

/// A copy of a log: copyLiveLog().
struct LaneLog {
  size_t Lane; ///< index in Profile::Lanes
  format::LogRecord Head;
  llvm::MutableArrayRef<format::LogEntry> Entries;
  /// What it was copied from.
  const format::LogRecord *Source = nullptr;
  const format::LogEntry *SourceEntries = nullptr;
};

/// Folds what is not in the lane's cells yet, and mends the cell in whose
/// update the process was killed. Fills the lane's current span and its trace.
/// \p ResetTicks is the tick of the last reset of all cells.
void foldLog(Profile &P, const LaneLog &Log, uint64_t ResetTicks);

/// Forgets the current span of a lane where no span of its site is open on any
/// lane, once all logs are folded. A run that waits for a task is current on
/// its first thread until that does something else, also when it has gone on on
/// another thread and ended there.
void forgetEndedElsewhere(Profile &P);

/// The log of a lane in a file that is written here: all is folded. \p Trace is
/// what it keeps, or null.
LaneLog makeLog(const Lane &L, const TraceBuffer *Trace, uint64_t Epoch,
                std::vector<format::LogEntry> &Entries);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_LANELOG_H
