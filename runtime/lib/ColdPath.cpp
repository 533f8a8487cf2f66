//===- ColdPath.cpp - probes where something is rare ----------------------===//

#include "ColdPath.h"

#include "ColdSpans.h"
#include "FrameworkWatch.h"
#include "MeasuredSpan.h"
#include "MethodLabels.h"
#include "PairShapes.h"
#include "Probe.h"

namespace torchprof {

using namespace format;

bool makeRecording() {
  Recording::current();
  return Process.Open.load(std::memory_order_relaxed) != 0;
}

bool ensureLane() {
  Recording *R = ensureRecording() ? Recording::current() : nullptr;
  return R && R->ownLane();
}

//===----------------------------------------------------------------------===//
// Begins
//===----------------------------------------------------------------------===//

/// True if the operands of nodes in pairs are wanted.
static bool wantsPairs(Recording &R, const Lane &L) {
  return L.WithShapes || (L.Measuring && R.measures().device());
}

void beginCold(FrameSpan &Span, Operands Of) {
  if (!Span.OfShapes && beginMeasured(Span, Of))
    return;
  Span.Owner = nullptr;
  Span.Begin = LostBegin;
  Recording *R = Recording::current();
  Lane *L = R ? readyLane(*R, Span.Site) : nullptr;
  if (!L)
    return;
  beginWithoutRun(*R, *L);
  if (!Span.OfShapes)
    Span.OfShapes = R->variants().begin(*L, Span.Site, Of);
  Span.Begin = open(*R, *L, frameOf(Span.Site), Of);
}

/// Opens a pair or a root, whose operands are read before the clock is.
static uint64_t openWith(Recording &R, Lane &L, const OpenFrame &F,
                         const Operands &Of) {
  OpenVariant Shapes = R.variants().beginApart(L, F.Site, Of);
  uint64_t Begin = open(R, L, F);
  keepPairShape(L, F.Site, Begin, Shapes);
  return Begin;
}

uint64_t beginCold(SiteId Id, const Operands &Of) {
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
  const FrameworkWatch *Watch = frameworkWatch();
  if (Watch && !Of.Stack && wantsPairs(*R, *L))
    Watch->PairBegins();
  return openWith(*R, *L, F, Of);
}

/// Adds the frame of a span that begins while the gate is shut, which is never
/// current. Returns its begin.
static uint64_t openShut(Lane &L, OpenFrame F) {
  F.Begin = ShutBegin | clock::ticks();
  F.OuterTicks = L.CurrentTicks;
  F.Outer = L.Current;
  pushFrame(L, F);
  return F.Begin;
}

uint64_t beginShut(SiteId Id) {
  Lane *L = ThisLane;
  Slot Site = Line.Models.slotOf(Id);
  if (!L || !L->Owner || !isSuspended(Site))
    return 0;
  OpenFrame F = frameOf(Site);
  F.Pair = Id.number();
  return openShut(*L, F);
}

uint64_t enterRoot(SiteId Id, uintptr_t Stack, const Operands &Of) {
  bool Open = ensureRecording();
  if (!Open && !Process.CountsSteps.load(std::memory_order_relaxed))
    return 0;
  // The thread that has opened the gate may still be making the recording.
  Recording *R = Open ? Recording::current() : Recording::existing();
  const RegisteredModel *Model = Line.Models.modelOf(Id);
  Lane *L = R ? R->ownLane() : nullptr;
  if (!L || !Model)
    return Open ? LostBegin : 0;
  Slot Root = Model->FirstSlot + Id.index();
  dropSuspendedRun(*L, R->endedRuns());
  // Before dead roots go: a pair that an exception left in a task lies below
  // the root that it left.
  bool IsCall = isCalledHere(*L, Root);
  dropDeadRoots(*L, Stack, Model->has(Id.index(), RegisteredModel::IsCalled));
  Model->add(Id.index(), RegisteredModel::Entered);
  OpenFrame F = frameOf(Root);
  F.Stack = Stack;
  bool IsOutermost = !IsCall && !hasOpenRoot(*L);
  // A span of one native frame tells when an exception ends it, so that one
  // which is current is open, and what lies below may be too.
  if (IsOutermost && !isUnlogged(L->Current))
    dropStrayPairs(*L);
  if (!Open)
    return openShut(*L, F);
  if (IsOutermost) {
    dropPairShapes(*L);
    if (measuresMore(*R))
      R->measures().beginRun(*L, R->variants().exist());
    if (const FrameworkWatch *Watch = frameworkWatch())
      Watch->RunBegins();
  }
  return readyLane(*R, F.Site) ? openWith(*R, *L, F, Of) : LostBegin;
}

void leaveRoots(uintptr_t Stack) {
  if (Lane *L = ThisLane)
    dropLeftRoots(*L, Stack); // no method catches exceptions
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

void endCold(uint64_t Begin, SiteId Id, const Operands &Of, uint64_t Now) {
  Slot Site = Line.Models.slotOf(Id);
  EndedTicks Ended = endFramed(Begin, Site, Now, SpanKind::Pair);
  Lane *L = ThisLane;
  Recording *R = Recording::existing();
  if (!L || !R || !wantsPairs(*R, *L))
    return;
  endPairShapes(*R, *L, Site, Begin, Of, Ended);
  if (const FrameworkWatch *Watch = frameworkWatch(); Watch && !Of.Stack)
    Watch->PairEnded();
}

void endCold(uint64_t Begin, SiteId Id, const Operands &Of) {
  if (Process.Open.load(std::memory_order_relaxed))
    return endCold(Begin, Id, Of, clock::ticks());
  makeRecording();
  if (Line.Models.slotOf(Id) != NoSlot)
    endCold(Begin, Id, Of, 0);
}

void endCold(const FrameSpan &Span, uint64_t Now) {
  if (endMeasured(Span, Now))
    return;
  Lane *L = Span.Owner;
  Recording *R = Recording::current();
  EndedTicks Ended = {NotRecorded, 0};
  if (!L) {
    Ended = endFramed(Span.Begin, Span.Site, Now, SpanKind::Node);
    L = ThisLane;
  } else if (R && L->Owner) { // else in a forked child: the parent's span
    EndedSpan S{Span.Begin,
                Span.Site,
                SpanKind::Node,
                true,
                L->Clock.apartSince(Span.Clock),
                Span.Readings};
    if (L->CurrentTicks == Span.Begin && slotOfCurrent(L->Current) == Span.Site)
      S.IsUnlogged = isUnlogged(L->Current);
    // What began inside has its own frame, and noted this span's begin.
    uint32_t Depth = depthAround(*L, Span.Begin, Span.Site);
    if (Depth < L->Depth)
      S.IsUnlogged = false;
    leaveNode(*L, Depth, Span.OuterTicks, Span.Outer);
    Ended = endSpanOf(*R, *L, S, Now);
  }
  if (Ended.Ticks == NotRecorded)
    Variants::drop(Span.OfShapes);
  else if (Span.OfShapes)
    R->variants().end(*R, *L, Span.Site, Span.OfShapes, Span.Begin, Ended);
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

} // namespace torchprof
