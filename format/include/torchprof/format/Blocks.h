//===- Blocks.h - which node allocated what is alive ------------*- C++ -*-===//
//
// Books of the process, for each place of memory, with one account per site:
// the bytes of the blocks that were allocated while it was the innermost open
// span, and are alive.
//
// What an account held at an event of the past (the process's peak, the end of
// the last run, a mark) is written down only when the account changes for the
// first time after it: until then it is what is alive now. So an event costs
// the same however many accounts there are.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_BLOCKS_H
#define TORCHPROF_FORMAT_BLOCKS_H

#include "torchprof/format/MemoryPlace.h"
#include "torchprof/format/Site.h"

#include <cstdint>

namespace torchprof::format {

/// Head of a Blocks segment. Used grows (release) after an account's Site is
/// set. But for these two and Place, the numbers are those of the place's first
/// segment. Of a process that was killed, or still runs, the last change may be
/// there in part.
struct BlocksRecord {
  uint32_t Capacity;
  uint32_t Used;
  int64_t Live; ///< bytes of all accounts
  int64_t Peak; ///< largest Live of Epoch
  uint64_t PeakTicks;
  Slot PeakSite;    ///< whose block made the peak; NoSlot outside of spans
  uint32_t Epoch;   ///< as in Cell
  uint64_t Peaks;   ///< number of the peak, as events are numbered
  uint64_t Runs;    ///< ended in Epoch
  uint64_t RunEnds; ///< number of the last run's end
  uint64_t Marks;   ///< number of the last mark: the ends of run 1, 2, 4, 8
                    ///< and so on of Epoch become one when the next run ends
  uint64_t MarkRuns[2]; ///< Runs at the mark before the last, and at the last
  MemoryPlace Place;    ///< where the blocks lie; of each segment
  uint16_t Reserved[3];
};
static_assert(sizeof(BlocksRecord) == 96);

/// What an account held at an event, if Number is that of the event.
struct HeldThen {
  int64_t Bytes;
  uint64_t Number;
};

struct BlockAccount {
  Slot Site;       ///< NoSlot: outside of all spans
  uint32_t IsShut; ///< 1: outside of spans because nothing was recorded; Site
                   ///< is NoSlot
  int64_t Live;    ///< bytes
  int64_t Blocks;  ///< number of them
  HeldThen AtPeak;
  HeldThen AtRunEnd;
  int64_t AtMarks[2]; ///< at the mark before MarkNumber, and at MarkNumber
  uint64_t MarkNumber;
};
static_assert(sizeof(BlockAccount) == 80);

/// What an account with \p Live bytes held at event \p Number, the last of its
/// kind.
constexpr int64_t heldAt(const HeldThen &Then, uint64_t Number, int64_t Live) {
  return Then.Number == Number ? Then.Bytes : Live;
}

/// Brings the marks of an account up to the last one of \p Totals. To be called
/// before it changes, and before its AtRunEnd does, and by readers: if it has
/// changed between a run's end and the mark of that, AtRunEnd still says what
/// it held there.
constexpr void followMarks(BlockAccount &A, const BlocksRecord &Totals) {
  if (A.MarkNumber == Totals.Marks)
    return;
  auto HeldAtRun = [&](uint64_t Run) {
    return heldAt(A.AtRunEnd, Totals.RunEnds - (Totals.Runs - Run), A.Live);
  };
  A.AtMarks[0] = Totals.Marks - A.MarkNumber == 1
                     ? A.AtMarks[1]
                     : HeldAtRun(Totals.MarkRuns[0]);
  A.AtMarks[1] = HeldAtRun(Totals.MarkRuns[1]);
  A.MarkNumber = Totals.Marks;
}

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_BLOCKS_H
