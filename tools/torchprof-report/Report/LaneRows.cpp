//===- LaneRows.cpp - a row for each thread -------------------------------===//

#include "LaneRows.h"
#include "Totals.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// Takes \p Inside, the part of runs inside of other ones, out of a sum that
/// has it twice: with those others and, at most \p OfCalled, with what the
/// methods that these called have of it. Returns what was taken.
static UInt128 takeInside(UInt128 &Sum, UInt128 &OfCalled, UInt128 Inside) {
  UInt128 Twice = std::min(Inside, OfCalled);
  OfCalled -= Twice;
  Sum -= Twice;
  return Twice;
}

/// The part of an outermost site's sum that may lie inside of other runs. Where
/// nodes stand for a method that is not selected, it is as much of theirs as
/// the method's calls inside of runs are of all. \p Runs: runsOf().
static UInt128 partOfCalled(const SiteTable &Sites, ArrayRef<uint64_t> Runs,
                            uint32_t S, UInt128 Sum) {
  const Site &Here = Sites[S];
  if (Here.isRoot() || Here.isOutside()) // of what is outside none is taken
    return Sum;
  auto Calls = static_cast<long double>(Sites.measured(Here.Root).Count);
  auto Own = static_cast<long double>(Runs[Here.Root]);
  return Own < Calls ? scaled(Sum, (Calls - Own) / Calls) : 0;
}

/// Host ticks of the runs on a lane that a site started and that were measured:
/// as much of all as of the site's own time.
static UInt128 measuredInside(const TableLane &Lane, const LaneParts &Parts,
                              MeasureId M, uint32_t S) {
  auto Inside = Parts.RunsInside.find(S);
  auto Whole = Lane.Measured.find(S);
  auto Measured = Lane.Measures.find({M, S});
  if (Inside == Parts.RunsInside.end() || Whole == Lane.Measured.end() ||
      Whole->second.Sum == 0 || Measured == Lane.Measures.end())
    return 0;
  return scaled(Inside->second,
                static_cast<long double>(Measured->second.Time) /
                    static_cast<long double>(Whole->second.Sum));
}

std::vector<Row> report::makeLaneRows(const SiteTable &Sites,
                                      const Selection &Selected) {
  std::vector<Row> Rows;
  std::vector<bool> IsSelected(Sites.size());
  // Plans that a backward made are part of the node that asked for it.
  for (uint32_t S = 0; S < Sites.size(); ++S)
    IsSelected[S] = Selected.matches(
        Sites, Sites.isPlansOfBackward(S) ? Sites.nodeOf(S) : S);
  std::vector<uint64_t> Runs = runsOf(Sites);
  std::vector<LaneParts> Parts = Sites.partsByLane();
  std::vector<std::vector<LaneParts>> MeasureParts;
  for (MeasureId M = 0; M < Sites.measures().size(); ++M)
    MeasureParts.push_back(Sites.partsByLane(M));
  for (size_t L = 0; L < Sites.lanes().size(); ++L) {
    const TableLane &Lane = Sites.lanes()[L];
    std::string Name =
        Sites.profiles() > 1 ? Lane.File + ": " + Lane.Name : Lane.Name;
    for (bool Outside : {false, true}) {
      auto Counts = [&](uint32_t S) {
        return IsSelected[S] && Sites[S].isOutside() == Outside;
      };
      Row R, Called; // and what called methods have of its sums
      R.Order = static_cast<uint32_t>(Rows.size());
      R.Name = Outside ? Name + ", outside of models" : Name;
      R.Outside = Outside;
      R.Overlay = false;
      // True unless the time of one of the row around it holds its time.
      auto Outermost = [&](uint32_t S) {
        for (; !(Sites[S].Flags & SF_Async); S = Sites[S].Parent) {
          uint32_t Around = Sites[S].Parent;
          if (Around == NoIndex)
            return true;
          if (Counts(Around) && !Sites[Around].isOverlay())
            return false;
        }
        return true;
      };
      for (const auto &[S, A] : Lane.Measured) {
        if (!Counts(S))
          continue;
        if (Sites[S].isOverlay()) {
          R.Backward.Calls += Sites.gradientsOf(S, A.Count);
          continue;
        }
        ++R.Members;
        R.Measured.add(A);
        R.addPairs(A, A.Count);
        R.Clipped |= Sites.self(S).Excess != 0;
        if (!Outermost(S))
          continue;
        R.addTotal(Sites[S], A.Sum);
        Called.Total += partOfCalled(Sites, Runs, S, A.Sum);
      }
      R.Measures.resize(Sites.measures().size());
      Called.Measures.resize(Sites.measures().size());
      for (const auto &[MeasureAndSite, T] : Lane.Measures) {
        auto [M, S] = MeasureAndSite;
        if (!Counts(S) || Sites[S].isOverlay())
          continue;
        R.Measures[M].add(Sites.measures()[M].Fold, T, Outermost(S));
        if (!Outermost(S))
          continue;
        Called.Measures[M].Total += partOfCalled(Sites, Runs, S, T.Sum);
        Called.Measures[M].Time += partOfCalled(Sites, Runs, S, T.Time);
      }
      for (MeasureId M = 0; M < R.Measures.size(); ++M)
        for (const auto &[S, Amount] : MeasureParts[M][L].Self)
          if (Counts(S))
            R.Measures[M].Self += Amount;
      for (const auto &[S, Amount] : Parts[L].Self)
        if (!Counts(S))
          continue;
        else if (Sites[S].isOverlay() && !Sites.isPlansOfBackward(S))
          R.Backward.Self += Amount;
        else
          R.addSelf(Sites[S], Amount);
      auto HasRuns = [&](uint32_t S) {
        return !Outside && Counts(S) && !Sites[S].isOverlay();
      };
      for (const auto &[S, Amount] : Parts[L].RunsInside) {
        if (!HasRuns(S))
          continue;
        UInt128 Twice = takeInside(R.Total, Called.Total, Amount);
        if (Sites[S].isAside())
          R.AsideTotal -= std::min(Twice, R.AsideTotal);
      }
      for (MeasureId M = 0; M < R.Measures.size(); ++M)
        for (const auto &[S, Amount] : MeasureParts[M][L].RunsInside) {
          if (!HasRuns(S) || Sites.measures()[M].Fold == MeasureFold::Peak)
            continue;
          RowMeasure &Of = R.Measures[M], &OfCalled = Called.Measures[M];
          takeInside(Of.Total, OfCalled.Total, Amount);
          takeInside(Of.Time, OfCalled.Time,
                     measuredInside(Lane, Parts[L], M, S));
        }
      // A thread of autograd's engine may have computed nothing but gradients,
      // or made nothing but plans for them.
      if (R.Members || R.Self || R.Backward.Self || R.Backward.Calls)
        Rows.push_back(std::move(R));
    }
  }
  return Rows;
}
