//===- ProbeCost.cpp - what a probe costs here ----------------------------===//

#include "ProbeCost.h"

#include "Probe.h"

namespace torchprof {

using namespace format;

uint64_t measureProbeTicksX16() {
  constexpr unsigned Batches = 16, Spans = 64;
  Cell Scratch{};
  LaneRecord Record{};
  SlotEntry Entry{&Scratch};
  Lane L{};
  L.Record = &Record;
  L.Slots = &Entry;
  L.SlotCount = L.EntryCount = 1;
  Scratch.Epoch = Process.Epoch.load(std::memory_order_relaxed);
  uint64_t Best = UINT64_MAX;
  for (unsigned Batch = 0; Batch < Batches; ++Batch) {
    uint64_t Start = clock::ticks();
    for (unsigned I = 0; I < Spans; ++I) {
      uint64_t Begin = openSpan(L, Entry, Slot{0});
      uint64_t Ticks = clock::ticks() - Begin;
      restoreOuter(L, Entry, Begin, Slot{0});
      recordSpan(Scratch, Ticks);
    }
    uint64_t Ticks = clock::ticks() - Start;
    Best = Ticks < Best ? Ticks : Best;
  }
  return Best * 16 / Spans;
}

} // namespace torchprof
