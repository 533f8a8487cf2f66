//===- ColdPath.cpp - probes where something is rare ----------------------===//

#include "ColdPath.h"

#include "OpenFrames.h"
#include "Probe.h"
#include "Recording.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <algorithm>

namespace torchprof {

using namespace format;

/// The begin of a span that could not be recorded, for want of memory or of a
/// model. Its end must not be either, even if it could: a cell holds no more
/// ends than begins.
static constexpr uint64_t LostBegin = 1;

/// Ticks from \p Begin to \p Now where they cannot be right.
static uint64_t clampTicks(uint64_t Begin, uint64_t Now) {
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

/// Lane::MeasuredSince.
static uint64_t measuredSince(const Lane &L) {
  return L.MeasuredSince.load(std::memory_order_relaxed);
}

/// A lane of the calling thread that can record \p Site: attached, and as open
/// as the gate. Null without memory or model.
static Lane *readyLane(Recording &R, Slot Site) {
  Lane *L = Site == NoSlot ? nullptr : R.ownLane();
  if (!L || !R.touchSlot(*L, Site))
    return nullptr;
  followReset(*L);
  uint64_t Open = Process.Open.load(std::memory_order_acquire), Shut = 0;
  std::atomic<uint64_t> &Gate = gateOf(*L);
  if (!Open ||
      !Gate.compare_exchange_strong(Shut, Open, std::memory_order_relaxed))
    return L;
  // The gate may have been shut, or shut and opened, just before.
  if (Process.Open.load(std::memory_order_acquire) != Open)
    Gate.compare_exchange_strong(Open, 0, std::memory_order_relaxed);
  return L;
}

//===----------------------------------------------------------------------===//
// Begins
//===----------------------------------------------------------------------===//

/// Writes down the begin of the span around, if it has no record yet: its own
/// end may never come.
static void logCurrent(Lane &L) {
  if (!isUnlogged(L.Current))
    return;
  Slot Site = slotOfCurrent(L.Current);
  L.Current = packCurrent(Site, false);
  append(L, L.CurrentTicks, packEntry(Site, LogKind::Begin));
}

/// Begins a span that has a frame, and asks what else is measured: before the
/// clock, so that a span does not hold the cost of its own readings.
static uint64_t open(Recording &R, Lane &L, OpenFrame F) {
  bool IsMeasured = R.measures().exist() &&
                    R.measures().beginSpan(L, F.Site, /*IsRoot=*/F.Stack != 0);
  logCurrent(L);
  F.OuterTicks = L.CurrentTicks;
  F.Outer = L.Current;
  F.FoldTicks = L.FoldTicks;
  F.Begin = clock::ticks();
  pushFrame(L, F);
  setCurrent(L, F.Begin, packCurrent(F.Site, false));
  append(L, F.Begin, packEntry(F.Site, LogKind::Begin));
  if (IsMeasured)
    R.measures().spanBegan(L, F.Site, F.Begin);
  return F.Begin;
}

static OpenFrame frameOf(Slot Site) {
  OpenFrame F{};
  F.Pair = NoPair;
  F.Site = Site;
  return F;
}

/// True if more than time was asked for.
static bool measuresMore(Recording &R) {
  return R.measures().exist() || R.variants().exist();
}

/// Decides what is measured on a thread that runs nodes of other threads' runs
/// (forks, and what follows a wait): it has no run of its own at whose begin
/// that is decided.
static void beginWithoutRun(Recording &R, Lane &L) {
  if (measuresMore(R) && R.measures().inEveryRun() && !L.Measuring &&
      !L.WithShapes && !hasOpenRoot(L))
    R.measures().beginRun(L, R.variants().exist());
}

void beginCold(FrameSpan &Span, const Operands &Of) {
  Lane *L = Span.Owner;
  // On a lane that would be open, the span needs no frame of ours.
  if (L && measuredSince(*L)) {
    Recording &R = *Recording::existing();
    Span.OfShapes = R.variants().begin(*L, Span.Site, Of);
    if (!L->Measuring)
      return Span.open();
    if (R.measures().beginSpan(*L, Span.Site, /*IsRoot=*/false)) {
      Span.open();
      return R.measures().spanBegan(*L, Span.Site, Span.Begin);
    }
  }
  Span.Owner = nullptr;
  Span.Begin = LostBegin;
  Recording *R = Recording::current();
  L = R ? readyLane(*R, Span.Site) : nullptr;
  if (!L)
    return;
  beginWithoutRun(*R, *L);
  if (!Span.OfShapes)
    Span.OfShapes = R->variants().begin(*L, Span.Site, Of);
  Span.Begin = open(*R, *L, frameOf(Span.Site));
}

uint64_t beginCold(SiteId Id) {
  Slot Site = Line.Models.slotOf(Id);
  Recording *R = Recording::current();
  Lane *L = R ? readyLane(*R, Site) : nullptr;
  if (!L)
    return LostBegin;
  beginWithoutRun(*R, *L);
  L->ModelId = Id.model();
  L->FirstSlot = Slot(number(Site) - Id.index());
  L->SiteCount = Line.Models.modelOf(Id)->SiteCount;
  OpenFrame F = frameOf(Site);
  F.Pair = Id.number();
  return open(*R, *L, F);
}

uint64_t beginSlot(Slot Site) {
  if (!ensureRecording())
    return 0;
  Recording *R = Recording::current();
  Lane *L = R ? readyLane(*R, Site) : nullptr;
  return L ? open(*R, *L, frameOf(Site)) : LostBegin;
}

uint64_t beginFunction(Slot Site) {
  Recording *R = ensureRecording() ? Recording::current() : nullptr;
  if (!R)
    return 0;
  Lane *L = readyLane(*R, Site);
  if (!L)
    return LostBegin;
  OpenFrame F = frameOf(Site);
  F.Region = FunctionFrame;
  return open(*R, *L, F);
}

uint64_t enterRoot(SiteId Id, uintptr_t Stack) {
  bool Open = ensureRecording();
  if (!Open && !Process.CountsSteps.load(std::memory_order_relaxed))
    return 0;
  // The thread that has opened the gate may still be making the recording.
  Recording *R = Open ? Recording::current() : Recording::existing();
  const RegisteredModel *Model = Line.Models.modelOf(Id);
  Lane *L = R ? R->ownLane() : nullptr;
  if (!L || !Model)
    return Open ? LostBegin : 0;
  dropDeadRoots(*L, Stack, Model->has(Id.index(), RegisteredModel::IsCalled));
  Model->add(Id.index(), RegisteredModel::Entered);
  OpenFrame F = frameOf(Model->FirstSlot + Id.index());
  F.Stack = Stack;
  bool IsOutermost = !hasOpenRoot(*L);
  // A span of one native frame tells when an exception ends it, so that one
  // which is current is open, and what lies below may be too.
  if (IsOutermost && !isUnlogged(L->Current))
    dropStrayPairs(*L);
  if (!Open) {
    F.OuterTicks = L->CurrentTicks;
    F.Outer = L->Current;
    pushFrame(*L, F);
    return 0;
  }
  if (IsOutermost && measuresMore(*R))
    R->measures().beginRun(*L, R->variants().exist());
  return readyLane(*R, F.Site) ? open(*R, *L, F) : LostBegin;
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

namespace {
enum class SpanKind { Node, Call, Run, Region, Gradient };

/// A span that ends.
struct EndedSpan {
  uint64_t Begin;
  Slot Site;
  SpanKind Kind;
  bool IsUnlogged;    ///< its begin has no record
  uint64_t FoldTicks; ///< spent in folding meanwhile
};
} // namespace

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

/// Books a span that a window's edge cut, or one that is lost. Does not make a
/// file for it.
static void cutSpan(Recording &R, Lane &L, const EndedSpan &S) {
  if (S.Begin == LostBegin)
    return count(Counter::LostNoMemory);
  SlotEntry *E = L.Attached ? R.touchSlot(L, S.Site) : nullptr;
  if (!E)
    return;
  FoldLock Lock(L);
  EpochStart Epoch = currentEpoch();
  Cell &C = *E->Data;
  if (C.Epoch != Epoch.Number)
    resetCell(*E, Epoch.Number);
  // Begins are counted by their records, if those count.
  if (S.IsUnlogged || S.Begin == 0 || S.Begin < Epoch.Ticks)
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

/// Adds the time of a root or region that has ended to the spans around it. A
/// run that a node started is part of the node's time, and of the time of the
/// region between the two. A region is an overlay: it takes nothing from the
/// nodes around it, whose own nodes it may hold, but is part of a region
/// directly around it.
static void addNested(Recording &R, Lane &L, uint64_t Ticks, bool IsRegion,
                      bool IsMeasured) {
  Slot Outer = slotOfCurrent(L.Current);
  uint64_t OuterBegin = L.CurrentTicks;
  uint32_t Depth = L.Depth;
  for (bool IsFirst = true; Outer != NoSlot; IsFirst = false) {
    // One that a window's edge will cut has no time that this is part of.
    if (OuterBegin < Process.Open.load(std::memory_order_relaxed))
      return;
    bool InRegion = isRegion(Outer);
    if (IsFirst ? InRegion || !IsRegion : !InRegion) {
      if (SlotEntry *E = freshEntry(R, L, Outer))
        storeRelaxed(E->Data->Nested, E->Data->Nested + Ticks);
      if (IsMeasured)
        R.measures().addNested(L, Outer);
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

/// Adds the time of a gradient that was computed to the span around it, whose
/// own it is not.
static void addGradient(Recording &R, Lane &L, uint64_t Ticks,
                        bool IsMeasured) {
  Slot Outer = slotOfCurrent(L.Current);
  if (Outer == NoSlot ||
      L.CurrentTicks < Process.Open.load(std::memory_order_relaxed))
    return;
  if (SlotEntry *E = freshEntry(R, L, Outer))
    storeRelaxed(E->Data->Gradients, E->Data->Gradients + Ticks);
  if (IsMeasured)
    R.measures().addNested(L, Outer);
}

static void appendEnd(Lane &L, const EndedSpan &S, uint64_t Ticks) {
  if (Ticks >= MaxLogDuration) {
    // The two stay together: a fold does not come between them.
    if (L.Written % LogPageEntries == LogPageEntries - 1)
      append(L, BlankEntry.BeginTicks, BlankEntry.Packed);
    append(L, Ticks, packEntry(S.Site, LogKind::Long));
  }
  append(L, S.Begin,
         packEntry(S.Site, S.IsUnlogged ? LogKind::Span : LogKind::End, Ticks));
}

/// What the ends of spans return if there is no time to book.
static constexpr uint64_t NotRecorded = UINT64_MAX;

/// Ends a span while the gate is open. Returns its ticks.
static uint64_t endOpen(Recording &R, Lane &L, const EndedSpan &S,
                        uint64_t Now) {
  if (S.Begin < Process.Open.load(std::memory_order_relaxed)) {
    cutSpan(R, L, S);
    return NotRecorded;
  }
  if (!readyLane(R, S.Site)) {
    count(Counter::LostNoMemory);
    return NotRecorded;
  }
  uint64_t Ticks = Now - S.Begin;
  if (Ticks >= AbsurdTicks)
    Ticks = clampTicks(S.Begin, Now);
  Ticks -= std::min(S.FoldTicks, Ticks);
  bool IsMeasured =
      R.measures().exist() && R.measures().endSpan(L, S.Site, S.Begin, Ticks);
  appendEnd(L, S, Ticks);
  if (IsMeasured)
    R.levels().spanEnded(L, S.Site, Now);
  if (S.Kind == SpanKind::Gradient)
    addGradient(R, L, Ticks, IsMeasured);
  else if (S.Kind != SpanKind::Node)
    addNested(R, L, Ticks, S.Kind == SpanKind::Region, IsMeasured);
  if (S.Kind != SpanKind::Run)
    return Ticks;
  SlotEntry &E = *freshEntry(R, L, S.Site); // readyLane() has made it
  R.touchRuns(L, E);
  recordRun(E, Now, Ticks);
  if (IsMeasured && R.levels().exist())
    R.levels().runEnded(L, S.Site, Now);
  if (R.books().exist())
    R.books().runEnded();
  R.anchorIfDue(Now);
  logRunEnded(L);
  return Ticks;
}

static bool isRoot(Slot Site) {
  const RegisteredModel *Model = Line.Models.ownerOf(Site).Model;
  return Model && Model->has(Site - Model->FirstSlot, RegisteredModel::Entered);
}

/// Ends a span of the lane, or one that began on another. Returns its ticks.
static uint64_t end(Recording &R, Lane &L, EndedSpan S, uint64_t Now) {
  uint64_t Ticks = NotRecorded;
  if (Process.Open.load(std::memory_order_relaxed))
    Ticks = endOpen(R, L, S, Now);
  else if (S.Begin)
    cutSpan(R, L, S);
  if (S.Kind == SpanKind::Run &&
      Process.CountsSteps.load(std::memory_order_relaxed))
    R.step(/*ByHost=*/false);
  return Ticks;
}

/// Takes a span that ends from the lane's frames; it has none if it began on
/// another thread. \p Kind is Call for a root.
static EndedSpan popSpan(Lane &L, uint64_t Begin, Slot Site, SpanKind Kind) {
  std::optional<OpenFrame> Frame = popFrame(L, Begin, Site);
  if (Frame && Frame->Stack)
    Kind = SpanKind::Call;
  return {Begin, Site, Kind, false, Frame ? L.FoldTicks - Frame->FoldTicks : 0};
}

/// Ends a span that has a frame, or one that began on another thread. \p Kind
/// is Node if it may be a root. Returns its ticks.
static uint64_t endFramed(uint64_t Begin, Slot Site, uint64_t Now,
                          SpanKind Kind = SpanKind::Node) {
  Recording *R = Site == NoSlot ? nullptr : Recording::current();
  Lane *L = R ? R->ownLane() : nullptr;
  if (!L) {
    count(Site == NoSlot ? Counter::LostNoModel : Counter::LostNoMemory);
    return NotRecorded;
  }
  EndedSpan S = popSpan(*L, Begin, Site, Kind);
  if (S.Kind == SpanKind::Call || (Kind == SpanKind::Node && isRoot(Site)))
    S.Kind = hasOpenRoot(*L) ? SpanKind::Call : SpanKind::Run;
  return end(*R, *L, S, Now);
}

void endCold(uint64_t Begin, SiteId Id, uint64_t Now) {
  endFramed(Begin, Line.Models.slotOf(Id), Now);
}

void endCold(uint64_t Begin, SiteId Id) {
  if (Process.Open.load(std::memory_order_relaxed))
    return endCold(Begin, Id, clock::ticks());
  makeRecording();
  if (Line.Models.slotOf(Id) != NoSlot)
    endCold(Begin, Id, 0);
}

void endSlot(uint64_t Begin, Slot Site) {
  if (Begin || Process.Open.load(std::memory_order_relaxed))
    endFramed(Begin, Site, clock::ticks(), SpanKind::Gradient);
}

void endFunction(uint64_t Begin, Slot Site) { endSlot(Begin, Site); }

void endCold(const FrameSpan &Span, uint64_t Now) {
  Lane *L = Span.Owner;
  uint64_t Ticks = Now - Span.Begin;
  if (L && measuredSince(*L) - 1 < Span.Begin && Span.isInnermost(Ticks)) {
    Recording &R = *Recording::existing();
    bool IsMeasured =
        L->Measuring && R.measures().endSpan(*L, Span.Site, Span.Begin, Ticks);
    Span.close(Ticks);
    if (IsMeasured)
      R.levels().spanEnded(*L, Span.Site, Now);
    if (Span.OfShapes)
      R.variants().end(R, *L, Span.Site, Span.OfShapes, Span.Begin, Ticks);
    return;
  }
  Recording *R = Recording::current();
  Ticks = NotRecorded;
  if (!L) {
    Ticks = endFramed(Span.Begin, Span.Site, Now);
    L = ThisLane;
  } else if (R && L->Owner) { // else in a forked child: the parent's span
    EndedSpan S{Span.Begin, Span.Site, SpanKind::Node, true,
                L->FoldTicks - Span.FoldTicks};
    if (L->CurrentTicks == Span.Begin && slotOfCurrent(L->Current) == Span.Site)
      S.IsUnlogged = isUnlogged(L->Current);
    // What began inside has its own frame, and noted this span's begin.
    if (uint32_t Depth = depthAround(*L, Span.Begin, Span.Site);
        Depth < L->Depth) {
      L->Depth = Depth;
      S.IsUnlogged = false;
    }
    setCurrent(*L, Span.OuterTicks, Span.Outer);
    Ticks = end(*R, *L, S, Now);
  }
  if (Ticks == NotRecorded)
    Variants::drop(Span.OfShapes);
  else if (Span.OfShapes)
    R->variants().end(*R, *L, Span.Site, Span.OfShapes, Span.Begin, Ticks);
}

void abandonCold(const FrameSpan &Span) {
  Variants::drop(Span.OfShapes);
  Lane *L = ThisLane;
  if (!L || !L->Attached)
    return;
  if (!Span.Owner) {
    popFrame(*L, Span.Begin, Span.Site);
  } else {
    logCurrent(*L);
    L->Depth = depthAround(*L, Span.Begin, Span.Site);
    setCurrent(*L, Span.OuterTicks, Span.Outer);
  }
  dropRoot(*L); // no method catches exceptions
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static Slot regionHere(const Lane &L, uint32_t Name) {
  const SiteName *Text = Line.Regions.nameOf(Name);
  return Text ? Line.Children.childSlot(slotOfCurrent(L.Current),
                                        DynamicKind::Region, *Text)
              : NoSlot;
}

uint64_t beginRegion(uint32_t Name) {
  if (!Line.Regions.nameOf(Name) || !ensureRecording())
    return 0;
  Recording *R = Recording::current();
  Lane *L = R ? R->ownLane() : nullptr;
  OpenFrame F = frameOf(L ? regionHere(*L, Name) : NoSlot);
  F.Region = Name;
  return L && readyLane(*R, F.Site) ? open(*R, *L, F) : LostBegin;
}

/// The site in which a region began; NoSlot if that was on another thread.
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
  Slot Site = NoSlot;
  if (L)
    Site = Begin ? regionBegun(*L, Begin, Name) : regionHere(*L, Name);
  if (Site == NoSlot)
    return count(Counter::LostNoMemory);
  EndedSpan S = popSpan(*L, Begin, Site, SpanKind::Region);
  if (!Process.Open.load(std::memory_order_relaxed))
    return cutSpan(*R, *L, S);
  endOpen(*R, *L, S, Now);
}

} // namespace torchprof
