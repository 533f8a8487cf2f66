//===- Level.h - what a thread held when spans ended ------------*- C++ -*-===//
//
// While memory is measured, a lane keeps what its thread held at the end of its
// last runs and, in trace mode, of its last or first spans: a segment each, and
// one each for devices, if blocks of these are seen.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_LEVEL_H
#define TORCHPROF_FORMAT_LEVEL_H

#include "torchprof/format/LogRecord.h"
#include "torchprof/format/MemoryPlace.h"

namespace torchprof::format {

/// Head of a Levels segment: Level number i lies at i % Capacity; without
/// LogKeep::Last, only the first so many are there. Count grows (release) after
/// a level is complete.
struct LevelsRecord {
  uint32_t Capacity;
  LogKeep Keep;
  uint64_t Count;  ///< levels offered in Epoch; of spans, the last one before
                   ///< is number 0
  uint32_t Epoch;  ///< as in Cell
  uint16_t OfRuns; ///< 1: of runs; 0: of all spans
  MemoryPlace Place;
};
static_assert(sizeof(LevelsRecord) == 24);

struct Level {
  uint64_t EndTicks; ///< of the span
  int64_t Held; ///< bytes allocated and not freed by the lane's threads; below
                ///< 0 if they freed what others allocated. Of a span: in spans,
                ///< and what any thread did outside of spans since the last
                ///< level of whatever lane. Only the lanes' sum is of use
  uint64_t Peak; ///< of a run: the most above what was held at its begin
  Slot Site;
  Slot PeakSite; ///< of a run: the innermost span at its peak, or NoSlot
};
static_assert(sizeof(Level) == 32);

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_LEVEL_H
