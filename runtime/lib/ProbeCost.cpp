//===- ProbeCost.cpp - what a probe costs here ----------------------------===//

#include "ProbeCost.h"

#include "Probe.h"

#include <algorithm>
#include <array>
#include <numeric>
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

namespace {

/// Takes what the calling thread's probes record while it lives. A lane of its
/// own: a thread's first probe makes the recording, and with it this. Folding
/// is measured where it happens.
class CostLane {
public:
  CostLane() {
    L.Log = &Log;
    L.Since = 1;
    L.Clock.followChoice();
    L.SiteCount = 1; // of CostSite's model
    rewind();
  }
  ~CostLane() { ThisLane = Mine; }
  CostLane(const CostLane &) = delete;
  CostLane &operator=(const CostLane &) = delete;

  /// Before more than Capacity records.
  void rewind() {
    L.Page = Entries.data();
    L.Written = 0;
  }
  const LogEntry *begin() const { return Entries.data(); }
  const LogEntry *end() const { return &Entries[L.Written]; }

  static constexpr unsigned Capacity = 2 * CostPairs;
  static_assert(Capacity < LogPageEntries);

private:
  LogRecord Log{};
  std::array<LogEntry, Capacity> Entries{};
  Lane L{};
  Lane *Mine = std::exchange(ThisLane, &L);
};

} // namespace

uint64_t measureProbeTicksX16() {
  constexpr unsigned Batches = 16;
  unsigned Spans = spansPerBatch(clock::nominalTicksPerSecond());
  CostLane Records;
  uint64_t Best = UINT64_MAX;
  for (unsigned Batch = 0; Batch < Batches; ++Batch) {
    uint64_t Start = clock::ticks();
    for (unsigned I = 0; I < Spans; ++I) {
      Records.rewind();
      FrameSpan Span(Slot{0});
      Span.end();
    }
    uint64_t Ticks = clock::ticks() - Start;
    Best = Ticks < Best ? Ticks : Best;
  }
  return Best * 16 / Spans;
}

uint64_t measurePairTicksX16(const std::function<void()> &RunPairs) {
  constexpr unsigned Runs = 16;
  std::array<uint64_t, Runs * CostPairs> Ticks;
  auto *Last = Ticks.begin();
  CostLane Records;
  for (unsigned Run = 0; Run < Runs; ++Run) {
    Records.rewind();
    RunPairs();
    for (const LogEntry &E : Records)
      if (kindOf(E) == LogKind::PairEnd && Last != Ticks.end())
        *Last++ = durationOf(E);
  }
  std::sort(Ticks.begin(), Last);
  auto Quarter = (Last - Ticks.begin()) / 4;
  auto *First = Ticks.begin() + Quarter;
  Last -= Quarter;
  if (First == Last)
    return 0;
  return std::accumulate(First, Last, uint64_t(0)) * 16 /
         uint64_t(Last - First);
}

} // namespace torchprof
