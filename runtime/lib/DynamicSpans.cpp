//===- DynamicSpans.cpp - spans of sites made at run time -----------------===//

#include "DynamicSpans.h"

#include "ChildCache.h"
#include "ColdSpans.h"
#include "MethodLabels.h"
#include "OpenFrames.h"
#include "Pages.h"
#include "Probe.h"

#include <atomic>

namespace torchprof {

using namespace format;

/// True if a span may take openPair() that is not a part of the span around:
/// the begin of a node around must be in the log.
static bool canOpenApart(Lane *L, Slot Site) {
  return canOpenPair(L, Site) && !isUnlogged(L->Current);
}

/// Begins the span of a frame where the lane may not be ready.
static uint64_t openCold(OpenFrame F) {
  Recording *R = ensureRecording() ? Recording::current() : nullptr;
  if (!R)
    return 0;
  Lane *L = readyLane(*R, F.Site);
  if (!L)
    return LostBegin;
  beginWithoutRun(*R, *L);
  return open(*R, *L, F);
}

uint64_t beginSlot(Slot Site) {
  if (Lane *L = ThisLane; canOpenApart(L, Site)) [[likely]]
    return openPair(*L, Site, NoPair);
  return openCold(frameOf(Site));
}

uint64_t beginFunction(Slot Site) {
  if (Lane *L = ThisLane; canOpenApart(L, Site)) [[likely]]
    return openPair(*L, Site, NoPair, FunctionFrame);
  OpenFrame F = frameOf(Site);
  F.Region = FunctionFrame;
  return openCold(F);
}

/// The cell of the span around the innermost frame's, or of the one \p Waiting
/// for it: the frame is hot and its time is not that span's own. Null if there
/// is none. False if it takes the cold path to know.
static bool cellAround(Lane &L, Slot Waiting, Cell *&Around) {
  const OpenFrame &F = L.Frames[L.Depth - 1];
  Around = nullptr;
  Slot Outer = slotOfCurrent(F.Outer);
  bool IsHere = Outer != NoSlot;
  if (!IsHere)
    Outer = Waiting;
  if (Outer == NoSlot)
    return true;
  // A wait is a pair, which has a frame; most nodes with gradients have none.
  if (L.Depth > 1 && L.Frames[L.Depth - 2].Site == Outer && isSuspended(Outer))
    return true;
  SlotEntry *E = knownEntry(L, Outer);
  if (!E || (IsHere && !isOrdinary(L, F.OuterTicks)) ||
      E->Data->Epoch != Process.Epoch.load(std::memory_order_relaxed))
    return false;
  Around = E->Data;
  return true;
}

static void endSlotCold(uint64_t Begin, Slot Site, Slot Waiting) {
  if (Begin || Process.Open.load(std::memory_order_relaxed))
    endFramed(Begin, Site, clock::ticks(), SpanKind::Gradient, Waiting);
}

/// True if a span that began at \p Begin on \p On will be cut when it ends.
static bool willBeCut(uint64_t Begin, const Lane *On) {
  if (Begin < Process.Open.load(std::memory_order_relaxed))
    return true;
  return Begin < Process.LastEmptied.load(std::memory_order_acquire) && On &&
         Begin < loadRelaxed(On->Emptied);
}

void endSlot(uint64_t Begin, Slot Site, Slot Waiting, uint64_t WaitingBegin,
             const Lane *WaitingOn) {
  if (Waiting != NoSlot && willBeCut(WaitingBegin, WaitingOn))
    Waiting = NoSlot;
  Lane *L = ThisLane;
  uint64_t Ticks;
  Cell *Around;
  if (!canClosePair(L, Begin, Site, Ticks) || !cellAround(*L, Waiting, Around))
      [[unlikely]]
    return endSlotCold(Begin, Site, Waiting);
  closePair(*L, Ticks, LogKind::End);
  if (Around)
    storeRelaxed(Around->Gradients, Around->Gradients + Ticks);
}

void endPartCold(uint64_t Begin, Slot Site) {
  if (Begin || Process.Open.load(std::memory_order_relaxed))
    endFramed(Begin, Site, clock::ticks(), SpanKind::Pair);
}

void bookSpan(Slot Site, uint64_t Begin, uint64_t End) {
  // As a timed node ends, where no span around has to know.
  if (Lane *Own = ThisLane;
      Own && isOrdinary(*Own, Begin) && slotOfCurrent(Own->Current) == NoSlot &&
      End - Begin < MaxLogDuration && knownEntry(*Own, Site)) [[likely]]
    return append(*Own, Begin, packEntry(Site, LogKind::Span, End - Begin));
  Recording *R = ensureRecording() ? Recording::current() : nullptr;
  Lane *L = R ? readyLane(*R, Site) : nullptr;
  if (L)
    endSpanOf(*R, *L,
              {Begin, Site, SpanKind::Gradient, /*IsUnlogged=*/true,
               /*ApartTicks=*/0},
              End);
}

Slot pausePart() {
  Lane *L = ThisLane;
  if (!L || !L->Depth)
    return NoSlot;
  const OpenFrame &F = frameAt(*L, L->Depth - 1);
  const RegisteredChild *Child = F.Begin == L->CurrentTicks && F.Site != NoSlot
                                     ? Line.Children.childAt(F.Site)
                                     : nullptr;
  if (!Child || Child->Kind != DynamicKind::Preparation)
    return NoSlot;
  Slot Site = F.Site; // the frame goes
  endPart(F.Begin, Site);
  return Site;
}

//===----------------------------------------------------------------------===//
// Operators and functions of autograd
//===----------------------------------------------------------------------===//

static ChildCache *childrenOf(Lane &L) {
  if (!L.Children) [[unlikely]]
    L.Children = static_cast<ChildCache *>(
        PageSource::system().wiped(sizeof(ChildCache)));
  return L.Children;
}

/// True if \p Site is a node of an operator called \p Name.
static bool isOperator(Slot Site, std::string_view Name) {
  const RegisteredModel *Model = Line.Models.ownerOf(Site).Model;
  return Model && Model->kindOf(Site - Model->FirstSlot) == Name;
}

/// The span that a region lies in; any other one itself.
static Slot belowRegions(Slot Site) {
  while (const RegisteredChild *Child =
             Site == NoSlot ? nullptr : Line.Children.childAt(Site)) {
    if (Child->Kind != DynamicKind::Region)
      break;
    Site = Child->Parent;
  }
  return Site;
}

/// Names of operators that have stayed where they are since this number
/// changed need not be compared.
static std::atomic<uint32_t> NamesGeneration{1};

void operatorNamesGone() {
  NamesGeneration.fetch_add(1, std::memory_order_relaxed);
}

Slot knownFunction(Slot Maker, const char *Type) {
  Lane *L = ThisLane;
  if (!L || !L->Children)
    return NoSlot;
  const ChildCache::Entry *E = L->Children->find(Maker, Type);
  return E ? E->Site : NoSlot;
}

void keepFunction(Slot Maker, const char *Type, Slot Site) {
  Lane *L = ThisLane;
  const RegisteredChild *Child =
      Site == NoSlot ? nullptr : Line.Children.childAt(Site);
  // Each that is one of too many is counted.
  if (!L || !L->Owner || !Child || Child->Flags)
    return;
  if (ChildCache *Known = childrenOf(*L))
    Known->keep({Type, Site, Maker, /*Generation=*/0});
}

std::optional<Slot> knownOperator(const char *Name) {
  Lane *L = ThisLane;
  if (!L || !L->Owner || !Process.Open.load(std::memory_order_relaxed))
    return NoSlot;
  Slot Parent = slotOfCurrent(L->Current);
  if (Parent == NoSlot)
    return NoSlot;
  const ChildCache::Entry *E =
      L->Children ? L->Children->find(Parent, Name) : nullptr;
  if (!E || E->Generation != NamesGeneration.load(std::memory_order_relaxed))
      [[unlikely]]
    return std::nullopt;
  return E->Site;
}

Slot operatorSite(const char *Name, bool Stays) {
  // Before the name is read.
  uint32_t Generation = NamesGeneration.load(std::memory_order_acquire);
  Lane *L = ThisLane;
  Slot Parent = slotOfCurrent(L->Current);
  Slot Place = belowRegions(Parent);
  if (Place == NoSlot || isSuspended(Place))
    return NoSlot;
  Slot Site = NoSlot;
  // A label that opens in a span of its operator would end with that.
  if (!isOperator(Place, Name) &&
      !std::string_view(Name).starts_with(LabelOpener)) {
    Site =
        Line.Children.childSlot(Place, DynamicKind::Operator, SiteName(Name));
    if (Site == NoSlot)
      return NoSlot;
    // A span of it may be in the log of a process that is killed before
    // anything is folded: its name must be in the file.
    if (Recording *R = Recording::existing(); R && !knownEntry(*L, Site))
      R->writeNote(Site);
  }
  if (ChildCache *Known = Stays ? childrenOf(*L) : nullptr)
    Known->keep({Name, Site, Parent, Generation});
  return Site;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// True if a region that begins or has ended here lies in no other span.
static bool isOutermost(Lane &L) {
  return slotOfCurrent(L.Current) == NoSlot && !hasOpenRoot(L);
}

/// Decides what a region measures that begins. An outermost one is measured if
/// the run to come is, which would else be another one than the region's.
static void beginAroundRun(Recording &R, Lane &L) {
  if (R.measures().inEveryRun())
    beginWithoutRun(R, L);
  else if (measuresMore(R) && isOutermost(L))
    R.measures().beginAroundRun(L, R.variants().exist());
}

/// Ends a region, whose site is known.
static void endRegionOf(Recording &R, Lane &L, uint64_t Begin, Slot Site,
                        uint64_t Now) {
  EndedSpan S = popSpan(L, Begin, Site, SpanKind::Region);
  if (!Process.Open.load(std::memory_order_relaxed))
    return cutSpan(R, L, S);
  endOpen(R, L, S, Now);
  if (!R.measures().inEveryRun() && measuresMore(R) && isOutermost(L))
    R.measures().endAroundRun(L, R.variants().exist());
}

DynamicSpan beginLabel(std::string_view Name) {
  if (!ensureRecording())
    return {};
  Recording *R = Recording::current();
  Lane *L = R ? R->ownLane() : nullptr;
  if (!L)
    return {};
  dropSuspendedRun(*L, R->endedRuns());
  Slot Inside = slotOfCurrent(L->Current);
  bool IsOfMethod = opensLabels(Inside);
  Slot Site =
      Line.Children.childSlot(IsOfMethod ? placeOfLabel(*L, Inside) : Inside,
                              DynamicKind::Region, SiteName(Name));
  if (!readyLane(*R, Site))
    return {};
  beginAroundRun(*R, *L);
  OpenFrame F = frameOf(Site);
  F.Region = IsOfMethod ? MethodLabelFrame : FunctionFrame;
  return {open(*R, *L, F), Site, L};
}

void endLabel(const DynamicSpan &Span) {
  uint64_t Now = clock::ticks();
  Recording *R = Span.Site == NoSlot ? nullptr : Recording::current();
  Lane *L = R ? R->ownLane() : nullptr;
  if (!L)
    return;
  if (L != Span.Home)
    R->endedRuns().add(Span.Begin, Span.Site);
  endRegionOf(*R, *L, Span.Begin, Span.Site, Now);
}

static Slot regionHere(const Lane &L, uint32_t Name) {
  const SiteName *Text = Line.Regions.nameOf(Name);
  if (Name == RegionNames::Others)
    count(Counter::DynamicOverflow);
  return Text ? Line.Children.childSlot(slotOfCurrent(L.Current),
                                        DynamicKind::Region, *Text)
              : NoSlot;
}

uint64_t beginRegion(uint32_t Name) {
  if (!Line.Regions.nameOf(Name) || !ensureRecording())
    return 0;
  Recording *R = Recording::current();
  Lane *L = R ? R->ownLane() : nullptr;
  if (L)
    dropSuspendedRun(*L, R->endedRuns());
  OpenFrame F = frameOf(L ? regionHere(*L, Name) : NoSlot);
  F.Region = Name;
  if (!L || !readyLane(*R, F.Site))
    return LostBegin;
  beginAroundRun(*R, *L);
  return open(*R, *L, F);
}

/// The site in which a region began; NoSlot if that was on another thread, or
/// if one around it has ended.
static Slot regionBegun(Lane &L, uint64_t Begin, uint32_t Name) {
  for (uint32_t I = L.Depth; I-- > 0;)
    if (const OpenFrame &F = frameAt(L, I);
        F.Begin == Begin && F.Region == Name)
      return F.Site;
  return NoSlot;
}

void endRegion(uint64_t Begin, uint32_t Name) {
  if (!Line.Regions.nameOf(Name) || (!Begin && !ensureRecording()))
    return;
  uint64_t Now = clock::ticks();
  Recording *R = Recording::current();
  Lane *L = R ? R->ownLane() : nullptr;
  if (L && Begin > LostBegin && R->isOfParent(Begin))
    return;
  Slot Site = NoSlot;
  if (L && !Begin)
    dropSuspendedRun(*L, R->endedRuns());
  if (L)
    Site = Begin ? regionBegun(*L, Begin, Name) : regionHere(*L, Name);
  if (Site == NoSlot)
    return count(L && Begin > LostBegin ? Counter::MisplacedEnds
                                        : Counter::LostNoMemory);
  endRegionOf(*R, *L, Begin, Site, Now);
}

} // namespace torchprof
