//===- Merge.cpp - many profiles as one -----------------------------------===//

#include "Merge.h"

#include "../Profile/Aggregate.h"
#include "../Profile/EnumNames.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static std::string hexList(const std::set<uint64_t> &Ids) {
  std::string Text;
  for (uint64_t Id : Ids)
    Text += (Text.empty() ? "" : ", ") + utohexstr(Id, /*LowerCase=*/true);
  return Text.empty() ? "no model" : Text;
}

/// Of several machines, or of one measured again, takes the higher one of each
/// limit, as Roof::raise() does.
static void raiseLimits(format::MachineRecord &To,
                        const format::MachineRecord &Of) {
  if (!Of.Threads) // not measured
    return;
  if (!To.Threads || Of.FlopsPerSecond > To.FlopsPerSecond)
    To.Threads = Of.Threads;
  To.FlopsPerSecond = std::max(To.FlopsPerSecond, Of.FlopsPerSecond);
  To.BytesPerSecond = std::max(To.BytesPerSecond, Of.BytesPerSecond);
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
  raiseLimits(Result.Machine, P.Machine);
  uint64_t Before = P.counter(format::Counter::Merged);
  Merged += Before ? Before : 1;
  AddOptions Options;
  Options.Operators = true;
  Options.SameLayers = Mixed;
  SlotToSite Slots = Sites.add(P, Options);
  TickClock Clock(P);
  double Scale = Clock.nsPerTick() / Sites.clock().nsPerTick();
  addEvents(P, Slots, Clock, Scale);
  for (const Optional<BlockBooks> &Books : P.Books)
    if (Books)
      Dropped.insert("books of memory");
  for (const Lane &L : P.Lanes) {
    if (!L.Traces.empty() || !L.DeviceSpans.empty())
      Dropped.insert("traces");
    if (any_of(L.Levels, [](const LevelRing &R) { return R.OfRuns; }))
      Dropped.insert("peaks of runs");
    addMeasures(P, L, Slots, Scale);
    for (const RunRing &R : L.Runs) {
      uint32_t Root = Slots[R.Slot];
      if (Root == NoIndex)
        continue;
      RunCounts[Root] += R.Count;
      std::vector<format::RunSample> &Samples = Runs[Root];
      for (format::RunSample S : R.Samples) {
        S.EndTicks = Sites.clock().tickOf(Clock, S.EndTicks);
        S.LatencyTicks = static_cast<uint64_t>(scaled(S.LatencyTicks, Scale));
        Samples.push_back(S);
      }
      keepNewest(Samples);
    }
  }
  return Error::success();
}

/// Sorts runs by time: rings begin anywhere, lanes overlap, and files are named
/// in any order. Those that ended before the first file's start have ticks
/// below its own, which may wrap.
void Merger::keepNewest(std::vector<format::RunSample> &Samples) const {
  stable_sort(Samples, [&](const auto &A, const auto &B) {
    return Sites.clock().sinceStart(A.EndTicks) <
           Sites.clock().sinceStart(B.EndTicks);
  });
  if (Samples.size() > format::RunsCapacity)
    Samples.erase(Samples.begin(), Samples.end() - format::RunsCapacity);
}

void Merger::addEvents(const Profile &P, const SlotToSite &Slots,
                       const TickClock &Clock, double Scale) {
  // A site's number is its slot.
  auto SlotOf = [&](format::Slot Slot) {
    uint32_t S = Slots[Slot];
    return S == NoIndex ? format::NoSlot : format::Slot(S);
  };
  for (format::PlanEvent E : P.Plans) {
    E.Root = SlotOf(E.Root);
    E.First = SlotOf(E.First);
    E.Caller = SlotOf(E.Caller);
    E.Ticks = static_cast<uint64_t>(scaled(E.Ticks, Scale));
    E.OwnTicks = static_cast<uint64_t>(scaled(E.OwnTicks, Scale));
    E.BeginTicks = Sites.clock().tickOf(Clock, E.BeginTicks);
    Result.Plans.push_back(E);
  }
  for (format::LoadEvent E : P.Loads) {
    E.BeginTicks = Sites.clock().tickOf(Clock, E.BeginTicks);
    E.Ticks = static_cast<uint64_t>(scaled(E.Ticks, Scale));
    Result.Loads.push_back(E);
  }
}

void Merger::addMeasures(const Profile &P, const Lane &L,
                         const SlotToSite &Slots, double Scale) {
  for (const MeasureCells &M : L.Measures) {
    MeasureSums &Sums = Measures[{M.Name, M.Id}];
    Sums.Head = {M.Id, M.Unit, M.Sum, M.Name, {}};
    for (const MeasuredSlot &Source : M.Cells) {
      MeasuredSlot C = Source;
      uint32_t S = Slots[Source.Site];
      C.Word =
          2 * (M.Sum == format::MeasureSum::Sum ? countOf(C.Word, C.Sum, C.Max)
                                                : C.Word / 2);
      if (S != NoIndex && C.Epoch == static_cast<uint32_t>(P.Epoch))
        addMeasure(Sums.OfSite[S], C, M.Sum, Scale);
    }
  }
}

void Merger::finishMeasures(Lane &L) {
  for (auto &[Key, Sums] : Measures) {
    std::vector<MeasuredSlot> Cells;
    for (auto &[S, C] : Sums.OfSite) {
      C.Site = format::Slot(S);
      Cells.push_back(C);
    }
    Sums.Head.Cells = Result.keep(ArrayRef<MeasuredSlot>(Cells));
    L.Measures.push_back(Sums.Head);
  }
}

/// Gives what is said of sites slots behind all others.
void Merger::addNotes() {
  auto Next = Result.endOfSlots();
  auto Add = [&](uint32_t S, format::DynamicKind Kind, std::string Text) {
    Result.DynamicSites.push_back(
        {Next, format::Slot(S), Kind, 0, std::move(Text)});
    Next = Next + 1;
  };
  for (const auto &[S, Members] : Sites.groups())
    Add(S, format::DynamicKind::Group, Members);
  for (const auto &[Leader, Members] : Sites.fused())
    for (uint32_t S : Members)
      Add(Leader, format::DynamicKind::Member, std::to_string(Sites[S].Index));
  for (uint32_t S : Sites.leftOut())
    Add(S, format::DynamicKind::LeftOut, "");
}

/// The same for the sites' signatures.
void Merger::finishVariants(Lane &L) {
  auto Next = Result.endOfSlots();
  std::vector<format::VariantCell> Cells;
  for (uint32_t S = 0; S < Sites.size(); ++S)
    for (const SiteVariant &V : Sites.variants(S)) {
      format::VariantCell C = {};
      C.Site = format::Slot(S);
      C.Signature = Next;
      C.Word = 2 * V.Count;
      C.Time = static_cast<uint64_t>(
          std::min<UInt128>(V.Sum, std::numeric_limits<uint64_t>::max()));
      C.Min = V.Min;
      C.Max = V.Max;
      C.FirstTicks = V.FirstTicks;
      C.NetBytes = static_cast<int64_t>(V.NetBytes);
      Cells.push_back(C);
      Result.DynamicSites.push_back({Next, C.Site, format::DynamicKind::Shape,
                                     V.IsOthers ? format::DF_Overflow : 0u,
                                     V.Signature});
      Next = Next + 1;
    }
  if (!Cells.empty())
    L.Variants.push_back(Result.keep(ArrayRef<format::VariantCell>(Cells)));
}

/// Makes the pairs read as much too much as they did in their processes.
void Merger::mergePairOffset() {
  uint64_t Pairs = 0;
  double Ticks = 0;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    Pairs += Sites.measured(S).Pairs;
    Ticks += Sites.measured(S).PairTicks;
  }
  if (Pairs)
    Result.Process.PairOffsetTicksX16 = static_cast<uint64_t>(
        std::llround(16 * Ticks / static_cast<double>(Pairs)));
}

/// Makes the probes cost as much as they did in their processes together.
void Merger::mergeProbeCost() {
  auto SetMean = [](uint64_t &TicksX16, const ProbeSum &Of) {
    if (Of.Spans)
      TicksX16 = static_cast<uint64_t>(
          std::llround(16 * Of.Ticks / static_cast<double>(Of.Spans)));
  };
  ProbeSum Pairs = Sites.pairProbes();
  // If no process has lowered any, those of nodes are read as pairs.
  if (Sites.counter(format::Counter::LoweredPairs))
    SetMean(Result.Process.LoweredProbeTicksX16, Sites.nodeProbes());
  else
    Pairs += Sites.nodeProbes();
  SetMean(Result.Process.ExplicitProbeTicksX16, Pairs);
}

Expected<Profile> Merger::finish() {
  Profile &P = Result;
  P.State = format::FileState::Merged;
  for (unsigned I = 0; I < format::CounterCapacity; ++I)
    P.Process.Counters[I] = Sites.counter(static_cast<format::Counter>(I));
  P.Process.Counters[static_cast<unsigned>(format::Counter::Merged)] = Merged;
  P.Process.Counters[static_cast<unsigned>(format::Counter::Rescaled)] =
      Sites.rescaled();
  P.Process.Mode = format::RecordMode::Aggregate;
  Lane L;
  L.Record.State = format::LaneState::Free;
  L.Record.Threads = 1;
  setFixedText(L.Record.Name, "merged");
  L.ApartTicks = static_cast<uint64_t>(std::llround(Sites.apartTicks()));
  mergePairOffset();
  mergeProbeCost();
  std::vector<format::Cell> Cells;
  // A site's number is its slot.
  for (const auto &[FirstSite, Table] : Sites.models())
    P.Models.push_back({format::Slot(FirstSite), Table});
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    auto Slot = format::Slot(S);
    if (Sites[S].Operator)
      P.DynamicSites.push_back({Slot, format::Slot(Sites[S].Parent),
                                format::DynamicKind::Operator, 0,
                                Sites.kind(S).str()});
    else if (Sites[S].NoNode)
      P.DynamicSites.push_back(
          {Slot, format::Slot(Sites[S].Parent),
           valueOf(Sites.kind(S), format::DynamicKind::Attributes), 0,
           Sites[S].Flags & SF_Async ? format::BesideParent : ""});
    else if (Sites[S].Dynamic)
      P.DynamicSites.push_back(
          {Slot, format::Slot(Sites[S].Parent),
           valueOf(Sites.kind(S), format::DynamicKind::Region), 0,
           Sites.name(S).str()});
    if (!Sites.reached(S) && Sites.measured(S).Cut == 0)
      continue;
    if (!Sites.measured(S).appendCells(Slot, Cells))
      return createStringError(inconvertibleErrorCode(),
                               Sites.kind(S) + " " + Sites.name(S) +
                                   ": expected a sum of 64 bits, found more");
  }
  addNotes();
  L.Cells.push_back(P.keep(ArrayRef<format::Cell>(Cells)));
  for (auto &[Root, Samples] : Runs) {
    uint64_t Count = std::max<uint64_t>(RunCounts[Root], Samples.size());
    L.Runs.push_back(fullRing(P, format::Slot(Root), Samples, Count));
  }
  finishMeasures(L);
  finishVariants(L);
  P.Lanes.push_back(std::move(L));
  return std::move(Result);
}
