//===- SiteTable.cpp - add profiles to a table of sites -------------------===//

#include "SiteTable.h"
#include "../Profile/EnumNames.h"
#include "SiteKey.h"

#include "llvm/ADT/Twine.h"

#include <cmath>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// Finds a model with the same layers and takes \p M for it.
bool SiteTable::addSameLayers(const Model &M, SlotToSite &Slots) {
  std::map<SiteKey, uint32_t> Wanted;
  for (const SiteKey &Key : siteKeys(*M.Table))
    Wanted.emplace(Key, static_cast<uint32_t>(Wanted.size()));
  for (const auto &[First, Table] : Models) {
    if (Table->Sites.size() != Wanted.size())
      continue;
    std::vector<uint32_t> SiteOf(Wanted.size(), NoIndex);
    uint32_t S = First;
    for (const SiteKey &Key : siteKeys(*Table)) {
      auto It = Wanted.find(Key);
      if (It == Wanted.end())
        break;
      SiteOf[It->second] = S++;
    }
    if (S - First == Wanted.size()) {
      Slots.add(M.FirstSlot, std::move(SiteOf));
      return true;
    }
  }
  return false;
}

void SiteTable::addModel(const Model &M, const AddOptions &Options,
                         SlotToSite &Slots) {
  if (Options.SameLayers && !FirstSiteOfModel.count(M.Table->ModelId) &&
      addSameLayers(M, Slots))
    return;
  auto [Known, IsNew] = FirstSiteOfModel.emplace(
      M.Table->ModelId, static_cast<uint32_t>(Sites.size()));
  auto Count = static_cast<uint32_t>(M.Table->Sites.size());
  uint32_t First = Known->second;
  if (!IsNew && Sites[First].Origin->manifest()->Sites.size() != Count) {
    Warnings.push_back("model " + std::to_string(M.Table->ModelId) +
                       " has other sites than in an earlier file; left out");
    return;
  }
  Slots.add(M.FirstSlot, Count, First);
  if (!IsNew)
    return;
  Models.emplace_back(First, M.Table);
  ModelOrigins.push_back(std::make_unique<ManifestOrigin>(M.Table));
  for (uint32_t I = 0; I < Count; ++I) {
    const ManifestSite &Entry = M.Table->Sites[I];
    Site S;
    S.Origin = ModelOrigins.back().get();
    S.Index = I;
    S.Flags = Entry.Flags;
    S.Async = Entry.Flags & SF_Async;
    S.Place = S.Root = First + I;
    if (Entry.Parent != NoIndex) {
      S.Parent = First + Entry.Parent;
      S.Root = Sites[S.Parent].Root;
      S.Async |= Sites[S.Parent].Async;
    }
    Sites.push_back(S);
  }
  Measured.resize(Sites.size());
}

uint32_t SiteTable::addDynamic(uint32_t Parent, StringRef Kind,
                               StringRef Name) {
  auto [Known, IsNew] =
      DynamicSites.emplace(std::make_tuple(Parent, Kind.str(), Name.str()),
                           static_cast<uint32_t>(Sites.size()));
  if (IsNew) {
    Site S;
    S.Origin = Dynamic.get();
    S.Index = Dynamic->add(Kind, Name);
    S.Dynamic = true;
    S.Parent = Parent;
    S.Place = Known->second;
    if (Parent != NoIndex) {
      S.Place = Sites[Parent].Place;
      S.Root = Sites[Parent].Root;
      S.Async = Sites[Parent].Async;
    }
    S.Gradient = Kind == nameOf(format::DynamicKind::Backward);
    if (S.Gradient && Parent != NoIndex)
      GradientsOf[Parent].push_back(Known->second);
    Sites.push_back(S);
    Measured.emplace_back();
    forgetParts();
  }
  return Known->second;
}

std::string SiteTable::placeIn(uint32_t Parent) const {
  if (Parent == NoIndex)
    return "in ?";
  // Part of an identity, which other models must not change.
  return "in " + (Sites[Parent].isRoot() ? name(Parent).str() : label(Parent));
}

uint32_t SiteTable::addPart(uint32_t Parent, StringRef Kind, bool IsAsync) {
  uint32_t S = addDynamic(Parent, Kind, placeIn(Parent));
  Sites[S].NoNode = true;
  if (IsAsync) {
    Sites[S].Async = true;
    Sites[S].Flags |= SF_Async;
  }
  return S;
}

uint32_t SiteTable::addOperator(uint32_t Parent, StringRef Name) {
  size_t Before = Sites.size();
  uint32_t S = addDynamic(Parent, Name, placeIn(Parent));
  if (S < Before)
    return S;
  Sites[S].Operator = true;
  Sites[S].Gradient = false; // whatever it is called
  Sites[S].InGradient =
      Parent != NoIndex && (Sites[Parent].Gradient || Sites[Parent].InGradient);
  if (!Sites[S].InGradient)
    return S;
  uint32_t Gradient = Parent;
  while (!Sites[Gradient].Gradient)
    Gradient = Sites[Gradient].Parent;
  if (Sites[Gradient].Parent != NoIndex)
    GradientOperatorsOf[Sites[Gradient].Parent].push_back(S);
  return S;
}

SlotToSite SiteTable::addSites(const Profile &P, AddOptions Options) {
  SlotToSite Slots;
  for (const Model &M : P.Models)
    addModel(M, Options, Slots);
  for (const DynamicSite &D : P.DynamicSites) {
    uint32_t Parent = Slots[D.Parent];
    if (!format::hasSpans(D.Kind)) {
      if (Parent != NoIndex && D.Kind == format::DynamicKind::Group)
        Groups.emplace(Parent, D.Name);
      if (Parent != NoIndex && D.Kind == format::DynamicKind::LeftOut)
        LeftOut.insert(Parent);
      if (Parent != NoIndex && D.Kind == format::DynamicKind::Member)
        addFused(P, D, Slots);
      continue;
    }
    if (D.Kind == format::DynamicKind::Operator)
      Slots.add(D.Slot, 1,
                Options.Operators ? addOperator(Parent, D.Name) : Parent);
    else if (format::isNoNode(D.Kind))
      Slots.add(
          D.Slot, 1,
          addPart(Parent, nameOf(D.Kind), D.Name == format::BesideParent));
    else
      Slots.add(D.Slot, 1, addDynamic(Parent, nameOf(D.Kind), D.Name));
  }
  TickClock Other(P);
  if (ProfileCount++ == 0)
    Clock = Other;
  if (!Other.rateKnown())
    Warnings.push_back(P.FileName + ": the clock's rate is not known; "
                                    "one tick is taken as one nanosecond");
  forgetParts();
  return Slots;
}

double SiteTable::scaleTo(const TickClock &Other) {
  double Scale = Other.nsPerTick() / Clock.nsPerTick();
  // Two clocks a million times apart are one damaged file, not two machines.
  if (std::isfinite(Scale) && Scale > 1e-6 && Scale < 1e6)
    return Scale;
  Warnings.push_back("the clocks' rates are too far apart to be compared");
  return 1;
}

/// Adds the part of a cell that ran in frames inside of a part of a site.
static void addInside(Aggregate &To, const format::Cell &C, double Scale) {
  To.Nested += scaled(C.Nested, Scale);
  To.Gradients += scaled(C.Gradients, Scale);
}

void SiteTable::addCells(const Profile &P, const Lane &L,
                         const SlotToSite &Slots, const PartSlots &Parts,
                         const AddOptions &Options, double Scale) {
  uint64_t Unknown = 0;
  double PairOffset = P.Process.PairOffsetTicksX16 / 16.0 * Scale;
  auto AddTo = [&](Aggregate &A, const format::Cell &C, bool GoesOn) {
    A.add(C, Scale, Options.Histograms, GoesOn);
    A.PairTicks += static_cast<double>(C.Pairs) * PairOffset;
  };
  std::set<uint32_t> OfThisEpoch;
  // Whose first calls, of all lanes', are this one's: joined parts have a cell
  // each, in their order.
  std::set<uint32_t> HasFirst;
  format::Cell Copy;
  for (ArrayRef<format::Cell> Cells : L.Cells)
    for (const format::Cell &Source : Cells) {
      const format::Cell *C = &Source;
      bool Whole = !(Source.Word & 1);
      if (P.maybeLive()) {
        Whole = readCell(Source, Copy, /*Live=*/true);
        C = &Copy;
      }
      uint32_t S = Slots[Source.Site];
      if (S == NoIndex) {
        ++Unknown;
        continue;
      }
      if (!Whole) {
        warnOfTorn(P, L, S, "left out");
        continue;
      }
      // Not touched since the last reset: what it holds was thrown away.
      if (C->Epoch != static_cast<uint32_t>(P.Epoch))
        continue;
      if (Parts.count(Source.Site)) {
        addInside(Measured[S], *C, Scale);
        if (Options.Lanes)
          addInside(Lanes.back().Measured[S], *C, Scale);
        continue;
      }
      OfThisEpoch.insert(S);
      if (Measured[S].First.empty())
        HasFirst.insert(S);
      AddTo(Measured[S], *C, HasFirst.count(S));
      if (Options.Lanes)
        AddTo(Lanes.back().Measured[S], *C, /*GoesOn=*/true);
    }
  for (const RunRing &R : L.Runs)
    if (uint32_t S = Slots[R.Slot]; S != NoIndex && OfThisEpoch.count(S))
      RunCounts[S] += R.Count;
  if (Unknown)
    Warnings.push_back(P.FileName + ": " + L.name() + ": left out " +
                       std::to_string(Unknown) +
                       " cells of slots that no model or region has");
}

void SiteTable::warnOfTorn(const Profile &P, const Lane &L, uint32_t S,
                           StringRef What) {
  std::string Text =
      (P.FileName + ": " + L.name() + ": " + kind(S) + " " + name(S) + ": " +
       What + ", its cell was being written when the process died")
          .str();
  if (!is_contained(Warnings, Text)) // of several measures in a cell
    Warnings.push_back(std::move(Text));
}

void SiteTable::addMeasures(const Profile &P, const Lane &L, uint32_t Lane,
                            const SlotToSite &Slots, const PartSlots &Parts,
                            double Scale) {
  for (const MeasureCells &Cells : L.Measures) {
    MeasureId M = declareMeasure({Cells.Name, Cells.Unit, Cells.Sum});
    for (const MeasuredSlot &Source : Cells.Cells) {
      MeasuredSlot C;
      uint32_t S = Slots[Source.Site];
      bool Whole = readCell(Source, C, P.maybeLive());
      if (S == NoIndex || C.Epoch != static_cast<uint32_t>(P.Epoch))
        continue;
      if (!Whole)
        warnOfTorn(P, L, S, PartMissing);
      if (Parts.count(Source.Site)) {
        addMeasure(M, S, Lane, {0, 0, 0, C.Nested, 0});
        continue;
      }
      auto Time = static_cast<uint64_t>(
          std::llround(static_cast<double>(C.Time) * Scale));
      addMeasure(
          M, S, Lane,
          {C.Word / 2, C.Sum, C.Max, C.Nested, Scale == 1 ? C.Time : Time});
    }
  }
}

void SiteTable::addProbeCost(const Profile &P,
                             const std::vector<uint64_t> &Before) {
  double Explicit = P.Process.ExplicitProbeTicksX16 / 16.0;
  double Lowered = P.Process.LoweredProbeTicksX16 / 16.0;
  // Only single nodes are lowered, and only when the executor optimized.
  if (Lowered == 0 || P.counter(format::Counter::LoweredPairs) == 0)
    Lowered = Explicit;
  double Scale = TickClock(P).nsPerTick() / Clock.nsPerTick();
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    bool IsPair = Sites[S].NoNode;
    if (Sites[S].Dynamic && !IsPair) // its cost was not calibrated
      continue;
    uint64_t Spans = Measured[S].Begins - (S < Before.size() ? Before[S] : 0);
    IsPair |=
        Sites[S].Async || (Sites[S].Flags & (SF_Root | SF_Module | SF_Control));
    double Ticks =
        static_cast<double>(Spans) * (IsPair ? Explicit : Lowered) * Scale;
    ProbeTicks[Sites[S].Root] += Ticks;
    (IsPair ? PairProbes : NodeProbes) += {Spans, Ticks};
  }
  for (const Lane &L : P.Lanes)
    ApartTicks += static_cast<double>(L.ApartTicks) * Scale;
}

uint32_t SiteTable::rootOf(const format::PlanEvent &E,
                           const SlotToSite &Slots) const {
  uint32_t S = Slots[E.Root] == NoIndex ? Slots[E.First] : Slots[E.Root];
  return S == NoIndex ? NoIndex : Sites[S].Root;
}

uint32_t SiteTable::runRootOf(const format::PlanEvent &E,
                              const SlotToSite &Slots) const {
  uint32_t S = Slots[format::runRootOf(E)];
  return S == NoIndex ? rootOf(E, Slots) : Sites[S].Root;
}

/// True for a plan, but of a gradient, that was made in the middle of a run.
/// Others are made before one or beside it.
static bool isMadeInRun(const format::PlanEvent &E) {
  if (E.Part == format::PlanPart::Backward)
    return false;
  // Its method, whose parts may be made with it, is called in another one.
  if (E.Flags & format::PF_InRun)
    return true;
  // A run may go on on a thread that does not know of it.
  return !(E.Flags & format::PF_BeforeRun) &&
         (E.Part == format::PlanPart::Forward ||
          E.Part == format::PlanPart::Fallback);
}

void SiteTable::addPlans(const Profile &P, const SlotToSite &Slots,
                         double Scale) {
  for (const format::PlanEvent &E : P.Plans) {
    bool IsInRun = isMadeInRun(E);
    bool IsOfBackward = E.Part == format::PlanPart::Backward &&
                        !(E.Flags & format::PF_BeforeRun);
    if (!E.Run || (!IsInRun && !IsOfBackward))
      continue;
    uint32_t Root = rootOf(E, Slots), RunRoot = runRootOf(E, Slots);
    double Ticks = static_cast<double>(E.Ticks) * Scale;
    if (IsInRun)
      PlanTicks[{RunRoot, Root}] += Ticks;
    if (E.Run != 1 || RunRoot == NoIndex || !Measured[RunRoot].First.empty())
      continue;
    if (IsInRun)
      FirstPlanTicks[{RunRoot, Root}] += Ticks;
    else
      FirstBackwardPlanTicks[Root] += Ticks;
  }
}

/// How often durations of a profile came to be ticks of another clock, if a
/// tick of it is as long as \p Scale of those that are wanted.
static unsigned timesRescaled(const Profile &P, double Scale) {
  // Two measurements of one clock's rate differ by less: durations stay in
  // their buckets, and percentiles within the bound as people see it.
  constexpr double OneClock = 2e-4;
  constexpr uint64_t Most = 100; // no more of a damaged file
  uint64_t Before = std::min(P.counter(format::Counter::Rescaled), Most);
  return static_cast<unsigned>(Before) + (std::fabs(Scale - 1) > OneClock);
}

SlotToSite SiteTable::add(const Profile &P, AddOptions Options) {
  if (std::optional<std::string> Text = Processes.add(P))
    Warnings.push_back(std::move(*Text));
  SlotToSite Slots = addSites(P, Options);
  double Scale = scaleTo(TickClock(P));
  ProcessCount += std::max<uint64_t>(P.counter(format::Counter::Merged), 1);
  Rescaled = std::max(Rescaled, timesRescaled(P, Scale));
  std::vector<uint64_t> Before;
  if (ProfileCount > 1)
    for (const Aggregate &A : Measured)
      Before.push_back(A.Begins);
  PartSlots Parts;
  if (!Options.Operators)
    for (const DynamicSite &D : P.DynamicSites)
      if (D.Kind == format::DynamicKind::Operator)
        Parts.insert(D.Slot);
  addPlans(P, Slots, Scale); // before cells say which run was the first
  for (const Lane &L : P.Lanes) {
    if (Options.Lanes)
      Lanes.push_back({P.FileName, L.name(), {}, {}});
    addCells(P, L, Slots, Parts, Options, Scale);
    addMeasures(
        P, L, Options.Lanes ? static_cast<uint32_t>(Lanes.size()) - 1 : NoIndex,
        Slots, Parts, Scale);
  }
  for (const auto &[Slot, Spans] : P.EndedElsewhere)
    if (uint32_t S = Slots[Slot]; S != NoIndex && !Parts.count(Slot))
      Measured[S].EndedElsewhere += Spans;
  addVariants(P, Slots, Scale);
  addProbeCost(P, Before);
  for (unsigned I = 0; I < format::CounterCapacity; ++I)
    Counters[I] += P.Process.Counters[I];
  return Slots;
}
