//===- MemoryRecords.h - levels and books of a profile ----------*- C++ -*-===//
//
// What a profile knows of memory beside the cells of measures: what threads
// held when spans ended (format/Level.h), and who allocated what was alive
// (format/Blocks.h). Plain values; what ArrayRefs point to is the profile's.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_MEMORYRECORDS_H
#define TORCHPROF_REPORT_MEMORYRECORDS_H

#include "KeptRing.h"

#include <vector>

namespace torchprof::report {

/// The levels of one lane at the ends of runs, or of all spans.
struct LevelRing : KeptRing<format::Level> {
  bool OfRuns = true;
  format::MemoryPlace Place = format::MemoryPlace::Cpu;
};

/// The books of the process for one place of memory. The numbers of events are
/// those of Totals in each account: what it held at an event is written down.
struct BlockBooks {
  format::BlocksRecord Totals = {};
  std::vector<format::BlockAccount> Accounts;
};

/// Adds a segment's accounts; \p Record is a copy of the segment's. The first
/// segment has the totals.
void addAccounts(BlockBooks &Books, bool IsFirst,
                 const format::BlocksRecord &Record,
                 llvm::ArrayRef<format::BlockAccount> Accounts);

/// Begins the numbers of \p Epoch at its first tick, as the runtime does at the
/// first change of a block or end of a run after a reset: what is alive stays.
void followReset(BlockBooks &Books, uint32_t Epoch, uint64_t ResetTicks);

/// Writes down in an account what it held at the last events of \p Totals.
void resolve(format::BlockAccount &A, const format::BlocksRecord &Totals);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_MEMORYRECORDS_H
