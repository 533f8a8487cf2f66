//===- Totals.cpp - sums over what was recorded ---------------------------===//

#include "Totals.h"

#include "Lane.h"
#include "Process.h"
#include "ProfileFile.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/LiveReader.h"
#include "torchprof/format/Segments.h"

namespace torchprof {

using namespace format;

/// Adds what a log holds that is in no cell yet.
static void addUnfolded(const Lane &L, uint64_t ResetTicks, Totals &T) {
  uint64_t End = loadAcquire(L.Log->Written);
  for (uint64_t I = loadAcquire(L.Log->Folded); I < End; ++I) {
    LogEntry E;
    copyWords(&E, &L.Entries[placeOf(*L.Log, I)], sizeof(E));
    if (kindOf(E) == LogKind::Long || E.BeginTicks < ResetTicks)
      continue;
    T.Begins += countsBegin(kindOf(E));
    T.Count += isSpan(E);
  }
}

/// Adds what its cells hold. Looks at no other lane's segments, of which there
/// may be thousands: whoever needs the process lock waits meanwhile.
static void addCells(const ProfileFile &File, const Lane &L, Totals &T) {
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  for (uint32_t Number = L.CellChain; Number;) {
    const ProfileFile::Segment &S = File.segments()[Number - 1];
    Number = S.Before;
    ConstSegmentOf<SegmentType::Cells> Cells(S.Head);
    uint32_t Used = __atomic_load_n(&Cells.record().Used, __ATOMIC_ACQUIRE);
    T.Cells += Used;
    for (uint32_t I = 0; I < Used; ++I) {
      const Cell &C = Cells.entries()[I];
      if (loadRelaxed(C.Epoch) != Epoch)
        continue;
      T.Count += loadRelaxed(C.Word) / 2;
      T.Cut += loadRelaxed(C.Cut);
      T.Begins += loadRelaxed(C.Begins);
    }
  }
}

bool addLane(const ProfileFile &File, Lane &L, Totals &T) {
  if (pthread_mutex_trylock(&L.FoldMutex) != 0)
    return false;
  if (L.Attached) {
    addUnfolded(L, currentEpoch().Ticks, T);
    addCells(File, L, T);
  }
  pthread_mutex_unlock(&L.FoldMutex);
  return true;
}

} // namespace torchprof
