//===- ProbeCost.cpp - what a probe costs here ----------------------------===//

#include "ProbeCost.h"

#include "Probe.h"

#include <algorithm>
#include <utility>

namespace torchprof {

using namespace format;

unsigned spansPerBatch(uint64_t TicksPerSecond) {
  constexpr uint64_t Fewest = 64, Most = 4096;
  constexpr uint64_t Ticks = 128;        // so that one more or less is 1 %
  constexpr double SpansPerSecond = 1e8; // no span is shorter than 10 ns
  auto Spans =
      uint64_t(double(Ticks) / double(TicksPerSecond) * SpansPerSecond);
  return unsigned(std::clamp(Spans, Fewest, Most));
}

uint64_t measureProbeTicksX16() {
  constexpr unsigned Batches = 16;
  unsigned Spans = spansPerBatch(clock::nominalTicksPerSecond());
  // On a lane of its own: a thread's first probe makes the recording, and with
  // it this. Folding is measured where it happens.
  LogRecord Log{};
  LogEntry Entry{};
  Lane L{};
  L.Log = &Log;
  L.Since = 1;
  Lane *Mine = std::exchange(ThisLane, &L);
  uint64_t Best = UINT64_MAX;
  for (unsigned Batch = 0; Batch < Batches; ++Batch) {
    uint64_t Start = clock::ticks();
    for (unsigned I = 0; I < Spans; ++I) {
      L.Next = &Entry;
      L.Written = 1; // not the end of a page
      FrameSpan Span(Slot{0});
      Span.end();
    }
    uint64_t Ticks = clock::ticks() - Start;
    Best = Ticks < Best ? Ticks : Best;
  }
  ThisLane = Mine;
  return Best * 16 / Spans;
}

} // namespace torchprof
