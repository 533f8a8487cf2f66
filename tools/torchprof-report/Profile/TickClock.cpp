//===- TickClock.cpp - from clock ticks to nanoseconds --------------------===//

#include "TickClock.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
    for (const format::ClockAnchor &A : P.Anchors)
      addStep(P.Anchors.front(), A);
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

/// By so little nobody sets a clock; readings are that far apart.
static constexpr uint64_t LeastStepNs = 1'000'000;

/// The clocks of the system go alike but where somebody sets one.
void TickClock::addStep(const format::ClockAnchor &First,
                        const format::ClockAnchor &A) {
  if (A.RealtimeNs == 0) // not told
    return;
  auto Ns = static_cast<int64_t>((A.RealtimeNs - First.RealtimeNs) -
                                 (A.MonotonicNs - First.MonotonicNs));
  int64_t Before = Steps.empty() ? 0 : Steps.back().Ns;
  // Unsigned: a damaged file has any numbers.
  uint64_t Apart = static_cast<uint64_t>(std::max(Ns, Before)) -
                   static_cast<uint64_t>(std::min(Ns, Before));
  if (Apart > LeastStepNs + A.UncertaintyNs)
    Steps.push_back({static_cast<int64_t>(A.Ticks - Origin), Ns});
}

int64_t TickClock::setBy(uint64_t Ticks) const {
  auto Since = static_cast<int64_t>(Ticks - Origin);
  for (auto S = Steps.rbegin(); S != Steps.rend(); ++S)
    if (S->Since <= Since)
      return S->Ns;
  return 0;
}

uint64_t TickClock::tickOf(const TickClock &Other, uint64_t Ticks) const {
  auto Later = static_cast<int64_t>(Other.OriginRealtimeNs - OriginRealtimeNs);
  if (Other.Origin == Origin && Later == 0 && Other == *this)
    return Ticks; // exactly
  double Ns = static_cast<double>(Later) + Other.sinceStart(Ticks) +
              static_cast<double>(Other.setBy(Ticks));
  int64_t Last = std::numeric_limits<int64_t>::max();
  auto TickAt = [&](double SinceNs) {
    int64_t Since = std::llround(SinceNs / Rate);
    return Origin + static_cast<uint64_t>(std::min(Since, Last));
  };
  for (auto S = Steps.rbegin(); S != Steps.rend(); ++S) {
    double SinceNs = Ns - static_cast<double>(S->Ns);
    if (SinceNs >= toNs(static_cast<double>(S->Since)))
      return TickAt(SinceNs);
    Last = static_cast<int64_t>(static_cast<uint64_t>(S->Since) - 1);
  }
  return TickAt(Ns);
}
