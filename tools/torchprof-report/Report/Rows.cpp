//===- Rows.cpp - sites grouped into rows ---------------------------------===//

#include "Rows.h"
#include "ModuleCalls.h"
#include "RowNames.h"
#include "Signature.h"
#include "SiteKey.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// Adds what was measured for a member, but not its self.
static void addMeasure(RowMeasure &R, MeasureFold Fold, const MeasureTotal &T,
                       bool Outermost) {
  R.Count += T.Count;
  if (Fold == MeasureFold::Peak)
    R.Total = std::max<UInt128>(R.Total, T.Max);
  else if (Outermost)
    R.Total += T.Sum;
  if (Outermost)
    R.Time += T.Time;
}

/// True if the site's time is no part of what the runs took.
static bool isAside(const Site &S) { return S.Async || S.isOutside(); }

static void addTotal(Row &R, const Site &S, UInt128 Ticks) {
  R.Total += Ticks;
  if (isAside(S))
    R.AsideTotal += Ticks;
}

static void addSelf(Row &R, const Site &S, UInt128 Ticks) {
  R.Self += Ticks;
  if (isAside(S))
    R.AsideSelf += Ticks;
}

/// Adds a site to a row, or a part of one, but no numbers; what the members do
/// not agree on becomes empty.
static void addNames(Row &R, const SiteTable &Sites, uint32_t S,
                     const SiteNames &Names) {
  const std::string *From[] = {&Names.Kind,   &Names.Name,   &Names.Model,
                               &Names.Method, &Names.Module, &Names.Class,
                               &Names.Source, &Names.Key,    &Names.Label};
  std::string *Into[] = {&R.Kind,  &R.Name,   &R.Model, &R.Method, &R.Module,
                         &R.Class, &R.Source, &R.Key,   &R.Label};
  for (unsigned I = 0; I < std::size(From); ++I) {
    if (R.Members == 0)
      *Into[I] = *From[I];
    else if (*Into[I] != *From[I])
      Into[I]->clear();
  }
  if (R.Members++ == 0)
    R.Order = S;
  R.Outside &= isAside(Sites[S]);
  R.Overlay &= Sites[S].isRegion() && !Sites[S].isOutside();
}

/// Adds what \p Calls of the spans of \p Of have read too much.
static void addPairs(Row &R, const Aggregate &Of, uint64_t Calls) {
  if (!Of.Pairs || !R.PairTicks)
    return;
  bool WhoseIsKnown = Calls == Of.Count || Of.Pairs == Of.Count;
  if (!Of.PairTicks || !WhoseIsKnown)
    R.PairTicks = None;
  else
    *R.PairTicks += Of.PairTicks * static_cast<double>(Calls) /
                    static_cast<double>(Of.Count);
}

/// Adds what was measured of a site to a row.
static void addNumbers(Row &R, const SiteTable &Sites, uint32_t S,
                       bool Outermost) {
  addSelf(R, Sites[S], Sites.self(S).Amount);
  R.Clipped |= Sites.self(S).Excess != 0;
  if (Sites.isEstimated(S)) {
    R.Estimated = true;
    R.HasDistribution = false;
  }
  if (Outermost)
    addTotal(R, Sites[S], Sites.total(S));
  addPairs(R, Sites.measured(S), Sites.measured(S).Count);
  R.Backward += Sites.backwardOf(S);
  R.Measures.resize(Sites.measures().size());
  for (MeasureId M = 0; M < R.Measures.size(); ++M) {
    addMeasure(R.Measures[M], Sites.measures()[M].Fold, Sites.measured(M, S),
               Outermost);
    R.Measures[M].Self += Sites.self(M, S).Amount;
  }
}

/// Adds a site to a row.
static void addMember(Row &R, const SiteTable &Sites, uint32_t S,
                      const SiteNames &Names, bool Outermost) {
  addNames(R, Sites, S, Names);
  for (const SiteVariant &V : Sites.variants(S))
    R.Signatures.insert(V.Signature);
  addNumbers(R, Sites, S, Outermost);
}

/// A row for each lane, and one for what ran on it outside of all models.
static std::vector<Row> makeLaneRows(const SiteTable &Sites,
                                     const Selection &Selected) {
  std::vector<Row> Rows;
  std::vector<bool> IsSelected(Sites.size());
  for (uint32_t S = 0; S < Sites.size(); ++S)
    IsSelected[S] = Selected.matches(Sites, S);
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
      Row R;
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
        addPairs(R, A, A.Count);
        R.Clipped |= Sites.self(S).Excess != 0;
        if (Outermost(S))
          addTotal(R, Sites[S], A.Sum);
      }
      R.Measures.resize(Sites.measures().size());
      for (const auto &[MeasureAndSite, T] : Lane.Measures)
        if (auto [M, S] = MeasureAndSite; Counts(S) && !Sites[S].isOverlay())
          addMeasure(R.Measures[M], Sites.measures()[M].Fold, T, Outermost(S));
      for (MeasureId M = 0; M < R.Measures.size(); ++M)
        for (const auto &[S, Amount] : MeasureParts[M][L].Self)
          if (Counts(S))
            R.Measures[M].Self += Amount;
      for (const auto &[S, Amount] : Parts[L].Self)
        if (!Counts(S))
          continue;
        else if (Sites[S].isOverlay())
          R.Backward.Self += Amount;
        else
          addSelf(R, Sites[S], Amount);
      // A run inside another one is part of that one's time.
      if (!Outside)
        for (const auto &[S, Amount] : Parts[L].RunsInside)
          if (Counts(S)) {
            R.Total -= std::min(Amount, R.Total);
            if (isAside(Sites[S]))
              R.AsideTotal -= std::min(Amount, R.AsideTotal);
          }
      if (R.Members)
        Rows.push_back(std::move(R));
    }
  }
  return Rows;
}

namespace {

/// Groups sites by what they have in common.
class RowMaker {
public:
  RowMaker(const SiteTable &Sites, const RowOptions &Options)
      : Sites(Sites), Options(Options), GroupOf(Sites.size(), NoIndex),
        Allocated(numberOf(Sites.measures(), "alloc")),
        Freed(numberOf(Sites.measures(), "freed")) {
    if (Options.Group == GroupBy::Module || Options.Group == GroupBy::Class)
      Calls = std::make_unique<ModuleCalls>(Sites);
    if (Options.Keys && Options.Group == GroupBy::Node)
      Keys = siteKeys(Sites);
  }

  /// Sites come in the order of their numbers.
  void add(uint32_t S);

  std::vector<Row> finish() {
    for (Row &R : Rows)
      if (!R.IsWhole) {
        R.Measures.assign(Sites.measures().size(), RowMeasure());
        R.Backward = GradientSum();
      }
    // The times of single calls are known where nothing but calls was measured.
    for (size_t I = 0; I < Rows.size(); ++I)
      if (Calls && !HasNodes[I])
        Rows[I].CallsAreSpans = true;
    return std::move(Rows);
  }

private:
  uint32_t rowOf(const SiteNames &Names);
  bool isAlone() const {
    return Options.Group == GroupBy::Node || Options.Group == GroupBy::Shape;
  }
  bool hasShapesApart() const {
    return Options.ShapesApart || Options.Group == GroupBy::Shape;
  }
  struct SitePart;
  void addPart(uint32_t S, SiteNames Names, const SitePart &Part);
  void addNet(Row &R, uint32_t S, Optional<uint64_t> Net, bool IsAll);
  Optional<uint64_t> netOfAll(uint32_t S) const;
  bool areNetsKnown(uint32_t S) const;
  void addVariants(uint32_t S, const SiteNames &Names);
  void addAllWork(SiteWork &To, uint32_t S);
  void addModuleCalls(Row &R, StringRef Group, uint32_t S);
  bool isOutermost(uint32_t S) const {
    for (uint32_t I = Sites[S].Parent; I != NoIndex; I = Sites[I].Parent)
      if (GroupOf[I] == GroupOf[S])
        return false;
    return true;
  }

  const SiteTable &Sites;
  const RowOptions &Options;
  std::vector<Row> Rows;
  std::vector<bool> HasNodes;    ///< by row: not only roots and modules
  std::vector<uint32_t> GroupOf; ///< by site
  std::map<std::string, uint32_t> Groups;
  std::vector<SiteKey> Keys;
  Optional<MeasureId> Allocated, Freed;
  std::unique_ptr<ModuleCalls> Calls; ///< where rows are modules or classes
  /// Instances, by row, and methods whose calls have been counted.
  std::set<std::pair<const Manifest *, std::string>> CountedModules;
  std::set<uint32_t> CountedMethods;
};

} // namespace

/// Counts the calls of the module that \p S is written in, once.
void RowMaker::addModuleCalls(Row &R, StringRef Group, uint32_t S) {
  if (R.Members == 1) {
    R.CallsAreSpans = false;
    R.Calls = 0;
  }
  std::string Path = Sites.modulePath(S);
  if (!CountedModules.emplace(Sites.manifest(S), (Group + "\n" + Path).str())
           .second)
    return;
  Optional<uint64_t> More = Calls->of(Sites.manifest(S), Path);
  if (R.Calls && More)
    *R.Calls += *More;
  else
    R.Calls = None;
}

/// Number of the row with these names, which is added if it is new.
uint32_t RowMaker::rowOf(const SiteNames &Names) {
  auto Next = static_cast<uint32_t>(Rows.size());
  uint32_t Number =
      isAlone() ? Next : Groups.emplace(Names.Group, Next).first->second;
  if (Number == Next) {
    Rows.emplace_back();
    HasNodes.push_back(false);
  }
  return Number;
}

/// The spans of a node that have one signature.
struct RowMaker::SitePart {
  StringRef Signature; ///< empty if it is not known
  Aggregate Times;
  bool IsAll = false;     ///< there are no others
  Optional<uint64_t> Net; ///< as Row has it
};

/// What all spans of a node have; None if that was not measured.
Optional<uint64_t> RowMaker::netOfAll(uint32_t S) const {
  if (!Allocated || !Freed)
    return None;
  return static_cast<uint64_t>(Sites.measured(*Allocated, S).Sum) -
         static_cast<uint64_t>(Sites.measured(*Freed, S).Sum);
}

/// True if those of a node's signatures add up to the node's: an older runtime
/// did not write them down.
bool RowMaker::areNetsKnown(uint32_t S) const {
  uint64_t Count = 0, Net = 0;
  for (const SiteVariant &V : Sites.variants(S)) {
    Count += V.Count;
    Net += V.NetBytes;
  }
  return netOfAll(S) == Net && Sites.measured(*Allocated, S).Count == Count;
}

static void addKnown(Optional<uint64_t> &To, Optional<uint64_t> More) {
  if (To && More)
    *To += *More;
  else
    To = None;
}

/// Adds what a node's spans have, \p IsAll: all of them.
void RowMaker::addNet(Row &R, uint32_t S, Optional<uint64_t> Net, bool IsAll) {
  if (isOutermost(S))
    addKnown(R.Net, Net);
  bool HasChildren = Sites.self(S).Amount != Sites.total(S);
  Optional<uint64_t> Self = HasChildren ? None : Net;
  // Which of its spans the children were in is not known.
  if (HasChildren && IsAll && Net)
    Self = static_cast<uint64_t>(Sites.self(*Allocated, S).Amount -
                                 Sites.self(*Freed, S).Amount);
  addKnown(R.SelfNet, Self);
}

/// Adds the spans of a node that have one signature.
void RowMaker::addPart(uint32_t S, SiteNames Names, const SitePart &Part) {
  Names.Group += '\n' + torchInputsText(Part.Signature);
  uint32_t Number = rowOf(Names);
  GroupOf[S] = Number;
  HasNodes[Number] = true;
  Row &R = Rows[Number];
  addNames(R, Sites, S, Names);
  if (!Part.Signature.empty())
    R.Signatures.insert(Part.Signature.str());
  const Aggregate &Times = Part.Times;
  if (Options.WithWork && Part.IsAll && Sites[S].isRoot())
    addAllWork(R.Done, S);
  else if (Options.WithWork)
    R.Done.add(Sites, S, Part.Signature, Times.Count, Times.Sum);
  addNet(R, S, Part.Net, Part.IsAll);
  if (Part.IsAll) {
    addNumbers(R, Sites, S, isOutermost(S));
    R.Measured.add(Sites.measured(S));
    return;
  }
  // All else is known of the node's spans together alone.
  R.HasDistribution = R.IsWhole = false;
  R.Measured.add(Times);
  addPairs(R, Sites.measured(S), Times.Count);
  if (isOutermost(S))
    addTotal(R, Sites[S], Times.Sum);
  if (Sites.self(S).Amount == Sites.total(S))
    addSelf(R, Sites[S], Times.Sum);
  else
    R.HasSelf = false;
}

/// Adds a node, its signatures apart, and what of it has none.
void RowMaker::addVariants(uint32_t S, const SiteNames &Names) {
  SitePart Rest;
  Rest.Times.Count = Sites.measured(S).Count;
  Rest.Times.Sum = Sites.measured(S).Sum;
  bool HasNets = areNetsKnown(S);
  for (const SiteVariant &V : Sites.variants(S)) {
    SitePart Part;
    Part.Signature = V.Signature;
    Part.Times.Begins = Part.Times.Count = V.Count;
    Part.Times.Sum = V.Sum;
    Part.Times.Min = V.Min;
    Part.Times.Max = V.Max;
    Part.IsAll = V.Count == Sites.measured(S).Count;
    if (Part.IsAll)
      Part.Net = netOfAll(S);
    else if (HasNets)
      Part.Net = V.NetBytes;
    Rest.Times.Count -= std::min(Rest.Times.Count, V.Count);
    Rest.Times.Sum -= std::min(Rest.Times.Sum, V.Sum);
    addPart(S, Names, Part);
  }
  if (Rest.Times.Count)
    addPart(S, Names, Rest);
}

/// Adds what a site did; a method alone did what its nodes did.
void RowMaker::addAllWork(SiteWork &To, uint32_t S) {
  if (!Sites[S].isRoot() || !isAlone())
    return To.add(Sites, S);
  for (uint32_t I = S; I < Sites.size(); ++I)
    if (Sites[I].Root == S)
      To.add(Sites, I);
}

void RowMaker::add(uint32_t S) {
  const Site &Here = Sites[S];
  if (Here.isOverlay() && !isAlone() && Options.Group != GroupBy::Kind)
    return;
  SiteNames Names = namesOf(Sites, S, Options);
  if (!Keys.empty())
    Names.Key = Keys[S].text();
  if (hasShapesApart() && !Sites.variants(S).empty())
    return addVariants(S, Names);
  if (hasShapesApart())
    Names.Group += "\n[]";
  uint32_t Number = rowOf(Names);
  GroupOf[S] = Number;
  Row &R = Rows[Number];
  addMember(R, Sites, S, Names, isOutermost(S));
  if (Options.WithWork)
    addAllWork(R.Done, S);
  if (hasShapesApart())
    addNet(R, S, netOfAll(S), /*IsAll=*/true);
  if (!Here.isRoot() && !Here.isModule())
    HasNodes[Number] = true;
  // The calls of a method are those of its root, selected or not.
  if (Options.Group != GroupBy::Method || Here.isOutside())
    R.Measured.add(Sites.measured(S));
  else if (CountedMethods.insert(Here.Root).second)
    R.Measured.add(Sites.measured(Here.Root));
  if (Calls && !Here.isOutside())
    addModuleCalls(R, Names.Group, S);
}

std::vector<Row> report::makeRows(const SiteTable &Sites,
                                  const Selection &Selected,
                                  const RowOptions &Options) {
  if (Options.Group == GroupBy::Thread)
    return makeLaneRows(Sites, Selected);
  RowMaker Rows(Sites, Options);
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if ((Sites.seen(S) || Options.Unreached) && Selected.matches(Sites, S))
      Rows.add(S);
  return Rows.finish();
}
