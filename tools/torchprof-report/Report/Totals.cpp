//===- Totals.cpp - what all that is selected adds up to ------------------===//

#include "Totals.h"

using namespace torchprof;
using namespace torchprof::report;

/// True if roots were called inside of runs, and the profiles say how often.
static bool callsRoots(const SiteTable &Sites) {
  if (Sites.knowsRuns())
    for (uint32_t S = 0; S < Sites.size(); ++S)
      if (Sites[S].isPart() && Sites.runsInside(S))
        return true;
  return false;
}

std::vector<bool> report::rootsOf(const SiteTable &Sites,
                                  const Selection &Selected) {
  std::vector<bool> Roots(Sites.size());
  bool IsAny = false;
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (!Sites[S].isOutside() && Selected.matches(Sites, S))
      IsAny = Roots[Sites[S].Root] = true;
  for (uint32_t S = 0; S < Sites.size() && !IsAny; ++S)
    if (!Sites[S].isOutside())
      Roots[Sites[S].Root] = true;
  return Roots;
}

/// True if a root that ran is not among \p Roots.
static bool leavesRootsOut(const SiteTable &Sites,
                           const std::vector<bool> &Roots) {
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Sites[S].isRoot() && Sites.reached(S) && !Roots[S])
      return true;
  return false;
}

std::vector<bool> report::sitesOfTotals(const SiteTable &Sites,
                                        const Selection &Selected) {
  std::vector<bool> Roots = rootsOf(Sites, Selected);
  bool IsPart = leavesRootsOut(Sites, Roots);
  std::vector<bool> Counts(Sites.size());
  for (uint32_t S = 0; S < Sites.size(); ++S)
    Counts[S] = Sites[S].isOutside() ? !IsPart || Selected.matches(Sites, S)
                                     : Roots[Sites[S].Root];
  return Counts;
}

std::vector<uint64_t> report::runsOf(const SiteTable &Sites) {
  std::vector<uint64_t> Runs(Sites.size());
  bool HasCalls = callsRoots(Sites);
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Sites[S].isRoot())
      Runs[S] = HasCalls ? Sites.runs(S) : Sites.measured(S).Count;
  return Runs;
}

RunMeasure report::measureOfRuns(const SiteTable &Sites, MeasureId M,
                                 uint32_t Root, uint64_t Runs) {
  const MeasureTotal &T = Sites.measured(M, Root);
  if (Runs >= T.Count)
    return {T.Sum, T.Count};
  // Its own runs are as long as those inside of others, as far as is known.
  return {T.Sum / T.Count * Runs + T.Sum % T.Count * Runs / T.Count, Runs};
}

Totals report::makeTotals(const SiteTable &Sites, const Selection &Selected) {
  Totals T;
  std::vector<uint64_t> Runs = runsOf(Sites);
  std::vector<bool> Counts = sitesOfTotals(Sites, Selected);
  std::vector<bool> SiteSelected(Sites.size());
  for (uint32_t S = 0; S < Sites.size(); ++S)
    SiteSelected[S] = Selected.matches(Sites, S);
  __int128 Total = 0, Backward = 0;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    const Site &Here = Sites[S];
    const Aggregate &A = Sites.measured(S);
    if (!Counts[S])
      continue;
    if (Here.Gradient || Here.InGradient)
      Backward += static_cast<__int128>(Sites.self(S).Amount);
    else if (!Here.isOutside())
      Backward -= static_cast<__int128>(A.Gradients);
    if (!Here.isPart() || Here.isOutside())
      continue;
    if (SiteSelected[S]) {
      T.Unfinished += A.unfinished();
      T.Cut += A.Cut;
    }
    const SelfPart &Self = Sites.self(S);
    // A run inside a run is part of that one's time.
    UInt128 Inside = Sites.runsInside(S);
    Total -= static_cast<__int128>(Inside);
    if (Here.Async) {
      T.Async += Self.Amount + A.Gradients;
      T.CalledAside += Inside;
      continue;
    }
    if (Here.Parent == NoIndex)
      Total += static_cast<__int128>(A.Sum);
    T.Excess += Self.Excess;
    (Here.isRoot() || SiteSelected[S] ? T.Gradients : T.NotSelected) +=
        A.Gradients;
    if (Here.isRoot()) {
      T.Runs += Runs[S];
      T.Unattributed += Self.Amount;
    } else if (SiteSelected[S])
      T.Nodes += Self.Amount;
    else
      T.NotSelected += Self.Amount;
  }
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Sites[S].isRoot() && Counts[S]) {
      T.Plans += Sites.planTicks(S);
      T.Probes += Sites.probeTicks(S);
    }
  if (!leavesRootsOut(Sites, Counts))
    T.Apart = Sites.apartTicks();
  T.Probes += T.Apart;
  T.Backward = static_cast<UInt128>(std::max<__int128>(Backward, 0));
  T.Excess += T.CalledAside;
  // Damaged numbers must not become a huge total.
  if (Total < 0)
    T.Excess += static_cast<UInt128>(Total);
  else
    T.Total = static_cast<UInt128>(Total);
  return T;
}
