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
static void addUnfolded(const LogRecord &Log, const LogEntry *Entries,
                        uint64_t ResetTicks, Totals &T) {
  uint64_t End = loadAcquire(Log.Written);
  for (uint64_t I = loadAcquire(Log.Folded); I < End; ++I) {
    LogEntry E;
    copyWords(&E, &Entries[placeOf(Log, I)], sizeof(E));
    if (kindOf(E) == LogKind::Long || E.BeginTicks < ResetTicks)
      continue;
    T.Begins += countsBegin(kindOf(E));
    T.Count += isSpan(E);
  }
}

/// Adds what a segment's cells hold.
static void addCells(ConstSegmentOf<SegmentType::Cells> Cells, uint32_t Epoch,
                     Totals &T) {
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

/// Adds what a lane's cells hold. Looks at no other lane's segments, of which
/// there may be thousands: whoever needs the process lock waits meanwhile.
static void addCellsOf(const Lane &L, const ProfileFile &File, Totals &T) {
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  for (uint32_t Number = L.CellChain; Number;) {
    const ProfileFile::Segment &S = File.segments()[Number - 1];
    Number = S.Before;
    addCells(ConstSegmentOf<SegmentType::Cells>(S.Head), Epoch, T);
  }
}

bool addLane(const ProfileFile &File, Lane &L, Totals &T) {
  if (pthread_mutex_trylock(&L.FoldMutex) != 0)
    return false;
  if (L.Attached) {
    addUnfolded(*L.Log, L.Entries, currentEpoch().Ticks, T);
    addCellsOf(L, File, T);
  }
  pthread_mutex_unlock(&L.FoldMutex);
  return true;
}

uint64_t spansOutside(const ProfileFile &File) {
  if (File.path().empty())
    return 0;
  Totals T{};
  EpochStart Epoch = currentEpoch();
  for (const ProfileFile::Segment &S : File.segments()) {
    if (S.InFile)
      continue;
    if (S.Head->Type == SegmentType::Cells) {
      addCells(ConstSegmentOf<SegmentType::Cells>(S.Head), Epoch.Number, T);
    } else if (S.Head->Type == SegmentType::Log) {
      ConstSegmentOf<SegmentType::Log> Log(S.Head);
      addUnfolded(Log.record(), Log.entries(), Epoch.Ticks, T);
    }
  }
  return T.Count;
}

} // namespace torchprof
