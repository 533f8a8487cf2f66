//===- ColdPath.cpp - probes where something is rare ----------------------===//

#include "ColdPath.h"

#include "OpenFrames.h"
#include "Probe.h"
#include "Recording.h"
#include "torchprof/format/Segments.h"

namespace torchprof {

using namespace format;

uint64_t clampTicks(uint64_t Begin, uint64_t Now) {
  if (Now < Begin) {
    count(Counter::ClockBackwards);
    return 0;
  }
  count(Counter::ClockClamped);
  return AbsurdTicks;
}

bool makeRecording() {
  Recording::current();
  return Process.Open.load(std::memory_order_relaxed) != 0;
}

void continueCell(Lane &L, SlotEntry &E) {
  if (Recording *R = Recording::existing())
    R->continueCell(L, E);
}

static uint32_t epoch() {
  return Process.Epoch.load(std::memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// Begins
//===----------------------------------------------------------------------===//

/// Begins a span and asks what else is measured: before the clock, so that a
/// span does not hold the cost of its own readings.
static uint64_t openMeasured(Recording &R, Lane &L, SlotEntry &E, Slot Site) {
  bool IsMeasured = R.measures().exist() && R.measures().beginSpan(L, E, Site);
  uint64_t Begin = openSpan(L, E, Site);
  if (IsMeasured)
    R.measures().spanBegan(L, Site, Begin);
  return Begin;
}

uint64_t beginCold(Slot Site) {
  Recording *R = Recording::current();
  if (R && Site != NoSlot)
    if (Lane *L = R->ownLane())
      if (SlotEntry *E = R->touchSlot(*L, Site))
        return openMeasured(*R, *L, *E, Site);
  return clock::ticks(); // its end counts it as lost
}

uint64_t enterRoot(SiteId Id, uintptr_t Stack) {
  bool Open = ensureRecording();
  if (!Open && !Process.CountsSteps.load(std::memory_order_relaxed))
    return 0;
  Recording *R = Recording::existing();
  const RegisteredModel *Model = Line.Models.modelOf(Id);
  Lane *L = R ? R->ownLane() : nullptr;
  if (!L || !Model)
    return Open ? clock::ticks() : 0;
  popDeadRoots(*L, Stack);
  Model->Roots[Id.index()].store(1, std::memory_order_relaxed);
  Slot Site = Model->FirstSlot + Id.index();
  uint64_t Begin = 0;
  if (Open) {
    bool IsOutermost = !hasOpenRoot(*L);
    if (IsOutermost && R->measures().exist())
      R->measures().beginRun(*L);
    SlotEntry *E = R->touchSlot(*L, Site);
    if (!E)
      return clock::ticks();
    E->Flags |= EF_Root;
    if (IsOutermost) {
      R->touchRuns(*L, *E);
      if (!L->Depth) // an exception may have left a node there
        storeRelease(L->Record->CurrentSlot, NoSlot);
    }
    Begin = openMeasured(*R, *L, *E, Site);
  }
  pushFrame(*L, {Begin, Stack, Site, 0});
  return Begin;
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

/// Brings a cell up to the present epoch before a span's end is booked. True if
/// the span's begin was counted in what that emptied: the span began here, just
/// when a reset was made.
static bool freshenCell(SlotEntry &E, bool BeganHere) {
  uint32_t Epoch = Process.Epoch.load(std::memory_order_acquire);
  if (E.Data->Epoch == Epoch)
    return false;
  resetCell(E, Epoch);
  return BeganHere;
}

/// Books a span that a window's edge cut. Does not make a file for it.
static void cutSpan(Lane &L, uint64_t Begin, Slot Site) {
  SlotEntry *E = knownEntry(L, Site);
  if (!E)
    return;
  bool Emptied = freshenCell(*E, restoreOuter(L, *E, Begin, Site));
  // A begin before the opening or the last reset is not in the cell.
  if (Begin == 0 || Emptied ||
      Begin < Process.ResetTicks.load(std::memory_order_relaxed))
    storeRelaxed(E->Data->Begins, E->Data->Begins + 1);
  storeRelaxed(E->Data->Cut, E->Data->Cut + 1);
}

static void recordRun(SlotEntry &E, uint64_t Now, uint64_t Ticks) {
  if (!E.Runs)
    return;
  SegmentOf<SegmentType::Runs> Ring(E.Runs);
  uint64_t Count = Ring.record().Count;
  RunSample &Sample = Ring.entries()[Count % RunsCapacity];
  storeRelaxed(Sample.EndTicks, Now);
  storeRelaxed(Sample.LatencyTicks, Ticks);
  storeRelease(Ring.record().Count, Count + 1);
}

/// Adds the time of a root or region that has ended to the spans around it. A
/// run that a node started is part of the node's time, and of the time of the
/// region between the two. A region is an overlay: it takes nothing from the
/// nodes around it, whose own nodes it may hold, but is part of a region
/// directly around it.
static void addNested(Recording &R, Lane &L, uint64_t Ticks, bool IsRegion,
                      bool IsMeasured) {
  Slot Outer = L.Record->CurrentSlot;
  for (bool IsFirst = true;; IsFirst = false) {
    SlotEntry *E = knownEntry(L, Outer);
    if (!E || E->Data->Epoch != epoch())
      return;
    bool InRegion = E->Flags & EF_Region;
    if (IsFirst ? InRegion || !IsRegion : !InRegion) {
      storeRelaxed(E->Data->Nested, E->Data->Nested + Ticks);
      if (IsMeasured)
        R.measures().addNested(L, Outer);
    }
    // A region lies in a site of its own for each one around it, so that this
    // comes to an end.
    if (IsRegion || !InRegion)
      return;
    Outer = E->OuterSlot;
  }
}

namespace {
enum class SpanKind { Node, Call, Run, Region };
} // namespace

/// Ends a span while the gate is open.
static void endOpen(Recording &R, Lane &L, uint64_t Begin, Slot Site,
                    uint64_t Now, SpanKind Kind) {
  if (Begin < Process.Open.load(std::memory_order_relaxed))
    return cutSpan(L, Begin, Site);
  SlotEntry *E = R.touchSlot(L, Site);
  if (!E)
    return count(Counter::LostNoMemory);
  if (freshenCell(*E, restoreOuter(L, *E, Begin, Site)))
    storeRelaxed(E->Data->Begins, E->Data->Begins + 1);
  uint64_t Ticks = Now - Begin;
  if (Ticks >= AbsurdTicks)
    Ticks = clampTicks(Begin, Now);
  if (recordSpan(*E->Data, Ticks))
    R.continueCell(L, *E);
  if (L.Trace)
    traceSpan(L, Site, Begin, Ticks);
  bool IsMeasured =
      R.measures().exist() && R.measures().endSpan(L, Site, Begin, Ticks);
  if (Kind != SpanKind::Node)
    addNested(R, L, Ticks, Kind == SpanKind::Region, IsMeasured);
  if (Kind != SpanKind::Run)
    return;
  R.touchRuns(L, *E);
  recordRun(*E, Now, Ticks);
  R.measures().endRun(L);
  R.anchorIfDue(Now);
}

static bool isRoot(Slot Site) {
  const RegisteredModel *Model = Line.Models.ownerOf(Site).Model;
  return Model &&
         Model->Roots[Site - Model->FirstSlot].load(std::memory_order_relaxed);
}

void endCold(uint64_t Begin, Slot Site, uint64_t Now) {
  if (Site == NoSlot)
    return count(Counter::LostNoModel);
  Recording *R = Recording::current();
  Lane *L = R ? R->ownLane() : nullptr;
  if (!L)
    return count(Counter::LostNoMemory);
  SpanKind Kind = SpanKind::Node;
  if (popFrame(*L, Begin, Site) || isRoot(Site))
    Kind = hasOpenRoot(*L) ? SpanKind::Call : SpanKind::Run;
  if (Process.Open.load(std::memory_order_relaxed))
    endOpen(*R, *L, Begin, Site, Now, Kind);
  else if (Begin)
    cutSpan(*L, Begin, Site);
  if (Kind == SpanKind::Run &&
      Process.CountsSteps.load(std::memory_order_relaxed))
    R->step(/*ByHost=*/false);
}

void endShut(uint64_t Begin, Slot Site) {
  makeRecording();
  bool Steps = Process.CountsSteps.load(std::memory_order_relaxed) != 0;
  if (Site == NoSlot || (!Begin && !Steps))
    return;
  endCold(Begin, Site, 0);
}

void abandonSpan(Slot Site, uint64_t Begin) {
  Lane *L = ThisLane;
  SlotEntry *E = L ? knownEntry(*L, Site) : nullptr;
  if (!E)
    return;
  restoreOuter(*L, *E, Begin, Site);
  // No method catches exceptions, so the root around the span is left too.
  if (L->Depth && L->Frames[L->Depth - 1].Stack) {
    OpenFrame Root = L->Frames[--L->Depth];
    if (SlotEntry *R = knownEntry(*L, Root.Site))
      restoreOuter(*L, *R, Root.Begin, Root.Site);
  }
  if (!L->Depth)
    storeRelease(L->Record->CurrentSlot, NoSlot);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static Slot regionHere(const Lane &L, uint32_t Name) {
  const SiteName *Text = Line.Regions.nameOf(Name);
  return Text ? Line.Children.childSlot(L.Record->CurrentSlot,
                                        DynamicKind::Region, *Text)
              : NoSlot;
}

uint64_t beginRegion(uint32_t Name) {
  if (!Line.Regions.nameOf(Name) || !ensureRecording())
    return 0;
  Recording *R = Recording::existing();
  Lane *L = R ? R->ownLane() : nullptr;
  Slot Site = L ? regionHere(*L, Name) : NoSlot;
  SlotEntry *E = L ? R->touchSlot(*L, Site) : nullptr;
  if (!E)
    return clock::ticks(); // its end counts it as lost
  E->Flags |= EF_Region;
  uint64_t Begin = openMeasured(*R, *L, *E, Site);
  pushFrame(*L, {Begin, 0, Site, Name});
  return Begin;
}

/// The site in which a region began; NoSlot if that was on another thread.
static Slot regionBegun(const Lane &L, uint64_t Begin, uint32_t Name) {
  for (uint32_t I = L.Depth; I-- > 0;)
    if (L.Frames[I].Begin == Begin && L.Frames[I].Region == Name)
      return L.Frames[I].Site;
  // One that had no room for a frame is the current span.
  Slot Current = L.Record->CurrentSlot;
  const RegisteredChild *Child = Line.Children.childAt(Current);
  bool IsIts = L.Record->CurrentTicks == Begin && Child &&
               Child->Kind == DynamicKind::Region;
  return IsIts ? Current : NoSlot;
}

void endRegion(uint64_t Begin, uint32_t Name) {
  if (!Line.Regions.nameOf(Name) || (!Begin && !ensureRecording()))
    return;
  uint64_t Now = clock::ticks();
  Recording *R = Recording::current();
  Lane *L = R ? R->ownLane() : nullptr;
  Slot Site = NoSlot;
  if (L)
    Site = Begin ? regionBegun(*L, Begin, Name) : regionHere(*L, Name);
  if (Site == NoSlot)
    return count(Counter::LostNoMemory);
  popFrame(*L, Begin, Site);
  if (!Process.Open.load(std::memory_order_relaxed))
    return cutSpan(*L, Begin, Site);
  endOpen(*R, *L, Begin, Site, Now, SpanKind::Region);
}

} // namespace torchprof
