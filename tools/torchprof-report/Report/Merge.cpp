//===- Merge.cpp - many profiles as one -----------------------------------===//

#include "Merge.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static std::string hexList(const std::set<uint64_t> &Ids) {
  std::string Text;
  for (uint64_t Id : Ids)
    Text += (Text.empty() ? "" : ", ") + utohexstr(Id, /*LowerCase=*/true);
  return Text.empty() ? "no model" : Text;
}

Error Merger::add(const Profile &P) {
  std::set<uint64_t> Ids;
  for (const Model &M : P.Models)
    Ids.insert(M.Table->ModelId);
  bool First = Sites.profiles() == 0;
  if (First) {
    ModelIds = Ids;
    Result.Process = P.Process;
    Result.Anchors = P.Anchors;
    Result.AnchorIntervalNs = P.AnchorIntervalNs;
  } else if (!Mixed && Ids != ModelIds) {
    return createStringError(inconvertibleErrorCode(),
                             P.FileName +
                                 ": expected the models of the first "
                                 "file (" +
                                 hexList(ModelIds) + "), found " +
                                 hexList(Ids) + "; --mixed merges them");
  }
  uint64_t Before = P.counter(format::Counter::Merged);
  Merged += Before ? Before : 1;
  Sites.add(P);
  double Scale = TickClock(P).nsPerTick() / Sites.clock().nsPerTick();
  for (const Lane &L : P.Lanes) {
    DroppedTrace |= !L.Traces.empty();
    for (const RunRing &R : L.Runs) {
      uint32_t Root = Sites.siteOfSlot(R.Slot);
      if (Root == NoIndex)
        continue;
      RunCounts[Root] += R.Count;
      std::deque<format::RunSample> &Ring = Runs[Root];
      for (format::RunSample S : R.Samples) {
        if (Scale != 1)
          S.LatencyTicks = static_cast<uint64_t>(
              static_cast<double>(S.LatencyTicks) * Scale + 0.5);
        Ring.push_back(S);
        if (Ring.size() > format::RunsCapacity)
          Ring.pop_front();
      }
    }
  }
  return Error::success();
}

/// The cell of an aggregate. False if a number does not fit.
static bool makeCell(const Aggregate &A, uint32_t Slot, format::Cell &C) {
  C = {};
  C.Slot = Slot;
  if (A.Sum >> 64 || A.Nested >> 64 || A.Count >> 63)
    return false;
  C.Word = A.Count * 2;
  C.Begins = A.Begins;
  C.Cut = A.Cut;
  C.Sum = static_cast<uint64_t>(A.Sum);
  C.SquaresLow = static_cast<uint64_t>(A.Squares);
  C.SquaresHigh = static_cast<uint64_t>(A.Squares >> 64);
  C.Min = A.Count ? A.Min : 0;
  C.Max = A.Max;
  C.Nested = static_cast<uint64_t>(A.Nested);
  for (size_t I = 0; I < A.First.size(); ++I)
    C.First[I] = A.First[I];
  for (size_t I = 0; I < A.Histogram.size(); ++I) {
    if (A.Histogram[I] >> 48)
      return false;
    C.HistogramLow[I] = static_cast<uint32_t>(A.Histogram[I]);
    C.HistogramHigh[I] = static_cast<uint16_t>(A.Histogram[I] >> 32);
  }
  return true;
}

Expected<Profile> Merger::finish() {
  Profile &P = Result;
  P.State = format::FileState::Merged;
  for (unsigned I = 0; I < format::CounterCapacity; ++I)
    P.Process.Counters[I] = Sites.counter(static_cast<format::Counter>(I));
  P.Process.Counters[static_cast<unsigned>(format::Counter::Merged)] = Merged;
  P.Process.Mode = format::RecordMode::Aggregate;
  Lane L;
  L.Record.State = format::LaneState::Free;
  L.Record.CurrentSlot = format::NoSlot;
  L.Record.Threads = 1;
  setFixedText(L.Record.Name, "merged");
  std::vector<format::Cell> Cells;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    // Sites are numbered as slots are: models first, then what comes.
    if (Sites[S].isRegion())
      P.Regions.push_back({S, Sites[S].RegionName});
    else if (Sites[S].Index == 0)
      P.Models.push_back({S, Sites[S].Table});
    if (!Sites.reached(S) && Sites.measured(S).Cut == 0)
      continue;
    if (!makeCell(Sites.measured(S), S, Cells.emplace_back()))
      return createStringError(inconvertibleErrorCode(),
                               Sites.kind(S) + " " + Sites.name(S) +
                                   ": expected a sum of 64 bits, found more");
  }
  for (const auto &[S, Members] : Sites.groups())
    P.Groups.push_back({S, Members});
  L.Cells.push_back(P.keep(ArrayRef<format::Cell>(Cells)));
  for (const auto &[Root, Ring] : Runs) {
    std::vector<format::RunSample> Samples(Ring.begin(), Ring.end());
    // Sample i of Count lies at i % Capacity; a merged ring begins anew.
    RunRing R;
    R.Slot = Root;
    R.Capacity = static_cast<uint32_t>(Samples.size());
    R.Count = Samples.size();
    R.Samples = P.keep(ArrayRef<format::RunSample>(Samples));
    L.Runs.push_back(R);
  }
  P.Lanes.push_back(std::move(L));
  return std::move(Result);
}
