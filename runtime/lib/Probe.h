//===- Probe.h - the hot path -----------------------------------*- C++ -*-===//
//
// What runs at each probe while recording: no lock, no allocation, no system
// call. Whatever is rare goes to a function of SlowPath.cpp.
//
// Each cell has one writer. Its Word works as a sequence lock: odd while the
// owner updates, so that a live reader retries and the file of a killed
// process names the one torn cell that a thread may leave.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PROBE_H
#define TORCHPROF_PROBE_H

#include "Clock.h"
#include "Lane.h"
#include "Process.h"
#include "Registry.h"

namespace torchprof {

/// A span of this many ticks or more is taken for a clock fault: at 4 GHz it
/// is half a year.
inline constexpr uint64_t AbsurdTicks = uint64_t(1) << 56;

template <typename T> inline T loadRelaxed(const T &Field) {
  return __atomic_load_n(&Field, __ATOMIC_RELAXED);
}
template <typename T> inline void storeRelaxed(T &Field, T Value) {
  __atomic_store(&Field, &Value, __ATOMIC_RELAXED);
}
template <typename T> inline void storeRelease(T &Field, T Value) {
  __atomic_store(&Field, &Value, __ATOMIC_RELEASE);
}

/// Adds one span to a cell. Owner only.
inline void recordSpan(format::Cell &C, uint64_t Ticks) {
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
  unsigned Bucket = format::histogramBucket(Ticks);
  uint32_t Count = C.HistogramLow[Bucket] + 1;
  storeRelease(C.HistogramLow[Bucket], Count);
  if (Count == 0) [[unlikely]]
    storeRelease(C.HistogramHigh[Bucket],
                 static_cast<uint16_t>(C.HistogramHigh[Bucket] + 1));
  storeRelease(C.Word, Word + 2);
}

/// Adds one span to the lane's ring of events. Owner only.
inline void traceSpan(Lane &L, uint32_t Slot, uint64_t Begin, uint64_t Ticks) {
  constexpr uint64_t Longest = (uint64_t(1) << format::TraceDurationBits) - 1;
  format::TraceRecord &T = *L.Trace;
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  if (T.Epoch != Epoch) [[unlikely]] {
    storeRelease(T.Written, uint64_t(0));
    storeRelease(T.Epoch, Epoch);
  }
  uint64_t Written = T.Written;
  uint64_t Mask = T.Capacity - 1;
  if (Written <= Mask || T.Keep == format::TraceKeep::Last) [[likely]] {
    // Release stores: a reader that sees one sees the count before it too, and
    // knows which older event they overwrite.
    format::TraceEvent &E = L.Events[Written & Mask];
    storeRelease(E.BeginTicks, Begin);
    storeRelease(E.Packed, uint64_t(Slot) << format::TraceDurationBits |
                               (Ticks < Longest ? Ticks : Longest));
  }
  storeRelease(T.Written, Written + 1);
}

// Slow paths, in SlowPath.cpp.
bool beginShut();
uint64_t beginSlow(uint32_t Slot);
void endSlow(uint64_t Begin, uint32_t Slot, uint64_t Now);
void endShut(uint64_t Begin, uint32_t Slot);
uint64_t clampTicks(uint64_t Begin, uint64_t Now);

/// The lane's entry of a slot if it can be used at once, else null.
inline SlotEntry *readyEntry(Lane *L, uint32_t Slot) {
  if (!L || Slot >= L->SlotCount) [[unlikely]]
    return nullptr;
  SlotEntry &E = L->Slots[Slot];
  return E.Data ? &E : nullptr;
}

/// Begins a span in a cell that is ready; returns its first tick.
inline uint64_t openSpan(Lane &L, SlotEntry &E, uint32_t Slot) {
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
  storeRelease(R.CurrentSlot, Slot);
  return Now;
}

/// Makes the span around the current one the current one, if the current one
/// is the one given: a span may end on another thread than it began on. False
/// if it is not.
inline bool restoreOuter(Lane &L, const SlotEntry &E, uint64_t Begin,
                         uint32_t Slot) {
  format::LaneRecord &R = *L.Record;
  if (R.CurrentSlot != Slot || R.CurrentTicks != Begin) [[unlikely]]
    return false;
  storeRelaxed(R.CurrentTicks, E.OuterTicks);
  storeRelease(R.CurrentSlot, E.OuterSlot);
  return true;
}

/// True while spans are recorded. Makes the process ready at its first probe.
inline bool gateIsOpen() {
  if (Process.Open.load(std::memory_order_relaxed)) [[likely]]
    return true;
  return !Process.Ready.load(std::memory_order_relaxed) && beginShut();
}

/// Records a span in an entry that is ready.
inline void closeSpan(Lane &L, SlotEntry &E, uint64_t Begin, uint32_t Slot,
                      uint64_t Now) {
  uint64_t Ticks = Now - Begin;
  if (Ticks >= AbsurdTicks) [[unlikely]]
    Ticks = clampTicks(Begin, Now);
  restoreOuter(L, E, Begin, Slot);
  recordSpan(*E.Data, Ticks);
  if (L.Trace) [[unlikely]]
    traceSpan(L, Slot, Begin, Ticks);
}

/// True if a span that began at \p Begin belongs to the recording that goes
/// on.
inline bool isOfThisRecording(const SlotEntry &E, uint64_t Begin,
                              uint64_t Open) {
  return Begin >= Open &&
         E.Data->Epoch == Process.Epoch.load(std::memory_order_relaxed);
}

/// Ends the span that began at \p Begin.
inline void endSlot(uint64_t Begin, uint32_t Slot) {
  uint64_t Open = Process.Open.load(std::memory_order_relaxed);
  if (!Open) [[unlikely]]
    return endShut(Begin, Slot);
  uint64_t Now = clock::ticks();
  Lane *L = ThisLane;
  SlotEntry *E = readyEntry(L, Slot);
  if (!E || E->IsRoot || !isOfThisRecording(*E, Begin, Open)) [[unlikely]]
    return endSlow(Begin, Slot, Now);
  closeSpan(*L, *E, Begin, Slot, Now);
}

/// A span of a slot that is no root, begun while the gate is open and ended in
/// the same native frame: the entry that was ready at its begin need not be
/// looked up again, unless the lane was wiped by a fork or has moved its
/// entries since.
class FrameSpan {
public:
  explicit FrameSpan(uint32_t Slot)
      : Owner(ThisLane), Entry(readyEntry(Owner, Slot)),
        Begin(Entry ? openSpan(*Owner, *Entry, Slot) : beginSlow(Slot)),
        Slot(Slot) {}

  void end() {
    uint64_t Open = Process.Open.load(std::memory_order_relaxed);
    if (!Open) [[unlikely]]
      return endShut(Begin, Slot);
    uint64_t Now = clock::ticks();
    if (!Entry || Slot >= Owner->SlotCount || Owner->Slots + Slot != Entry ||
        !isOfThisRecording(*Entry, Begin, Open)) [[unlikely]]
      return endSlow(Begin, Slot, Now);
    closeSpan(*Owner, *Entry, Begin, Slot, Now);
  }

  uint64_t begin() const { return Begin; }

private:
  Lane *Owner;
  SlotEntry *Entry; ///< null if it was not ready
  uint64_t Begin;
  uint32_t Slot;
};

inline uint64_t beginSpan(uint64_t Site) {
  if (!gateIsOpen()) [[unlikely]]
    return 0;
  uint32_t Slot = slotOf(Site);
  Lane *L = ThisLane;
  SlotEntry *E = readyEntry(L, Slot);
  return E ? openSpan(*L, *E, Slot) : beginSlow(Slot);
}

inline void endSpan(uint64_t Begin, uint64_t Site) {
  if (!Begin && !Process.Open.load(std::memory_order_relaxed) &&
      !Process.CountsSteps.load(std::memory_order_relaxed)) [[unlikely]]
    return;
  endSlot(Begin, slotOf(Site));
}

} // namespace torchprof

#endif // TORCHPROF_PROBE_H
