//===- TickClock.cpp - from clock ticks to nanoseconds --------------------===//

#include "TickClock.h"

#include <cmath>

using namespace torchprof;
using namespace torchprof::report;

// Below this distance the brackets of two anchors weigh more than the
// calibration's error.
static constexpr uint64_t LeastAnchorDistanceNs = 100'000'000;

TickClock::TickClock(const Profile &P) {
  Origin = P.Process.StartTicks;
  OriginRealtimeNs = P.Process.StartRealtimeNs;
  if (!P.Anchors.empty()) {
    Origin = P.Anchors.front().Ticks;
    OriginRealtimeNs = P.Anchors.front().RealtimeNs;
    OriginMonotonicNs = static_cast<double>(P.Anchors.front().MonotonicNs);
  }
  if (P.Process.Clock == format::ClockKind::Monotonic) {
    OriginMonotonicNs = static_cast<double>(Origin);
    return;
  }
  if (P.Process.NominalTicksPerSecond)
    Rate = 1e9 / static_cast<double>(P.Process.NominalTicksPerSecond);
  else
    Known = P.Process.Clock == format::ClockKind::Injected;
  if (P.Process.Clock == format::ClockKind::Injected || P.Anchors.size() < 2)
    return;
  const format::ClockAnchor &First = P.Anchors.front();
  const format::ClockAnchor &Last = P.Anchors.back();
  if (Last.MonotonicNs <= First.MonotonicNs || Last.Ticks <= First.Ticks)
    return;
  auto Ns = static_cast<double>(Last.MonotonicNs - First.MonotonicNs);
  if (Known && Ns < LeastAnchorDistanceNs)
    return;
  Rate = Ns / static_cast<double>(Last.Ticks - First.Ticks);
  Known = true;
  for (const format::ClockAnchor &A : P.Anchors) {
    double Line = static_cast<double>(A.Ticks - First.Ticks) * Rate;
    auto Seen = static_cast<double>(A.MonotonicNs - First.MonotonicNs);
    Drift = std::max(Drift, std::fabs(Seen - Line));
  }
}

uint64_t TickClock::tickOf(const TickClock &Other, uint64_t Ticks) const {
  auto Later = static_cast<int64_t>(Other.OriginRealtimeNs - OriginRealtimeNs);
  if (Other.Origin == Origin && Later == 0 && Other == *this)
    return Ticks; // exactly
  double Ns = static_cast<double>(Later) + Other.sinceStart(Ticks);
  return Origin + static_cast<uint64_t>(std::llround(Ns / Rate));
}
