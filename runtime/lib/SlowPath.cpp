//===- SlowPath.cpp - probes where something is rare ----------------------===//
//
// First touches, roots and regions, windows' edges, models in conflict, a
// forked child's first probe.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "Probe.h"

namespace torchprof {

using namespace format;

/// Ticks from \p Begin to \p Now where they cannot be right.
uint64_t clampTicks(uint64_t Begin, uint64_t Now) {
  if (Now < Begin) {
    count(Counter::ClockBackwards);
    return 0;
  }
  count(Counter::ClockClamped);
  return AbsurdTicks;
}

bool beginShut() {
  ProcessLock Lock;
  makeReady();
  return Process.Open.load(std::memory_order_relaxed) != 0;
}

uint64_t beginSlow(uint32_t Slot) {
  if (Slot != NoSlot)
    if (Lane *L = ownLane())
      if (SlotEntry *E = touchSlot(*L, Slot))
        return openSpan(*L, *E, Slot);
  return clock::ticks(); // its end counts it as lost
}

//===----------------------------------------------------------------------===//
// Open roots and regions
//===----------------------------------------------------------------------===//

/// Drops the innermost frame; what it hid shows again.
static void popFrame(Lane &L) {
  if (L.Frames[--L.Depth].Hides) {
    L.SlotCount = L.HiddenSlotCount;
    L.Hidden = false;
  }
}

static void pushFrame(Lane &L, const OpenFrame &Frame) {
  if (L.Depth == MaxOpenFrames)
    return; // deeper ones count as calls
  L.Frames[L.Depth++] = Frame;
  if (Frame.Hides) {
    L.HiddenSlotCount = L.SlotCount;
    L.SlotCount = 0;
    L.Hidden = true;
  }
}

/// Drops roots that an exception left: a root that is open has its native
/// frame above the caller's, at a higher address.
static void popDeadRoots(Lane &L, uintptr_t Stack) {
  while (L.Depth && L.Frames[L.Depth - 1].Stack &&
         L.Frames[L.Depth - 1].Stack <= Stack)
    popFrame(L);
}

/// Drops the frame of the span that ends, and those that were left open
/// inside it. False if this thread has no such frame.
static bool popMatching(Lane &L, uint64_t Begin, uint32_t Slot) {
  for (uint32_t I = L.Depth; I-- > 0;) {
    if (L.Frames[I].Slot != Slot || L.Frames[I].Begin != Begin)
      continue;
    while (L.Depth > I)
      popFrame(L);
    return true;
  }
  return false;
}

/// True if no root is open on the lane.
static bool hasNoRoot(const Lane &L) {
  for (uint32_t I = 0; I < L.Depth; ++I)
    if (L.Frames[I].Stack)
      return false;
  return true;
}

static bool isRoot(uint32_t Slot) {
  Registered *Entry = entryOf(Slot);
  return Entry && Entry->Roots &&
         Entry->Roots[Slot - Entry->FirstSlot].load(std::memory_order_relaxed);
}

uint64_t enterRoot(uint64_t Site, uintptr_t Stack, bool Hidden) {
  bool Open = gateIsOpen();
  if (!Open && !Process.CountsSteps.load(std::memory_order_relaxed))
    return 0;
  uint32_t Slot = slotOf(Site);
  Lane *L = ownLane();
  if (!L || Slot == NoSlot)
    return Open ? clock::ticks() : 0;
  popDeadRoots(*L, Stack);
  if (Hidden || L->Hidden) {
    uint64_t Now = clock::ticks();
    pushFrame(*L, {Now, Stack, Slot, !L->Hidden});
    return Now;
  }
  modelOf(Site)->Roots[Site & (MaxSitesPerModel - 1)].store(
      1, std::memory_order_relaxed);
  uint64_t Begin = 0;
  if (Open) {
    SlotEntry *E = touchSlot(*L, Slot);
    if (!E)
      return clock::ticks();
    E->IsRoot = 1;
    if (hasNoRoot(*L)) {
      touchRuns(*L, *E);
      if (!L->Depth) // an exception may have left a node there
        storeRelease(L->Record->CurrentSlot, NoSlot);
    }
    Begin = openSpan(*L, *E, Slot);
  }
  pushFrame(*L, {Begin, Stack, Slot, false});
  return Begin;
}

void abandonSpan(uint32_t Slot, uint64_t Begin) {
  Lane *L = ThisLane;
  SlotEntry *E = readyEntry(L, Slot);
  if (!E)
    return;
  restoreOuter(*L, *E, Begin, Slot);
  // No method catches exceptions, so the root around the span is left too.
  if (L->Depth && L->Frames[L->Depth - 1].Stack) {
    OpenFrame Root = L->Frames[L->Depth - 1];
    popFrame(*L);
    if (SlotEntry *R = readyEntry(L, Root.Slot))
      restoreOuter(*L, *R, Root.Begin, Root.Slot);
  }
  if (!L->Depth)
    storeRelease(L->Record->CurrentSlot, NoSlot);
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

/// Brings a cell up to the present generation before a span's end is booked.
/// True if the span's begin was counted in what that emptied: the span began
/// here, just when a reset was made.
static bool freshenCell(SlotEntry &E, bool BeganHere) {
  uint32_t Epoch = Process.Epoch.load(std::memory_order_acquire);
  if (E.Data->Epoch == Epoch)
    return false;
  resetCell(E, Epoch);
  return BeganHere;
}

/// Books a span that a window's edge cut. Does not make a file for it.
static void cutSpan(Lane *L, uint64_t Begin, uint32_t Slot) {
  SlotEntry *E = readyEntry(L, Slot);
  if (!E)
    return;
  bool Emptied = freshenCell(*E, restoreOuter(*L, *E, Begin, Slot));
  // A begin before the opening or the last reset is not in the cell.
  if (Begin == 0 || Emptied ||
      Begin < Process.ResetTicks.load(std::memory_order_relaxed))
    storeRelaxed(E->Data->Begins, E->Data->Begins + 1);
  storeRelaxed(E->Data->Cut, E->Data->Cut + 1);
}

static void recordRun(SlotEntry &E, uint64_t Now, uint64_t Ticks) {
  if (!E.Runs)
    return;
  uint64_t Count = E.Runs->Count;
  auto *Samples = reinterpret_cast<RunSample *>(E.Runs + 1);
  RunSample &Sample = Samples[Count % RunsCapacity];
  storeRelaxed(Sample.EndTicks, Now);
  storeRelaxed(Sample.LatencyTicks, Ticks);
  storeRelease(E.Runs->Count, Count + 1);
}

/// Adds a root's or region's time to the span that it ran in.
static void addNested(Lane &L, uint64_t Ticks) {
  SlotEntry *Outer = readyEntry(&L, L.Record->CurrentSlot);
  if (Outer &&
      Outer->Data->Epoch == Process.Epoch.load(std::memory_order_relaxed))
    storeRelaxed(Outer->Data->Nested, Outer->Data->Nested + Ticks);
}

static void anchorIfDue(uint64_t Now) {
  if (Now < Process.NextAnchor.load(std::memory_order_relaxed) ||
      pthread_mutex_trylock(&Process.Mutex) != 0)
    return;
  if (Now >= Process.NextAnchor.load(std::memory_order_relaxed))
    addAnchor();
  pthread_mutex_unlock(&Process.Mutex);
}

/// Ends a span while the gate is open. \p Frame: a root or region.
static void endOpen(Lane *L, uint64_t Begin, uint32_t Slot, uint64_t Now,
                    bool Frame, bool Run) {
  if (Begin < Process.Open.load(std::memory_order_relaxed))
    return cutSpan(L, Begin, Slot);
  SlotEntry *E = touchSlot(*L, Slot);
  if (!E)
    return count(Counter::LostNoMemory);
  if (freshenCell(*E, restoreOuter(*L, *E, Begin, Slot)))
    storeRelaxed(E->Data->Begins, E->Data->Begins + 1);
  uint64_t Ticks = Now - Begin;
  if (Ticks >= AbsurdTicks)
    Ticks = clampTicks(Begin, Now);
  recordSpan(*E->Data, Ticks);
  if (L->Trace)
    traceSpan(*L, Slot, Begin, Ticks);
  if (!Frame)
    return;
  addNested(*L, Ticks);
  if (!Run)
    return;
  touchRuns(*L, *E);
  recordRun(*E, Now, Ticks);
  anchorIfDue(Now);
}

/// What an end does besides its span: frames and steps.
static void endAny(uint64_t Begin, uint32_t Slot, uint64_t Now) {
  Lane *L = ownLane();
  if (!L)
    return count(Counter::LostNoMemory);
  bool Hidden = L->Hidden;
  bool HasFrame = popMatching(*L, Begin, Slot);
  if (Hidden)
    return count(Counter::LostConflict);
  bool Root = HasFrame || isRoot(Slot);
  bool Run = Root && hasNoRoot(*L);
  if (Process.Open.load(std::memory_order_relaxed))
    endOpen(L, Begin, Slot, Now, Root, Run);
  else if (Begin)
    cutSpan(L, Begin, Slot);
  if (Run && Process.CountsSteps.load(std::memory_order_relaxed))
    advanceStep(false);
}

void endSlow(uint64_t Begin, uint32_t Slot, uint64_t Now) {
  if (Slot == NoSlot)
    return count(Counter::LostNoModel);
  endAny(Begin, Slot, Now);
}

void endShut(uint64_t Begin, uint32_t Slot) {
  if (!Process.Ready.load(std::memory_order_relaxed))
    beginShut();
  bool Steps = Process.CountsSteps.load(std::memory_order_relaxed) != 0;
  if (Slot == NoSlot || (!Begin && !Steps))
    return;
  endAny(Begin, Slot, 0);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

uint32_t regionSlot(std::string_view Name) {
  ProcessLock Lock;
  readOptions();
  return registerRegion(Name);
}

uint64_t beginRegion(uint32_t Slot) {
  if (!gateIsOpen() || Slot == NoSlot)
    return 0;
  Lane *L = ownLane();
  SlotEntry *E = L ? touchSlot(*L, Slot) : nullptr;
  if (!E)
    return clock::ticks();
  uint64_t Begin = openSpan(*L, *E, Slot);
  pushFrame(*L, {Begin, 0, Slot, false});
  return Begin;
}

void endRegion(uint64_t Begin, uint32_t Slot) {
  if (Slot == NoSlot || (!Begin && !gateIsOpen()))
    return;
  uint64_t Now = clock::ticks();
  Lane *L = ownLane();
  if (!L)
    return count(Counter::LostNoMemory);
  popMatching(*L, Begin, Slot);
  if (!gateIsOpen())
    return cutSpan(L, Begin, Slot);
  endOpen(L, Begin, Slot, Now, true, false);
}

} // namespace torchprof
