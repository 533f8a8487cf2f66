//===- ClockTable.cpp - anchors of the tick clock in the profile ----------===//

#include "ClockTable.h"

#include "Clock.h"
#include "Process.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <algorithm>

namespace torchprof {

using namespace format;

void ClockTable::begin(SegmentHeader &Segment) {
  SegmentOf<SegmentType::Clock> Clock(&Segment);
  Record = &Clock.record();
  Anchors = Clock.entries();
  Record->Capacity = Capacity;
  Record->IntervalNs = 1'000'000'000;
  addAnchor();
}

/// Each stop and snapshot adds an anchor, too: a host that does so often does
/// not move those of its runs apart for ever.
static constexpr uint64_t LongestIntervalNs = uint64_t(1'000'000'000) << 10;

/// Keeps every second anchor, and so doubles their distance. The count is one
/// meanwhile: a process that is killed here leaves a short table, not a wrong
/// one.
void ClockTable::halve() {
  storeRelease(Record->Count, uint32_t(1));
  uint32_t Kept = 0;
  for (uint32_t I = 0; I < Record->Capacity; I += 2) {
    storeRelease(Anchors[Kept].Ticks, Anchors[I].Ticks);
    storeRelease(Anchors[Kept].MonotonicNs, Anchors[I].MonotonicNs);
    storeRelease(Anchors[Kept].RealtimeNs, Anchors[I].RealtimeNs);
    storeRelease(Anchors[Kept].UncertaintyNs, Anchors[I].UncertaintyNs);
    ++Kept;
  }
  storeRelease(Record->IntervalNs,
               std::min(Record->IntervalNs * 2, LongestIntervalNs));
  storeRelease(Record->Count, Kept);
}

void ClockTable::addAnchor() {
  if (!Record)
    return;
  if (Record->Count == Record->Capacity)
    halve();
  ClockAnchor Now = clock::readAnchor();
  ClockAnchor &To = Anchors[Record->Count];
  storeRelaxed(To.Ticks, Now.Ticks);
  storeRelaxed(To.MonotonicNs, Now.MonotonicNs);
  storeRelaxed(To.RealtimeNs, Now.RealtimeNs);
  storeRelaxed(To.UncertaintyNs, Now.UncertaintyNs);
  storeRelease(Record->Count, Record->Count + 1);
  double Seconds = double(Record->IntervalNs) / 1e9;
  Process.NextAnchor.store(
      Now.Ticks + uint64_t(double(clock::nominalTicksPerSecond()) * Seconds),
      std::memory_order_relaxed);
}

} // namespace torchprof
