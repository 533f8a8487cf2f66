//===- Probe.h - the hot path -----------------------------------*- C++ -*-===//
//
// What runs at each probe while recording: no lock, no allocation, no system
// call. Whatever is rare is in ColdPath.cpp.
//
// Each cell has one writer. Its Word works as a sequence lock: odd while the
// owner updates, so that a live reader retries and the file of a killed
// process names the one torn cell that a thread may leave.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PROBE_H
#define TORCHPROF_PROBE_H

#include "Atomics.h"
#include "Clock.h"
#include "ColdPath.h"
#include "Lane.h"
#include "Lineage.h"
#include "Process.h"

namespace torchprof {

/// Adds one span to a cell. Owner only. True if a bucket of the histogram is
/// full now: the next span needs another cell.
inline bool recordSpan(format::Cell &C, uint64_t Ticks) {
  uint64_t Word = C.Word;
  storeRelaxed(C.Word, Word + 1);
  // Release stores keep the odd word before what it protects.
  storeRelease(C.Sum, C.Sum + Ticks);
  auto Square = static_cast<unsigned __int128>(Ticks) * Ticks;
  auto Low = static_cast<uint64_t>(Square);
  uint64_t OldLow = C.SquaresLow;
  storeRelease(C.SquaresLow, OldLow + Low);
  storeRelease(C.SquaresHigh, C.SquaresHigh +
                                  static_cast<uint64_t>(Square >> 64) +
                                  (OldLow + Low < Low));
  if (Ticks < C.Min)
    storeRelease(C.Min, Ticks);
  if (Ticks > C.Max)
    storeRelease(C.Max, Ticks);
  if (Word < 2 * format::FirstSamples) [[unlikely]]
    storeRelease(C.First[Word / 2], Ticks);
  uint32_t &Count = C.Histogram[format::histogramBucket(Ticks)];
  uint32_t Old = Count;
  bool IsFull = Old >= UINT32_MAX - 1;
  if (Old != UINT32_MAX) [[likely]] // it stays full where no other cell was had
    storeRelease(Count, Old + 1);
  storeRelease(C.Word, Word + 2);
  return IsFull;
}

/// Adds one span to the lane's ring of events. Owner only.
inline void traceSpan(Lane &L, format::Slot Site, uint64_t Begin,
                      uint64_t Ticks) {
  format::TraceRecord &T = *L.Trace;
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  if (T.Epoch != Epoch) [[unlikely]] {
    storeRelease(T.Written, 0);
    storeRelease(T.Epoch, Epoch);
  }
  uint64_t Written = T.Written;
  uint64_t Mask = T.Capacity - 1;
  if (Written <= Mask || T.Keep == format::TraceKeep::Last) [[likely]] {
    // Release stores: a reader that sees one sees the count before it too, and
    // knows which older event they overwrite.
    format::TraceEvent &E = L.Events[Written & Mask];
    storeRelease(E.BeginTicks, Begin);
    storeRelease(E.Packed, format::packEvent(Site, Ticks));
  }
  storeRelease(T.Written, Written + 1);
}

/// Begins a span in a cell that is ready; returns its first tick.
inline uint64_t openSpan(Lane &L, SlotEntry &E, format::Slot Site) {
  format::Cell &C = *E.Data;
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  if (C.Epoch != Epoch) [[unlikely]]
    resetCell(E, Epoch);
  storeRelaxed(C.Begins, C.Begins + 1);
  format::LaneRecord &R = *L.Record;
  E.OuterTicks = R.CurrentTicks;
  E.OuterSlot = R.CurrentSlot;
  uint64_t Now = clock::ticks();
  storeRelaxed(R.CurrentTicks, Now);
  storeRelease(R.CurrentSlot, Site);
  return Now;
}

/// Makes the span around the current one the current one, if the current one
/// is the one given: a span may end on another thread than it began on. False
/// if it is not.
inline bool restoreOuter(Lane &L, const SlotEntry &E, uint64_t Begin,
                         format::Slot Site) {
  format::LaneRecord &R = *L.Record;
  if (R.CurrentSlot != Site || R.CurrentTicks != Begin) [[unlikely]]
    return false;
  storeRelaxed(R.CurrentTicks, E.OuterTicks);
  storeRelease(R.CurrentSlot, E.OuterSlot);
  return true;
}

/// True while spans are recorded. The first probe of a process, or of a forked
/// child, makes its recording.
inline bool ensureRecording() {
  if (Process.Open.load(std::memory_order_relaxed)) [[likely]]
    return true;
  return !Process.Current.load(std::memory_order_relaxed) && makeRecording();
}

/// Records a span in an entry that is ready.
inline void closeSpan(Lane &L, SlotEntry &E, uint64_t Begin, format::Slot Site,
                      uint64_t Now) {
  uint64_t Ticks = Now - Begin;
  if (Ticks >= AbsurdTicks) [[unlikely]]
    Ticks = clampTicks(Begin, Now);
  restoreOuter(L, E, Begin, Site);
  if (recordSpan(*E.Data, Ticks)) [[unlikely]]
    continueCell(L, E);
  if (L.Trace) [[unlikely]]
    traceSpan(L, Site, Begin, Ticks);
}

/// True if a span that began at \p Begin belongs to the recording that goes
/// on.
inline bool isOfThisRecording(const SlotEntry &E, uint64_t Begin,
                              uint64_t Open) {
  return Begin >= Open &&
         E.Data->Epoch == Process.Epoch.load(std::memory_order_relaxed);
}

/// Ends the span that began at \p Begin.
inline void endSlot(uint64_t Begin, format::Slot Site) {
  uint64_t Open = Process.Open.load(std::memory_order_relaxed);
  if (!Open) [[unlikely]]
    return endShut(Begin, Site);
  uint64_t Now = clock::ticks();
  Lane *L = ThisLane;
  SlotEntry *E = readyEntry(L, Site);
  if (!E || E->Flags || !isOfThisRecording(*E, Begin, Open)) [[unlikely]]
    return endCold(Begin, Site, Now);
  closeSpan(*L, *E, Begin, Site, Now);
}

/// A span of a slot that is no root, begun while the gate is open and ended in
/// the same native frame: the entry that was ready at its begin need not be
/// looked up again, unless the lane was wiped by a fork or has moved its
/// entries since.
class FrameSpan {
public:
  explicit FrameSpan(format::Slot Site)
      : Owner(ThisLane), Entry(readyEntry(Owner, Site)),
        Begin(Entry ? openSpan(*Owner, *Entry, Site) : beginCold(Site)),
        Site(Site) {}

  void end() {
    uint64_t Open = Process.Open.load(std::memory_order_relaxed);
    if (!Open) [[unlikely]]
      return endShut(Begin, Site);
    uint64_t Now = clock::ticks();
    if (!Entry || number(Site) >= Owner->SlotCount ||
        Owner->Slots + number(Site) != Entry ||
        !isOfThisRecording(*Entry, Begin, Open)) [[unlikely]]
      return endCold(Begin, Site, Now);
    closeSpan(*Owner, *Entry, Begin, Site, Now);
  }

  uint64_t begin() const { return Begin; }

private:
  Lane *Owner;
  SlotEntry *Entry; ///< null if it was not ready
  uint64_t Begin;
  format::Slot Site;
};

inline uint64_t beginSpan(format::SiteId Id) {
  if (!ensureRecording()) [[unlikely]]
    return 0;
  format::Slot Site = Line.Models.slotOf(Id);
  Lane *L = ThisLane;
  SlotEntry *E = readyEntry(L, Site);
  return E ? openSpan(*L, *E, Site) : beginCold(Site);
}

inline void endSpan(uint64_t Begin, format::SiteId Id) {
  if (!Begin && !Process.Open.load(std::memory_order_relaxed) &&
      !Process.CountsSteps.load(std::memory_order_relaxed)) [[unlikely]]
    return;
  endSlot(Begin, Line.Models.slotOf(Id));
}

} // namespace torchprof

#endif // TORCHPROF_PROBE_H
