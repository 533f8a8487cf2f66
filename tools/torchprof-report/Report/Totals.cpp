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

/// True if spans that never ended or were cut are counted: of methods, of what
/// is in them, and of regions, also outside of models.
static bool countsEnds(const Site &S) {
  return S.isRegion() || (S.isPart() && !S.isOutside());
}

RunMeasure report::measureOfRuns(const SiteTable &Sites, MeasureId M,
                                 uint32_t Root, uint64_t Runs) {
  const MeasureTotal &T = Sites.measured(M, Root);
  uint64_t Calls = Sites.measured(Root).Count;
  if (Runs >= Calls || T.Count == 0)
    return {T.Sum, T.Count};
  // Its own runs are as long as those inside of others, and as many of them
  // were measured, as far as is known.
  auto Count =
      static_cast<uint64_t>((UInt128(Runs) * T.Count + Calls / 2) / Calls);
  return {T.Sum / T.Count * Count + T.Sum % T.Count * Count / T.Count, Count};
}

/// How much of \p Part is of \p Some, where both are parts of \p All and no
/// more is known of them: as large a share as of \p All, exact where one of
/// them is all.
static UInt128 shareOf(UInt128 Part, UInt128 Some, UInt128 All) {
  if (Some == All)
    return Part;
  if (Part == All)
    return Some;
  long double Share =
      static_cast<long double>(Part) / static_cast<long double>(All);
  return std::min(Part,
                  static_cast<UInt128>(static_cast<long double>(Some) * Share));
}

namespace {
/// What ran inside of runs of other roots, or of the same one. Ticks.
struct CalledTicks {
  UInt128 All = 0;
  UInt128 LeftOut = 0; ///< of roots that do not count

  /// What \p Inside, a part of all, has of roots that do not count.
  UInt128 leftOutOf(UInt128 Inside) const {
    return shareOf(Inside, LeftOut, All);
  }
};
} // namespace

/// A site knows how long the roots took that it called, but not which ones.
/// What all calls of a root took is known if all, or none, of them were inside
/// of runs; the other roots share what is left, in proportion to their calls.
static CalledTicks calledTicks(const SiteTable &Sites,
                               const std::vector<bool> &Counts) {
  CalledTicks Called;
  UInt128 Known = 0;
  long double Guess = 0, GuessOfLeftOut = 0;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    const Site &Here = Sites[S];
    if (Here.isPart() && !Here.isOutside())
      Called.All += Sites.runsInside(S);
    if (!Here.isRoot())
      continue;
    uint64_t Calls = Sites.measured(S).Count;
    uint64_t Runs = Sites.runs(S);
    if (Runs >= Calls)
      continue;
    if (Runs == 0) {
      Known += Sites.total(S);
      if (!Counts[S])
        Called.LeftOut += Sites.total(S);
      continue;
    }
    long double Ticks = static_cast<long double>(Sites.total(S)) *
                        static_cast<long double>(Calls - Runs) /
                        static_cast<long double>(Calls);
    Guess += Ticks;
    if (!Counts[S])
      GuessOfLeftOut += Ticks;
  }
  if (Called.All > Known && GuessOfLeftOut > 0) {
    UInt128 Unknown = Called.All - Known;
    Called.LeftOut +=
        GuessOfLeftOut == Guess
            ? Unknown
            : static_cast<UInt128>(static_cast<long double>(Unknown) *
                                   (GuessOfLeftOut / Guess));
  }
  Called.LeftOut = std::min(Called.LeftOut, Called.All);
  return Called;
}

namespace {
/// Gradients of all sites, and of those that are selected.
struct GradientTicks {
  UInt128 All = 0, Selected = 0;

  void add(UInt128 Ticks, bool IsSelected) {
    All += Ticks;
    if (IsSelected)
      Selected += Ticks;
  }
};
} // namespace

/// What the runs have of the gradients of selected sites, of models and outside
/// of all. Of a gradient that the host had computed as well it is not known how
/// much. Runs need not have computed any outside of models, such as a host's
/// loss: what the others account for is none of these.
static UInt128 selectedInRuns(UInt128 InRuns, const GradientTicks &Models,
                              const GradientTicks &Outside) {
  UInt128 OfModels = Outside.All ? std::min(InRuns, Models.All) : InRuns;
  return shareOf(OfModels, Models.Selected, Models.All) +
         shareOf(InRuns - OfModels, Outside.Selected, Outside.All);
}

Totals report::makeTotals(const SiteTable &Sites, const Selection &Selected) {
  Totals T;
  std::vector<uint64_t> Runs = runsOf(Sites);
  std::vector<bool> Counts = sitesOfTotals(Sites, Selected);
  std::vector<bool> SiteSelected(Sites.size());
  for (uint32_t S = 0; S < Sites.size(); ++S)
    SiteSelected[S] = Selected.matches(Sites, S);
  __int128 Total = 0;
  GradientTicks Models, Outside;
  UInt128 InNodes = 0, InRuns = 0; // where gradients were computed
  CalledTicks Called = calledTicks(Sites, Counts);
  UInt128 CalledInRuns = 0, CalledAside = 0;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    const Site &Here = Sites[S];
    const Aggregate &A = Sites.measured(S);
    if (!Counts[S])
      continue;
    if (SiteSelected[S] && countsEnds(Here)) {
      T.Unfinished += A.unfinished();
      T.Cut += A.Cut;
    }
    if (Here.Gradient || Here.InGradient)
      (Here.isOutside() ? Outside : Models)
          .add(Sites.self(S).Amount, SiteSelected[S]);
    else if (!Here.isOutside())
      InNodes += A.Gradients;
    if (!Here.isPart() || Here.isOutside())
      continue;
    const SelfPart &Self = Sites.self(S);
    if (Here.Async) {
      T.Async += Self.Amount + A.Gradients;
      CalledAside += Sites.runsInside(S);
      continue;
    }
    CalledInRuns += Sites.runsInside(S);
    if (Here.Parent == NoIndex)
      Total += static_cast<__int128>(A.Sum);
    T.Excess += Self.Excess;
    InRuns += A.Gradients;
    if (Here.isRoot()) {
      T.Runs += Runs[S];
      T.Unattributed += Self.Amount;
    } else if (SiteSelected[S])
      T.Nodes += Self.Amount;
    else
      T.NotSelected += Self.Amount;
  }
  // A run inside a run is part of that one's time. It is in Total a second time
  // where its root counts, and in no line yet where it does not.
  UInt128 LeftOut = Called.leftOutOf(CalledInRuns);
  UInt128 LeftOutAside = Called.leftOutOf(CalledAside);
  T.NotSelected += LeftOut;
  T.Async += LeftOutAside;
  T.CalledAside = CalledAside - LeftOutAside;
  Total -= static_cast<__int128>(CalledInRuns - LeftOut + T.CalledAside);
  T.Gradients = selectedInRuns(InRuns, Models, Outside);
  T.NotSelected += InRuns - T.Gradients;
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Sites[S].isRoot() && Counts[S])
      T.Probes += Sites.probeTicks(S);
  T.Plans = Sites.planTicks(Counts);
  if (!leavesRootsOut(Sites, Counts))
    T.Apart = Sites.apartTicks();
  T.Probes += T.Apart;
  UInt128 Gradients = Models.All + Outside.All;
  T.Backward = Gradients - std::min(Gradients, InNodes);
  T.Excess += T.CalledAside;
  // Damaged numbers must not become a huge total.
  if (Total < 0)
    T.Excess += static_cast<UInt128>(Total);
  else
    T.Total = static_cast<UInt128>(Total);
  return T;
}
