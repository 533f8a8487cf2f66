//===- Rows.cpp - sites grouped into rows ---------------------------------===//

#include "Rows.h"
#include "LaneRows.h"
#include "ModuleCalls.h"
#include "RowNames.h"
#include "Signature.h"
#include "SiteKey.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

void RowMeasure::add(MeasureFold Fold, const MeasureTotal &T, bool Outermost) {
  Count += T.Count;
  if (Fold == MeasureFold::Peak)
    Total = std::max<UInt128>(Total, T.Max);
  else if (Outermost)
    Total += T.Sum;
  if (Outermost)
    Time += T.Time;
}

void Row::addTotal(const Site &S, UInt128 Ticks) {
  Total += Ticks;
  if (S.isAside())
    AsideTotal += Ticks;
}

void Row::addSelf(const Site &S, UInt128 Ticks) {
  Self += Ticks;
  if (S.isAside())
    AsideSelf += Ticks;
}

void Row::addPairs(const Aggregate &Of, uint64_t Calls) {
  if (!Of.Pairs || !PairTicks)
    return;
  bool WhoseIsKnown = Calls == Of.Count || Of.Pairs == Of.Count;
  if (!Of.PairTicks || !WhoseIsKnown)
    PairTicks = None;
  else
    *PairTicks += Of.PairTicks * static_cast<double>(Calls) /
                  static_cast<double>(Of.Count);
}

/// Adds a site to a row, or a part of one, but no numbers; what the members do
/// not agree on becomes empty.
static void addNames(Row &R, const SiteTable &Sites, uint32_t S,
                     const SiteNames &Names) {
  const std::string *From[] = {
      &Names.Kind,   &Names.Name,  &Names.Model,  &Names.ModelId, &Names.Method,
      &Names.Module, &Names.Class, &Names.Source, &Names.Key,     &Names.Label};
  std::string *Into[] = {&R.Kind,   &R.Name,  &R.Model,  &R.ModelId, &R.Method,
                         &R.Module, &R.Class, &R.Source, &R.Key,     &R.Label};
  for (unsigned I = 0; I < std::size(From); ++I) {
    if (R.Members == 0)
      *Into[I] = *From[I];
    else if (*Into[I] != *From[I])
      Into[I]->clear();
  }
  if (R.Members++ == 0)
    R.Order = S;
  R.Outside &= Sites[S].isAside();
  R.Overlay &= Sites[S].isRegion() && !Sites[S].isOutside();
}

/// Adds what a site has for itself to a row.
static void addOwn(Row &R, const SiteTable &Sites, uint32_t S) {
  R.addSelf(Sites[S], Sites.self(S).Amount);
  R.Clipped |= Sites.self(S).Excess != 0;
  R.Measures.resize(Sites.measures().size());
  for (MeasureId M = 0; M < R.Measures.size(); ++M)
    R.Measures[M].Self += Sites.self(M, S).Amount;
}

/// Adds what was measured of a site to a row.
static void addNumbers(Row &R, const SiteTable &Sites, uint32_t S,
                       bool Outermost) {
  addOwn(R, Sites, S);
  if (Sites.isEstimated(S)) {
    R.Estimated = true;
    R.HasDistribution = false;
  }
  if (Outermost)
    R.addTotal(Sites[S], Sites.total(S));
  R.addPairs(Sites.measured(S), Sites.measured(S).Count);
  R.Backward += Sites.backwardOf(S);
  for (MeasureId M = 0; M < R.Measures.size(); ++M)
    R.Measures[M].add(Sites.measures()[M].Fold, Sites.measured(M, S),
                      Outermost);
}

/// Adds a site to a row.
static void addMember(Row &R, const SiteTable &Sites, uint32_t S,
                      const SiteNames &Names, bool Outermost) {
  addNames(R, Sites, S, Names);
  for (const SiteVariant &V : Sites.variants(S))
    R.Signatures.insert(V.Signature);
  addNumbers(R, Sites, S, Outermost);
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
    if (Options.Keys && isAlone())
      Keys = siteKeys(Sites);
    if (Options.FoldRepeats)
      countInner();
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
  bool hasRowsOfGradients() const {
    return isAlone() || Options.Group == GroupBy::Kind;
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
  void countInner();
  bool isRepeat(uint32_t S) const;
  void fold(uint32_t S);
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
  /// What ran directly in a site.
  struct InnerCount {
    uint32_t Sites = 0;
    uint64_t Calls = 0;
  };
  std::vector<InnerCount> Inner; ///< by site; of FoldRepeats
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
  R.addPairs(Sites.measured(S), Times.Count);
  if (isOutermost(S))
    R.addTotal(Sites[S], Times.Sum);
  if (Sites.self(S).Amount == Sites.total(S))
    R.addSelf(Sites[S], Times.Sum);
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

/// Adds what a site did; a method did what its nodes did, as its total is that
/// of all of them. torch.profiler says of operators alone what they did.
void RowMaker::addAllWork(SiteWork &To, uint32_t S) {
  uint32_t Root = Sites[S].Root;
  if (Options.NamesApart || Root == NoIndex || GroupOf[Root] == NoIndex ||
      GroupOf[Root] != GroupOf[S])
    return To.add(Sites, S);
  if (S != Root) // the method has it
    return;
  for (uint32_t I = S; I < Sites.size(); ++I)
    if (Sites[I].Root == S)
      To.add(Sites, I);
}

void RowMaker::countInner() {
  Inner.resize(Sites.size());
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    // A gradient is computed after what it is of.
    if (Sites[S].Parent == NoIndex || !Sites.reached(S) || Sites[S].Gradient)
      continue;
    ++Inner[Sites[S].Parent].Sites;
    Inner[Sites[S].Parent].Calls += Sites.measured(S).Count;
  }
}

/// True if an operator ran alone in calls of one of its own name, which has a
/// row. Those of one name in one place are a site, and may be several overloads
/// of which each calls something else: if not more ran in them than they had
/// calls, it was one for each. A node is one overload, and of its calls fewer
/// may have been looked into.
bool RowMaker::isRepeat(uint32_t S) const {
  uint32_t Parent = Sites[S].Parent;
  if (!Options.FoldRepeats || !Sites[S].Operator || Parent == NoIndex ||
      GroupOf[Parent] == NoIndex || Sites.label(S) != Sites.label(Parent))
    return false;
  return Inner[Parent].Calls <= Sites.measured(Parent).Count &&
         (Sites[Parent].Operator || Inner[Parent].Sites == 1);
}

/// Adds a repeat to its parent's row, which has its calls, times and work.
void RowMaker::fold(uint32_t S) {
  GroupOf[S] = GroupOf[Sites[S].Parent];
  Row &R = Rows[GroupOf[S]];
  addOwn(R, Sites, S);
  if (hasShapesApart())
    addNet(R, S, netOfAll(S), /*IsAll=*/true);
}

void RowMaker::add(uint32_t S) {
  const Site &Here = Sites[S];
  if (Here.isOverlay() && !hasRowsOfGradients())
    return;
  if (isRepeat(S))
    return fold(S);
  SiteNames Names = namesOf(Sites, S, Options);
  if (!Keys.empty())
    Names.Key = Keys[S].text();
  if (hasShapesApart() && !Sites.variants(S).empty())
    return addVariants(S, Names);
  if (hasShapesApart())
    Names.Group += "\n" + torchInputsText("");
  uint32_t Number = rowOf(Names);
  GroupOf[S] = Number;
  Row &R = Rows[Number];
  addMember(R, Sites, S, Names, isOutermost(S));
  if (!hasRowsOfGradients())
    R.addSelf(Here, Sites.plansOf(S));
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
