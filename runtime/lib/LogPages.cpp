//===- LogPages.cpp - where a lane's log goes on --------------------------===//

#include "LogPages.h"

#include "Clock.h"
#include "Pages.h"
#include "Process.h"
#include "Recording.h"
#include "torchprof/format/Fold.h"

#include <utility>

namespace torchprof {

using namespace format;

/// A run folds when it leaves so many records: fewer do not pay for the misses
/// that they cannot hide behind each other.
static constexpr uint64_t WorthFolding = 64;

/// How many records ahead a fold asks for the memory that it will need.
static constexpr uint64_t EntriesAhead = 12;
static constexpr uint64_t CellsAhead = 6;

/// Goes on at record \p Number, which begins a page.
static void goOnAt(Lane &L, uint64_t Number) {
  if (Number != L.Written) {
    // In this order: what is unfolded lies between Folded and Written.
    storeRelease(L.Log->Folded, Number);
    L.Written = Number;
    storeRelease(L.Log->Written, Number);
  }
  L.Next = &L.Entries[placeOf(*L.Log, Number)];
}

/// Lets an empty log that keeps nothing go on at its first page.
static void rewind(Lane &L) {
  if (L.Log->Keep == LogKeep::None && L.Log->Folded == L.Written)
    goOnAt(L, L.Log->Base + roundUp(L.Written - L.Log->Base, LogRing));
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

namespace {

/// Folds the records of a lane, in their order.
class Folder {
public:
  Folder(Recording &R, Lane &L)
      : R(R), L(L), Epoch(Process.Epoch.load(std::memory_order_acquire)),
        ResetTicks(Process.ResetTicks.load(std::memory_order_acquire)),
        Head(*L.Log) {}

  void run();

private:
  const LogEntry &entry(uint64_t Number) const {
    return L.Entries[placeOf(Head, Number)];
  }
  void prefetch(uint64_t Number) const;
  void fold(uint64_t Number);

  Recording &R;
  Lane &L;
  uint32_t Epoch;
  uint64_t ResetTicks;
  const LogRecord Head;   ///< the log's as it was: where records lie
  uint64_t LongTicks = 0; ///< of a Long record just before
  uint64_t Spans = 0;     ///< of this epoch
};

} // namespace

void Folder::prefetch(uint64_t Number) const {
  if (Number + EntriesAhead < L.Written)
    __builtin_prefetch(&L.Slots[number(siteOf(entry(Number + EntriesAhead)))]);
  if (Number + CellsAhead >= L.Written)
    return;
  const LogEntry &E = entry(Number + CellsAhead);
  const SlotEntry *Known = knownEntry(L, siteOf(E));
  if (!Known)
    return;
  const Cell *C = Known->Data;
  __builtin_prefetch(C, /*rw=*/1);
  __builtin_prefetch(&C->Min, /*rw=*/1);
  if (isSpan(E))
    __builtin_prefetch(&C->Histogram[histogramBucket(durationOf(E))], 1);
}

void Folder::fold(uint64_t Number) {
  const LogEntry &E = entry(Number);
  LogKind Kind = kindOf(E);
  if (Kind == LogKind::Long) {
    LongTicks = E.BeginTicks;
    return;
  }
  uint64_t Ticks = durationOf(E);
  if (LongTicks) [[unlikely]]
    Ticks = std::exchange(LongTicks, 0);
  LogFate Fate = fateOf(E, Ticks, ResetTicks);
  if (Fate == LogFate::IsPast) [[unlikely]]
    return;
  SlotEntry *Entry = knownEntry(L, siteOf(E));
  if (!Entry) [[unlikely]]
    Entry = R.touchSlot(L, siteOf(E));
  if (!Entry) [[unlikely]] {
    if (isSpan(E))
      count(Counter::LostNoMemory);
    return;
  }
  Cell &C = *Entry->Data;
  if (C.Epoch != Epoch) [[unlikely]]
    resetCell(*Entry, Epoch);
  if (Fate == LogFate::IsCut) [[unlikely]]
    return foldCut(C, Number);
  Spans += isSpan(E);
  if (foldRecord(C, *L.Log, Number, Kind, Ticks)) [[unlikely]]
    R.continueCell(L, *Entry);
}

void Folder::run() {
  uint64_t Start = clock::ticks();
  uint64_t End = L.Written;
  for (uint64_t Number = L.Log->Folded; Number < End; ++Number) {
    prefetch(Number);
    fold(Number);
  }
  storeRelease(L.Log->Folded, End);
  if (L.Log->Epoch == Epoch)
    storeRelaxed(L.Log->Spans, L.Log->Spans + Spans);
  uint64_t Now = clock::ticks();
  L.FoldTicks += Now - Start;
  storeRelaxed(L.Log->FoldTicks, L.Log->FoldTicks + (Now - Start));
  // Open spans take the cold path, which subtracts this. If another thread has
  // just changed the gate, all of them do.
  uint64_t Since = L.Since.load(std::memory_order_relaxed);
  if (slotOfCurrent(L.Current) != NoSlot && Since && Since != GateShut)
    L.Since.compare_exchange_strong(Since, Now, std::memory_order_relaxed);
}

void foldLog(Lane &L) {
  Recording *R = Recording::existing();
  if (R && L.Log->Folded < L.Written)
    Folder(*R, L).run();
}

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

void logPageEnded(Lane &L) {
  if (L.Written - L.Log->Folded > LogRing - 2 * LogPageEntries) {
    foldLog(L);
    rewind(L);
  }
  goOnAt(L, L.Written);
}

void logRunEnded(Lane &L) {
  if (L.Written - L.Log->Folded < WorthFolding)
    return;
  foldLog(L);
  rewind(L);
}

void followReset(Lane &L) {
  uint32_t Epoch = Process.Epoch.load(std::memory_order_acquire);
  if (L.Log->Epoch == Epoch)
    return;
  foldLog(L);
  storeRelaxed(L.Log->Spans, 0);
  storeRelease(L.Log->Epoch, Epoch);
  if (L.Log->Keep != LogKeep::First)
    return;
  // The first spans of the new epoch are kept.
  uint64_t Number = roundUp(L.Written, LogPageEntries);
  storeRelease(L.Log->Folded, Number);
  storeRelease(L.Log->Base, Number);
  goOnAt(L, Number);
}

} // namespace torchprof
