//===- SiteTable.cpp - the sites of profiles and what they measured -------===//

#include "SiteTable.h"

#include "llvm/ADT/Twine.h"

#include <cmath>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

//===----------------------------------------------------------------------===//
// Adding profiles
//===----------------------------------------------------------------------===//

void SiteTable::addModel(const Model &M) {
  auto [Known, IsNew] = FirstSiteOfModel.emplace(
      M.Table->ModelId, static_cast<uint32_t>(Sites.size()));
  auto Count = static_cast<uint32_t>(M.Table->Sites.size());
  uint32_t First = Known->second;
  if (!IsNew && Sites[First].Table->Sites.size() != Count) {
    Warnings.push_back("model " + std::to_string(M.Table->ModelId) +
                       " has other sites than in an earlier file; left out");
    return;
  }
  if (Count)
    SlotRanges[M.FirstSlot] = {Count, First};
  if (!IsNew)
    return;
  for (uint32_t I = 0; I < Count; ++I) {
    const ManifestSite &Entry = M.Table->Sites[I];
    Site S;
    S.Table = M.Table;
    S.Index = I;
    S.Flags = Entry.Flags;
    S.Async = Entry.Flags & SF_Async;
    S.Root = First + I;
    if (Entry.Parent != NoIndex) {
      S.Parent = First + Entry.Parent;
      S.Root = Sites[S.Parent].Root;
      S.Async |= Sites[S.Parent].Async;
    }
    Sites.push_back(std::move(S));
  }
  Measured.resize(Sites.size());
}

uint32_t SiteTable::addRegion(const DynamicSite &D) {
  uint32_t Around = siteOfSlot(D.Parent);
  auto [Known, IsNew] = SiteOfRegion.emplace(
      std::make_pair(Around, D.Name), static_cast<uint32_t>(Sites.size()));
  if (IsNew) {
    Site S;
    S.RegionName = D.Name;
    S.Around = Around;
    S.DynamicFlags = D.Flags;
    Sites.push_back(std::move(S));
    Measured.emplace_back();
  }
  return Known->second;
}

void SiteTable::addSites(const Profile &P) {
  SlotRanges.clear();
  for (const Model &M : P.Models)
    addModel(M);
  for (const DynamicSite &D : P.DynamicSites) {
    if (D.Kind != format::DynamicKind::Group)
      SlotRanges[D.Slot] = {1, addRegion(D)};
    else if (uint32_t S = siteOfSlot(D.Parent); S != NoIndex)
      Groups.emplace(S, D.Name);
  }
  TickClock Other(P);
  if (ProfileCount++ == 0)
    Clock = Other;
  if (!Other.rateKnown())
    Warnings.push_back(P.FileName + ": the clock's rate is not known; "
                                    "one tick is taken as one nanosecond");
}

uint32_t SiteTable::siteOfSlot(format::Slot Slot) const {
  auto Range = SlotRanges.upper_bound(Slot);
  if (Range == SlotRanges.begin())
    return NoIndex;
  --Range;
  uint32_t Offset = Slot - Range->first;
  return Offset < Range->second.first ? Range->second.second + Offset : NoIndex;
}

double SiteTable::scaleTo(const TickClock &Other) {
  double Scale = Other.nsPerTick() / Clock.nsPerTick();
  // Two clocks a million times apart are one damaged file, not two machines.
  if (std::isfinite(Scale) && Scale > 1e-6 && Scale < 1e6)
    return Scale;
  Warnings.push_back("the clocks' rates are too far apart to be compared");
  return 1;
}

void SiteTable::addCells(const Profile &P, const Lane &L, bool Histograms,
                         double Scale) {
  uint64_t Unknown = 0;
  format::Cell Copy;
  for (ArrayRef<format::Cell> Cells : L.Cells)
    for (const format::Cell &Source : Cells) {
      const format::Cell *C = &Source;
      bool Whole = !(Source.Word & 1);
      if (P.maybeLive()) {
        Whole = readCell(Source, Copy, /*Live=*/true);
        C = &Copy;
      }
      uint32_t S = siteOfSlot(Source.Site);
      if (S == NoIndex) {
        ++Unknown;
        continue;
      }
      if (!Whole) {
        Warnings.push_back(
            (P.FileName + ": " + L.name() + ": " + kind(S) + " " + name(S) +
             ": left out, its cell was being written when the process died")
                .str());
        continue;
      }
      // Not touched since the last reset: what it holds was thrown away.
      if (C->Epoch != static_cast<uint32_t>(P.Epoch))
        continue;
      Measured[S].add(*C, Scale, Histograms);
    }
  if (Unknown)
    Warnings.push_back(P.FileName + ": " + L.name() + ": left out " +
                       std::to_string(Unknown) +
                       " cells of slots that no model or region has");
}

void SiteTable::addProbeCost(const Profile &P,
                             const std::vector<uint64_t> &Before) {
  double Explicit = P.Process.ExplicitProbeTicksX16 / 16.0;
  double Lowered = P.Process.LoweredProbeTicksX16 / 16.0;
  // Only single nodes are lowered, and only when the executor optimized.
  if (Lowered == 0 || P.counter(format::Counter::LoweredPairs) == 0)
    Lowered = Explicit;
  double Ticks = 0;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (Sites[S].isRegion())
      continue;
    uint64_t Spans = Measured[S].Begins - (S < Before.size() ? Before[S] : 0);
    bool Wraps = Sites[S].Flags & (SF_Root | SF_Module | SF_Control | SF_Async);
    Ticks += static_cast<double>(Spans) * (Wraps ? Explicit : Lowered);
  }
  ProbeTicks += Ticks * TickClock(P).nsPerTick() / Clock.nsPerTick();
}

void SiteTable::add(const Profile &P, SelectCells Select) {
  addSites(P);
  ChildTotals.clear();
  double Scale = scaleTo(TickClock(P));
  std::vector<uint64_t> Before;
  if (ProfileCount > 1)
    for (const Aggregate &A : Measured)
      Before.push_back(A.Begins);
  for (const Lane &L : P.Lanes)
    if (Select.Lane == NoIndex || Select.Lane == L.Record.Lane)
      addCells(P, L, Select.Histograms, Scale);
  addProbeCost(P, Before);
  for (unsigned I = 0; I < format::CounterCapacity; ++I)
    Counters[I] += P.Process.Counters[I];
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringRef SiteTable::kind(uint32_t S) const {
  if (Sites[S].isRegion())
    return "region";
  return Sites[S].Table->string(Sites[S].entry().Kind);
}

StringRef SiteTable::overload(uint32_t S) const {
  if (Sites[S].isRegion())
    return "";
  return Sites[S].Table->string(Sites[S].entry().Overload);
}

StringRef SiteTable::name(uint32_t S) const {
  if (Sites[S].isRegion())
    return Sites[S].RegionName;
  return Sites[S].Table->string(Sites[S].entry().Name);
}

uint32_t SiteTable::scope(uint32_t S) const {
  return Sites[S].isRegion() ? NoIndex : Sites[S].entry().Scope;
}

std::string SiteTable::modulePath(uint32_t S) const {
  if (Sites[S].isRegion())
    return "";
  return Sites[S].Table->modulePath(Sites[S].entry().Scope);
}

StringRef SiteTable::className(uint32_t S) const {
  if (Sites[S].isRegion())
    return "";
  const Manifest &M = *Sites[S].Table;
  for (uint32_t I = Sites[S].entry().Scope; I != NoIndex;
       I = M.Scopes[I].Parent)
    if (M.Scopes[I].Class)
      return M.string(M.Scopes[I].Class);
  return "";
}

std::vector<Frame> SiteTable::frames(uint32_t S) const {
  std::vector<Frame> Frames;
  if (Sites[S].isRegion())
    return Frames;
  const Manifest &M = *Sites[S].Table;
  SourcePosition Position = Sites[S].entry().Source;
  for (uint32_t I = Sites[S].entry().Scope; I != NoIndex;
       I = M.Scopes[I].Parent) {
    const ManifestScope &Scope = M.Scopes[I];
    StringRef Function = M.string(Scope.Function);
    Frames.push_back(
        {Function.take_until([](char C) { return C == '('; }).str(),
         M.modulePath(I), M.string(Scope.Class), M.string(Position.File),
         Position.Line, Position.Column, M.string(Position.Text)});
    Position = Scope.Call;
  }
  return Frames;
}

/// True for a file of the torch package, in Python's tree or in a model's.
static bool isFrameworkFile(StringRef File) {
  return File.startswith("torch/") || File.contains("/torch/");
}

std::string SiteTable::source(uint32_t S) const {
  std::string Innermost;
  for (const Frame &F : frames(S)) {
    if (F.File.empty())
      continue;
    std::string Text = F.File + ":" + std::to_string(F.Line);
    if (!isFrameworkFile(F.File))
      return Text;
    if (Innermost.empty())
      Innermost = Text;
  }
  return Innermost.empty() ? "?" : Innermost;
}

StringRef SiteTable::signature(uint32_t Root) const {
  if (Sites[Root].isRegion())
    return "";
  const Manifest &M = *Sites[Root].Table;
  return M.string(M.Scopes[Sites[Root].entry().Scope].Function);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

__int128 SiteTable::self(uint32_t S) const {
  if (ChildTotals.size() != Sites.size()) {
    ChildTotals.assign(Sites.size(), 0);
    for (uint32_t I = 0; I < Sites.size(); ++I)
      if (Sites[I].Parent != NoIndex && !(Sites[I].Flags & SF_Async))
        ChildTotals[Sites[I].Parent] += Measured[I].Sum;
  }
  UInt128 Inside = ChildTotals[S] + Measured[S].Nested;
  return static_cast<__int128>(Measured[S].Sum) - static_cast<__int128>(Inside);
}
