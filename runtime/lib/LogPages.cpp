//===- LogPages.cpp - where a lane's log goes on --------------------------===//

#include "LogPages.h"

#include "Clock.h"
#include "CpuTime.h"
#include "Folder.h"
#include "Pages.h"
#include "Process.h"
#include "Recording.h"

#include <algorithm>
#include <utility>

namespace torchprof {

using namespace format;

/// The folding thread is told of so many records: fewer do not pay for the
/// misses that they cannot hide behind each other.
static constexpr uint64_t WorthTelling = 64;
/// With more unfolded records the owner folds at the end of the next page.
static constexpr uint64_t MostUnfolded = LogRing - 2 * LogPageEntries;

/// Goes on at record \p Number, which begins a page.
static void goOnAt(Lane &L, uint64_t Number) {
  if (Number != L.Written) {
    // In this order: what is unfolded lies between Folded and Written.
    storeRelease(L.Log->Folded, Number);
    L.Written = Number;
    storeRelease(L.Log->Written, Number);
  }
  L.Page = &L.Entries[placeOf(*L.Log, Number)];
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

void foldLog(Lane &L) {
  Recording *R = Recording::existing();
  if (!R || loadAcquire(L.Log->Folded) >= L.Written)
    return;
  uint64_t Start = clock::ticks();
  Folder Fold(R, L, L.Written);
  Fold.run();
  L.CellsReady.store(true, std::memory_order_relaxed);
  uint64_t Now = clock::ticks();
  uint64_t Ticks = clock::ticksBetween(Start, Now);
  L.Clock.addApart(Ticks);
  Fold.addTicks(Ticks);
  // Open spans take the cold path, which subtracts this, and no span begins
  // where one ended before it. If another thread has just changed the gate, all
  // of them do.
  std::atomic<uint64_t> &Gate = gateOf(L);
  uint64_t Since = Gate.load(std::memory_order_relaxed);
  if (Since && Since != GateShut)
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
  if (Unfolded > MostUnfolded) {
    foldLog(L);
    rewind(L);
  } else if (Unfolded > LogRing / 2) {
    leaveToThread(L);
  }
  goOnAt(L, L.Written);
}

void logRunEnded(Lane &L) {
  uint64_t Unfolded = L.Written - loadAcquire(L.Log->Folded);
  uint64_t OfRun = L.Written - std::exchange(L.RunsWritten, L.Written);
  // Whatever is to fold: the owner makes the cells, so that later runs allocate
  // nothing.
  if (L.CellsReady.load(std::memory_order_relaxed)) {
    Recording *R = Recording::existing();
    bool IsLeft = R && R->folding().isWanted()
                      ? Unfolded < WorthTelling || leaveToThread(L)
                      : Unfolded + OfRun <= MostUnfolded;
    if (IsLeft)
      return;
  }
  foldLog(L);
  rewind(L);
  L.RunsWritten = L.Written;
}

void emptyLog(Lane &L, uint32_t Epoch) {
  foldLog(L);
  FoldLock Lock(L);
  L.CellsReady.store(false, std::memory_order_relaxed);
  storeRelaxed(L.Log->Spans, 0);
  storeRelaxed(L.Log->ApartTicks, 0);
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
