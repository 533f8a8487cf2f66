//===- Totals.cpp - sums over what was recorded ---------------------------===//

#include "Totals.h"

#include "Lane.h"
#include "Process.h"
#include "ProfileFile.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/LiveReader.h"
#include "torchprof/format/Segments.h"
#include "torchprof/format/SlotMap.h"

#include <new>

namespace torchprof {

using namespace format;

static bool anySlot(Slot) { return true; }

/// Adds what a log holds of the slots that \p Counts says, and is in no cell
/// yet.
template <typename Predicate>
static void addUnfolded(const LogRecord &Log, const LogEntry *Entries,
                        uint64_t ResetTicks, Totals &T, Predicate Counts) {
  uint64_t End = loadAcquire(Log.Written);
  for (uint64_t I = loadAcquire(Log.Folded); I < End; ++I) {
    LogEntry E;
    copyWords(&E, &Entries[placeOf(Log, I)], sizeof(E));
    if (kindOf(E) == LogKind::Long || E.BeginTicks < ResetTicks ||
        !Counts(siteOf(E)))
      continue;
    T.Begins += countsBegin(kindOf(E));
    T.Count += isSpan(E);
  }
}

/// Adds what a segment's cells hold of the slots that \p Counts says.
template <typename Predicate>
static void addCells(ConstSegmentOf<SegmentType::Cells> Cells, uint32_t Epoch,
                     Totals &T, Predicate Counts) {
  uint32_t Used = __atomic_load_n(&Cells.record().Used, __ATOMIC_ACQUIRE);
  T.Cells += Used;
  for (uint32_t I = 0; I < Used; ++I) {
    const Cell &C = Cells.entries()[I];
    if (loadRelaxed(C.Epoch) != Epoch || !Counts(C.Site))
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
    addCells(ConstSegmentOf<SegmentType::Cells>(S.Head), Epoch, T, anySlot);
  }
}

bool addLane(const ProfileFile &File, Lane &L, Totals &T) {
  if (pthread_mutex_trylock(&L.FoldMutex) != 0)
    return false;
  if (L.Attached) {
    addUnfolded(*L.Log, L.Entries, currentEpoch().Ticks, T, anySlot);
    addCellsOf(L, File, T);
  }
  pthread_mutex_unlock(&L.FoldMutex);
  return true;
}

static void addSlotsOutside(const ProfileFile &File, SlotMap<bool> &Slots) {
  for (const ProfileFile::Segment &S : File.segments()) {
    if (S.InFile)
      continue;
    if (S.Head->Type == SegmentType::Manifest) {
      const ModelRecord &Model =
          ConstSegmentOf<SegmentType::Manifest>(S.Head).record();
      Slots.add(Model.FirstSlot, Model.SiteCount, true);
    } else if (S.Head->Type == SegmentType::DynamicSites) {
      ConstSegmentOf<SegmentType::DynamicSites> Sites(S.Head);
      for (uint32_t I = 0; I < Sites.record().Used; ++I)
        Slots.add(Sites.entries()[I].Site, 1, true);
    }
  }
}

/// The slots of sites that only memory describes; too few without memory.
static SlotMap<bool> slotsOutside(const ProfileFile &File) {
  SlotMap<bool> Slots;
  try {
    addSlotsOutside(File, Slots);
  } catch (const std::bad_alloc &) {
    // The exit goes on.
  }
  return Slots;
}

uint64_t spansOutside(const ProfileFile &File) {
  if (File.path().empty())
    return 0;
  Totals T{};
  EpochStart Epoch = currentEpoch();
  SlotMap<bool> Outside = slotsOutside(File);
  for (const ProfileFile::Segment &S : File.segments()) {
    // A reader leaves out what it finds of sites that it does not know.
    auto IsOutside = [&](Slot Site) {
      return !S.InFile || Outside.find(Site).has_value();
    };
    if (S.Head->Type == SegmentType::Cells) {
      addCells(ConstSegmentOf<SegmentType::Cells>(S.Head), Epoch.Number, T,
               IsOutside);
    } else if (S.Head->Type == SegmentType::Log) {
      ConstSegmentOf<SegmentType::Log> Log(S.Head);
      addUnfolded(Log.record(), Log.entries(), Epoch.Ticks, T, IsOutside);
    }
  }
  return T.Count;
}

} // namespace torchprof
