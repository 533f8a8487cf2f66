//===- ColdSpans.cpp - spans that have a frame ----------------------------===//

#include "ColdSpans.h"

#include "ColdPath.h"
#include "FrameworkWatch.h"
#include "Probe.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <algorithm>

namespace torchprof {

using namespace format;

/// Ticks from \p Begin to \p Now where they cannot be right.
static uint64_t clampTicks(uint64_t Begin, uint64_t Now) {
  if (Now < Begin) {
    count(Counter::ClockBackwards);
    return 0;
  }
  count(Counter::ClockClamped);
  return AbsurdTicks;
}

/// Spans that began before this tick are cut: by the edge of a window, or
/// because their lane was emptied.
static uint64_t wholeSince(const Lane &L) {
  return std::max(Process.Open.load(std::memory_order_relaxed), L.Emptied);
}

Lane *readyLane(Recording &R, Slot Site) {
  Lane *L = Site == NoSlot ? nullptr : R.ownLane();
  if (!L || !R.touchSlot(*L, Site))
    return nullptr;
  followReset(*L);
  uint64_t Open = Process.Open.load(std::memory_order_acquire), Shut = 0;
  uint64_t Since = std::max(Open, L->Emptied);
  std::atomic<uint64_t> &Gate = gateOf(*L);
  if (!Open ||
      !Gate.compare_exchange_strong(Shut, Since, std::memory_order_acquire))
    return L;
  // The gate may have been shut, or shut and opened, just before. Whoever did
  // that changed Open first.
  if (Process.Open.load(std::memory_order_acquire) != Open)
    Gate.compare_exchange_strong(Since, 0, std::memory_order_relaxed);
  return L;
}

bool measuresMore(Recording &R) {
  return R.measures().exist() || R.variants().exist();
}

void beginWithoutRun(Recording &R, Lane &L) {
  if (measuresMore(R) && R.measures().inEveryRun() && !L.Measuring &&
      !L.WithShapes && !hasOpenRoot(L))
    R.measures().beginRun(L, R.variants().exist());
}

void logCurrent(Lane &L) {
  if (!isUnlogged(L.Current))
    return;
  Slot Site = slotOfCurrent(L.Current);
  L.Current = packCurrent(Site, false);
  append(L, L.CurrentTicks, packEntry(Site, LogKind::Begin));
}

uint64_t open(Recording &R, Lane &L, OpenFrame F, const Operands &Of) {
  bool IsMeasured =
      R.measures().exist() &&
      R.measures().beginSpan(L, F.Site, /*IsRoot=*/F.Stack != 0, F.Readings,
                             Of) == SpanMeasures::Begun;
  logCurrent(L);
  F.OuterTicks = L.CurrentTicks;
  F.Outer = L.Current;
  F.Clock = L.Clock;
  F.Begin = clock::ticks();
  setCurrent(L, F.Begin, packCurrent(F.Site, false));
  append(L, F.Begin, packEntry(F.Site, LogKind::Begin));
  if (IsMeasured)
    R.measures().spanBegan(L, F.Site, F.Readings, F.Begin);
  pushFrame(L, F);
  return F.Begin;
}

/// The entry of a slot, its cell and ring of runs as the present epoch has
/// them; null without memory.
static SlotEntry *freshEntry(Recording &R, Lane &L, Slot Site) {
  SlotEntry *E = R.touchSlot(L, Site);
  uint32_t Epoch = Process.Epoch.load(std::memory_order_acquire);
  if (E && E->Data->Epoch != Epoch) {
    FoldLock Lock(L);
    resetCell(*E, Epoch);
  }
  return E;
}

void cutSpan(Recording &R, Lane &L, const EndedSpan &S) {
  if (S.Begin == LostBegin)
    return count(Counter::LostNoMemory);
  R.measures().cutSpan(S.Site, S.Begin);
  SlotEntry *E = L.Attached ? R.touchSlot(L, S.Site) : nullptr;
  if (!E)
    return;
  FoldLock Lock(L);
  EpochStart Epoch = currentEpoch();
  Cell &C = *E->Data;
  if (C.Epoch != Epoch.Number)
    resetCell(*E, Epoch.Number);
  // Begins are counted by their records, if those count.
  if (S.IsUnlogged || beganShut(S.Begin) ||
      S.Begin < std::max(Epoch.Ticks, L.Emptied))
    storeRelaxed(C.Begins, C.Begins + 1);
  storeRelaxed(C.Cut, C.Cut + 1);
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

static bool isRegion(Slot Site) {
  const RegisteredChild *Child = Line.Children.childAt(Site);
  return Child && Child->Kind == DynamicKind::Region;
}

/// True if what the open span that began at \p Begin measures holds what those
/// inside of it measure.
static bool isMeasured(Recording &R, Lane &L, Slot Site, uint64_t Begin) {
  if (const OpenFrame *F = findFrame(L, Begin, Site))
    return F->Readings.Begin == Begin;
  return R.measures().areMeasured(L, /*IsRoot=*/false); // a node without frame
}

/// Adds what a span that has ended measured to the one that began at \p Begin.
static void addNestedMeasures(Recording &R, Lane &L, Slot Outer, uint64_t Begin,
                              const MeasureValues *Measured) {
  if (Measured && isMeasured(R, L, Outer, Begin))
    R.measures().addNested(L, Outer, *Measured);
}

/// Adds the time of a root or region that has ended to the spans around it. A
/// run that a node started is part of the node's time, and of the time of the
/// region between the two. A region is an overlay: it takes nothing from the
/// nodes around it, whose own nodes it may hold, but is part of a region
/// directly around it. What began on another thread is part of nothing here.
static void addNested(Recording &R, Lane &L, uint64_t Ticks, bool IsRegion,
                      const MeasureValues *Measured) {
  Slot Outer = slotOfCurrent(L.Current);
  uint64_t OuterBegin = L.CurrentTicks;
  uint32_t Depth = L.Depth;
  for (bool IsFirst = true; Outer != NoSlot; IsFirst = false) {
    // One that will be cut has no time that this is part of.
    if (OuterBegin < wholeSince(L))
      return;
    bool InRegion = isRegion(Outer);
    if (IsFirst ? InRegion || !IsRegion : !InRegion) {
      if (SlotEntry *E = freshEntry(R, L, Outer))
        storeRelaxed(E->Data->Nested, E->Data->Nested + Ticks);
      addNestedMeasures(R, L, Outer, OuterBegin, Measured);
    }
    if (IsRegion || !InRegion)
      return;
    while (Depth && frameAt(L, Depth - 1).Begin != OuterBegin)
      --Depth;
    if (!Depth)
      return;
    const OpenFrame &F = frameAt(L, --Depth);
    Outer = slotOfCurrent(F.Outer);
    OuterBegin = F.OuterTicks;
  }
}

/// Adds the time of a gradient that was computed to the span around it, or to
/// the one \p Waiting for it, whose own it is not.
static void addGradient(Recording &R, Lane &L, Slot Waiting, uint64_t Ticks,
                        const MeasureValues *Measured) {
  Slot Outer = slotOfCurrent(L.Current);
  bool IsHere = Outer != NoSlot;
  if (IsHere && (L.CurrentTicks < wholeSince(L) || isSuspended(Outer)))
    return;
  if (!IsHere)
    Outer = Waiting;
  if (Outer == NoSlot)
    return;
  // In a cell of this lane's, also for a span of another one.
  if (SlotEntry *E = freshEntry(R, L, Outer))
    storeRelaxed(E->Data->Gradients, E->Data->Gradients + Ticks);
  if (IsHere)
    addNestedMeasures(R, L, Outer, L.CurrentTicks, Measured);
}

static void appendEnd(Lane &L, const EndedSpan &S, uint64_t Ticks) {
  if (Ticks >= MaxLogDuration) {
    // The two stay together: a fold does not come between them.
    if (L.Written % LogPageEntries == LogPageEntries - 1)
      append(L, BlankEntry.BeginTicks, BlankEntry.Packed);
    append(L, Ticks, packEntry(S.Site, LogKind::Long));
  }
  LogKind Kind = S.IsUnlogged               ? LogKind::Span
                 : S.Kind == SpanKind::Pair ? LogKind::PairEnd
                                            : LogKind::End;
  append(L, S.Begin, packEntry(S.Site, Kind, Ticks));
}

/// Where the clock was set back to before the tick from which on spans are
/// recorded, all that begin would be cut until it is there again.
static void followClock(Recording &R, Lane &L) {
  if (!clock::isBefore(clock::fencedTicks(), wholeSince(L)))
    return;
  R.followClock();
  storeRelaxed(L.Emptied, uint64_t(0));
}

static constexpr EndedTicks NothingToBook = {NotRecorded, 0};

EndedTicks endOpen(Recording &R, Lane &L, const EndedSpan &S, uint64_t Now) {
  if (beganShut(S.Begin) || S.Begin < wholeSince(L)) {
    followClock(R, L);
    cutSpan(R, L, S);
    return NothingToBook;
  }
  if (!readyLane(R, S.Site)) {
    count(Counter::LostNoMemory);
    return NothingToBook;
  }
  uint64_t Ticks = Now - S.Begin;
  if (Ticks >= AbsurdTicks) {
    Ticks = clampTicks(S.Begin, Now);
    followClock(R, L);
  }
  Ticks -= std::min(S.ApartTicks, Ticks);
  Slot Waiting = slotOfCurrent(L.Current) == NoSlot ? S.Waiting : NoSlot;
  MeasureValues Values = {};
  bool IsMeasured = R.measures().exist() &&
                    R.measures().endSpan(L, S.Site, S.Readings, S.Begin, Ticks,
                                         Values, Waiting);
  if (S.IsElsewhere)
    R.measures().missSpan(L, S.Kind == SpanKind::Run);
  const MeasureValues *Measured = IsMeasured ? &Values : nullptr;
  appendEnd(L, S, Ticks);
  if (IsMeasured)
    R.levels().spanEnded(L, S.Site, Now);
  if (S.Kind == SpanKind::Gradient)
    addGradient(R, L, Waiting, Ticks, Measured);
  else if (S.Kind != SpanKind::Node && S.Kind != SpanKind::Pair &&
           !S.IsElsewhere)
    addNested(R, L, Ticks, S.Kind == SpanKind::Region, Measured);
  EndedTicks Ended = {Ticks, Measures::netBytes(Values)};
  if (S.Kind != SpanKind::Run)
    return Ended;
  SlotEntry &E = *freshEntry(R, L, S.Site); // readyLane() has made it
  R.touchRuns(L, E);
  recordRun(E, Now, Ticks);
  if (IsMeasured && R.levels().exist())
    R.levels().runEnded(L, S.Site, Now);
  for (MemoryPlace Place : MemoryPlaces)
    if (R.books(Place).exist())
      R.books(Place).runEnded();
  if (const FrameworkWatch *Watch = frameworkWatch())
    Watch->RunEnded();
  R.anchorIfDue(Now);
  logRunEnded(L);
  return Ended;
}

static bool isRoot(Slot Site) {
  const RegisteredModel *Model = Line.Models.ownerOf(Site).Model;
  return Model && Model->has(Site - Model->FirstSlot, RegisteredModel::Entered);
}

/// False for a run that the opening of the window \p Open has cut: it is none
/// of the window's steps.
static bool isOfWindow(const EndedSpan &S, uint64_t Open) {
  return S.Begin == LostBegin || (!beganShut(S.Begin) && S.Begin >= Open);
}

EndedTicks endSpanOf(Recording &R, Lane &L, const EndedSpan &S, uint64_t Now) {
  EndedTicks Ended = NothingToBook;
  uint64_t Open = Process.Open.load(std::memory_order_relaxed);
  if (Open)
    Ended = endOpen(R, L, S, Now);
  else if (!beganShut(S.Begin))
    cutSpan(R, L, S);
  if (S.Kind == SpanKind::Run &&
      Process.CountsSteps.load(std::memory_order_relaxed))
    R.step(/*ByHost=*/false, isOfWindow(S, Open) ? Open : 0);
  return Ended;
}

EndedSpan popSpan(Lane &L, uint64_t Begin, Slot Site, SpanKind Kind) {
  std::optional<OpenFrame> Frame = popFrame(L, Begin, Site);
  if (Frame && Frame->Stack)
    Kind = SpanKind::Call;
  if (!Frame)
    return {Begin, Site, Kind, false, 0, {}, /*IsElsewhere=*/true};
  return {Begin,          Site, Kind, false, L.Clock.apartSince(Frame->Clock),
          Frame->Readings};
}

/// A pair that began on another thread ends here, in nothing: its run was
/// suspended and goes on. So were the pairs that are open here, whose thread
/// would else not be free for that, and they may end anywhere.
static void forgetSuspended(Recording &R, Lane &L) {
  dropSuspendedRun(L, R.endedRuns());
  if (!L.Depth || hasOpenRoot(L) || isUnlogged(L.Current))
    return;
  dropStrayPairs(L);
  R.measures().forgetSpans(L);
}

EndedTicks endFramed(uint64_t Begin, Slot Site, uint64_t Now, SpanKind Kind,
                     Slot Waiting) {
  Recording *R = Site == NoSlot ? nullptr : Recording::current();
  Lane *L = R ? R->ownLane() : nullptr;
  if (!L) {
    count(Site == NoSlot ? Counter::LostNoModel : Counter::LostNoMemory);
    return NothingToBook;
  }
  beginWithoutRun(*R, *L); // its end may be the first that this thread does
  EndedSpan S = popSpan(*L, Begin, Site, Kind);
  S.Waiting = Waiting;
  bool IsRoot =
      S.Kind == SpanKind::Call || (Kind == SpanKind::Pair && isRoot(Site));
  if (S.IsElsewhere && Kind == SpanKind::Pair && Begin > LostBegin) {
    if (IsRoot)
      R->endedRuns().add(Begin, Site);
    forgetSuspended(*R, *L);
  }
  if (IsRoot)
    S.Kind = hasOpenRoot(*L) || isCalledHere(*L, Site) ? SpanKind::Call
                                                       : SpanKind::Run;
  return endSpanOf(*R, *L, S, Now);
}

} // namespace torchprof
