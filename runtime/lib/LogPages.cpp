//===- LogPages.cpp - where a lane's log goes on --------------------------===//

#include "LogPages.h"

#include "Clock.h"
#include "CpuTime.h"
#include "Pages.h"
#include "Process.h"
#include "Recording.h"
#include "torchprof/format/Fold.h"

#include <algorithm>

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
  FoldLock Lock(L);
  if (L.Log->Keep == LogKeep::None && L.Log->Folded == L.Written)
    goOnAt(L, L.Log->Base + roundUp(L.Written - L.Log->Base, LogRing));
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

namespace {

/// Folds the records of a lane before number \p End, in their order. Holds the
/// lane's lock as long as it lives.
class Folder {
public:
  /// \p R makes cells for the owner; the folding thread has none.
  Folder(Recording *R, Lane &L, uint64_t End)
      : Lock(L), R(R), L(L), End(End), Epoch(currentEpoch()),
        Places(placesOf(*L.Log)) {}

  /// False if it stopped at a record that only the owner can fold.
  bool run();

  /// Adds to what folding has taken.
  void addTicks(uint64_t Ticks) {
    storeRelaxed(L.Log->FoldTicks, L.Log->FoldTicks + Ticks);
  }

private:
  static LogRecord placesOf(const LogRecord &Log) {
    LogRecord Places{};
    Places.Ring = Log.Ring;
    Places.Base = Log.Base;
    Places.Kept = Log.Kept;
    return Places;
  }
  const LogEntry &entry(uint64_t Number) const {
    return L.Entries[placeOf(Places, Number)];
  }
  void prefetch(uint64_t Number) const;
  bool fold(uint64_t Number);
  bool add(const LogEntry &E, uint64_t Number, uint64_t Ticks, LogFate Fate);
  bool isReady(const SlotEntry *Entry, const LogEntry &E, uint64_t Ticks) const;

  FoldLock Lock;
  Recording *R;
  Lane &L;
  uint64_t End;
  // Read after End: no record before it is of a later epoch.
  EpochStart Epoch;
  const LogRecord Places; ///< where records lie
  uint64_t LongTicks = 0; ///< of a Long record just before
  uint64_t Spans = 0;     ///< of this epoch
};

} // namespace

void Folder::prefetch(uint64_t Number) const {
  if (Number + EntriesAhead < End)
    __builtin_prefetch(&L.Slots[number(siteOf(entry(Number + EntriesAhead)))]);
  if (Number + CellsAhead >= End)
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

/// True if the record can be added to its slot's cell as it is. The owner alone
/// makes, empties and continues cells: it looks at them without the lock.
bool Folder::isReady(const SlotEntry *Entry, const LogEntry &E,
                     uint64_t Ticks) const {
  return Entry && Entry->Data->Epoch == Epoch.Number &&
         (!isSpan(E) ||
          Entry->Data->Histogram[histogramBucket(Ticks)] < UINT32_MAX - 1);
}

bool Folder::add(const LogEntry &E, uint64_t Number, uint64_t Ticks,
                 LogFate Fate) {
  SlotEntry *Entry = knownEntry(L, siteOf(E));
  if (!R && !isReady(Entry, E, Ticks)) [[unlikely]]
    return false;
  if (!Entry) [[unlikely]]
    Entry = R->touchSlotLocked(L, siteOf(E));
  if (!Entry) [[unlikely]] {
    if (isSpan(E))
      count(Counter::LostNoMemory);
    return true;
  }
  Cell &C = *Entry->Data;
  if (C.Epoch != Epoch.Number) [[unlikely]]
    resetCell(*Entry, Epoch.Number);
  if (Fate == LogFate::IsCut) [[unlikely]] {
    foldCut(C, *L.Log, Number);
    return true;
  }
  Spans += isSpan(E);
  if (foldRecord(C, *L.Log, Number, kindOf(E), Ticks)) [[unlikely]]
    R->continueCell(L, *Entry);
  return true;
}

bool Folder::fold(uint64_t Number) {
  const LogEntry &E = entry(Number);
  if (kindOf(E) == LogKind::Long) {
    LongTicks = E.BeginTicks;
    return true;
  }
  uint64_t Ticks = durationOf(E);
  if (LongTicks) [[unlikely]]
    Ticks = LongTicks;
  LogFate Fate = fateOf(E, Ticks, Epoch.Ticks);
  if (Fate != LogFate::IsPast && !add(E, Number, Ticks, Fate)) [[unlikely]]
    return false;
  LongTicks = 0;
  return true;
}

bool Folder::run() {
  uint64_t Number = L.Log->Folded;
  bool IsDone = true;
  for (; IsDone && Number < End; ++Number) {
    prefetch(Number);
    IsDone = fold(Number);
  }
  if (!IsDone) // again, with the Long record before it
    Number -= LongTicks ? 2 : 1;
  storeRelease(L.Log->Folded, Number);
  if (L.Log->Epoch == Epoch.Number)
    storeRelaxed(L.Log->Spans, L.Log->Spans + Spans);
  return IsDone;
}

void foldLog(Lane &L) {
  Recording *R = Recording::existing();
  if (!R || loadAcquire(L.Log->Folded) >= L.Written)
    return;
  uint64_t Start = clock::ticks();
  Folder Fold(R, L, L.Written);
  Fold.run();
  L.CellsReady.store(true, std::memory_order_relaxed);
  uint64_t Now = clock::ticks();
  L.Fold.addFolding(Now - Start);
  Fold.addTicks(Now - Start);
  // Open spans take the cold path, which subtracts this. If another thread has
  // just changed the gate, all of them do.
  std::atomic<uint64_t> &Gate = gateOf(L);
  uint64_t Since = Gate.load(std::memory_order_relaxed);
  if (slotOfCurrent(L.Current) != NoSlot && Since && Since != GateShut)
    Gate.compare_exchange_strong(Since, Now, std::memory_order_relaxed);
}

bool foldLeftPage(Lane &L) {
  uint64_t UpTo = L.FoldUpTo.load(std::memory_order_acquire);
  if (!UpTo || !L.CellsReady.load(std::memory_order_relaxed))
    return false;
  uint64_t Folded = loadAcquire(L.Log->Folded);
  if (Folded >= UpTo)
    return false;
  // At the end of a page no record is apart from the Long one before it.
  uint64_t StartNs = threadCpuNs();
  Folder Fold(/*R=*/nullptr, L,
              std::min(UpTo, roundUp(Folded + 1, LogPageEntries)));
  bool IsDone = Fold.run();
  if (!IsDone)
    L.CellsReady.store(false, std::memory_order_relaxed);
  double Seconds = double(threadCpuNs() - StartNs) / 1e9;
  Fold.addTicks(uint64_t(Seconds * double(clock::nominalTicksPerSecond())));
  return IsDone;
}

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

/// Leaves what is in the log to the folding thread, if it is to fold and can.
static bool leaveToThread(Lane &L) {
  Recording *R = Recording::existing();
  return R && R->folding().take(L);
}

void logPageEnded(Lane &L) {
  uint64_t Unfolded = L.Written - loadAcquire(L.Log->Folded);
  if (Unfolded > LogRing - 2 * LogPageEntries) {
    foldLog(L);
    rewind(L);
  } else if (Unfolded > LogRing / 2) {
    leaveToThread(L);
  }
  goOnAt(L, L.Written);
}

void logRunEnded(Lane &L) {
  if (L.Written - loadAcquire(L.Log->Folded) < WorthFolding || leaveToThread(L))
    return;
  foldLog(L);
  rewind(L);
}

void emptyLog(Lane &L, uint32_t Epoch) {
  foldLog(L);
  FoldLock Lock(L);
  L.CellsReady.store(false, std::memory_order_relaxed);
  storeRelaxed(L.Log->Spans, 0);
  storeRelaxed(L.Log->FoldTicks, 0);
  storeRelaxed(L.Log->Start, L.Written);
  storeRelease(L.Log->Epoch, Epoch);
  if (L.Log->Keep != LogKeep::First)
    return;
  // The first spans from here on are kept.
  uint64_t Number = roundUp(L.Written, LogPageEntries);
  storeRelease(L.Log->Folded, Number);
  storeRelease(L.Log->Base, Number);
  goOnAt(L, Number);
}

void followReset(Lane &L) {
  uint32_t Epoch = Process.Epoch.load(std::memory_order_acquire);
  if (L.Log->Epoch != Epoch)
    emptyLog(L, Epoch);
}

} // namespace torchprof
