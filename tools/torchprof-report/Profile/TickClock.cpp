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

namespace {
/// What has passed between two anchors.
struct Distance {
  uint64_t Ticks, Ns;
};
} // namespace

/// What has passed from the first anchor to each one. Where the clock was set
/// back between two, because a process was restored on another machine, say, it
/// is not known what has passed.
static std::vector<Distance>
passedAt(const std::vector<format::ClockAnchor> &Anchors) {
  std::vector<Distance> Passed = {{0, 0}};
  for (size_t I = 1; I < Anchors.size(); ++I) {
    const format::ClockAnchor &Before = Anchors[I - 1], &Here = Anchors[I];
    Distance Sum = Passed.back();
    if (Here.Ticks > Before.Ticks && Here.MonotonicNs > Before.MonotonicNs) {
      Sum.Ticks += Here.Ticks - Before.Ticks;
      Sum.Ns += Here.MonotonicNs - Before.MonotonicNs;
    }
    Passed.push_back(Sum);
  }
  return Passed;
}

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
  std::vector<Distance> Passed = passedAt(P.Anchors);
  auto [Ticks, Ns] = Passed.back();
  if (Ticks == 0 || (Known && Ns < LeastAnchorDistanceNs))
    return;
  Rate = static_cast<double>(Ns) / static_cast<double>(Ticks);
  Known = true;
  for (const Distance &To : Passed)
    Drift = std::max(Drift, std::fabs(static_cast<double>(To.Ns) -
                                      static_cast<double>(To.Ticks) * Rate));
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
