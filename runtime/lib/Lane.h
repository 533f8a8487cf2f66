//===- Lane.h - a thread's row of cells -------------------------*- C++ -*-===//
//
// A lane is owned by one thread at a time; only that thread writes its cells.
// When the thread ends, the next new thread continues the lane, so memory is
// bounded by the threads alive at once. Everything hot hangs from one
// thread-local pointer.
//
// The struct is in pages that a forked child finds wiped: SlotCount is 0
// there, which sends every probe down the cold path, and Owner is null.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_LANE_H
#define TORCHPROF_LANE_H

#include "torchprof/format/Records.h"

#include <cstdint>

namespace torchprof {

class Lanes;
class PageSource;
class ProfileFile;
struct Host;
struct MeasureEntry;

enum EntryFlags : uint32_t {
  EF_Root = 1,   ///< a method was entered here
  EF_Region = 2, ///< a user region
};

/// What a lane knows of a slot.
struct SlotEntry {
  format::Cell *Data = nullptr;
  /// The span around the last one begun here, restored at its end.
  uint64_t OuterTicks = 0;
  format::Slot OuterSlot = format::NoSlot;
  uint32_t Flags = 0; ///< EntryFlags
  format::SegmentHeader *Runs = nullptr;
};

/// An open root or region.
struct OpenFrame {
  uint64_t Begin;
  uintptr_t Stack; ///< address of the native frame; 0 for a region
  format::Slot Site;
  uint32_t Region; ///< number of the region's name; 0 for a root
};

inline constexpr unsigned MaxOpenFrames = 64;
inline constexpr unsigned MaxMeasures = 4;

struct Lane {
  SlotEntry *Slots;
  /// Entries that probes may use at once: EntryCount, or 0 in a wiped lane and
  /// in runs in which more than time is measured at every site.
  uint32_t SlotCount;
  uint32_t Depth; ///< number of Frames in use
  format::LaneRecord *Record;
  format::TraceRecord *Trace; ///< null but in trace mode
  format::TraceEvent *Events;
  Lanes *Owner; ///< null in a wiped lane
  uint32_t EntryCount;
  uint32_t Number;              ///< in the file, if Attached
  bool Attached;                ///< has its segment
  bool Measuring;               ///< measures more than time in this run
  bool ColdOnly;                ///< and at every site: SlotCount is 0
  uint32_t CellCount;           ///< of all segments
  format::SegmentHeader *Cells; ///< segment that has room, or null
  uint64_t Runs;                ///< outermost roots entered
  MeasureEntry *Measured;       ///< per entry and measure; null without any
  format::SegmentHeader *MeasureCells[MaxMeasures]; ///< as Cells
  uint64_t LastMeasured[MaxMeasures]; ///< of the span that ended last
  Lane *NextFree;
  OpenFrame Frames[MaxOpenFrames];
};

extern __thread Lane *ThisLane __attribute__((tls_model("initial-exec")));

/// The lane's entry of a slot if a probe can use it at once, else null.
inline SlotEntry *readyEntry(Lane *L, format::Slot Site) {
  if (!L || number(Site) >= L->SlotCount) [[unlikely]]
    return nullptr;
  SlotEntry &E = L->Slots[number(Site)];
  return E.Data ? &E : nullptr;
}

/// The lane's entry of a slot that has a cell, else null.
inline SlotEntry *knownEntry(Lane &L, format::Slot Site) {
  if (number(Site) >= L.EntryCount)
    return nullptr;
  SlotEntry &E = L.Slots[number(Site)];
  return E.Data ? &E : nullptr;
}

/// The lanes of one recording. But for own(), the caller holds the process
/// lock.
class Lanes {
public:
  Lanes(ProfileFile &File, PageSource &Pages, const Host &Program)
      : File(File), Pages(Pages), Program(Program) {}

  /// The calling thread's lane, made or taken over if it has none. Null
  /// without memory. The lane may not be attached to the file yet. Takes the
  /// process lock unless the thread has a lane.
  Lane *own();

  /// Gives the lane its segment, and its ring of events in trace mode. False
  /// without memory.
  bool attach(Lane &L);

  /// Makes room for the entries of the first \p Count slots.
  bool growEntries(Lane &L, uint32_t Count);

  /// A new empty cell for a slot of an attached lane; null without memory.
  format::Cell *newCell(Lane &L, format::Slot Site);

  /// A ring of runs for a root of an attached lane; null without memory.
  format::SegmentHeader *newRuns(Lane &L, format::Slot Site);

  uint32_t count() const { return Count; }

private:
  static void endOfThread(void *Argument);
  void release(Lane &L);

  ProfileFile &File;
  PageSource &Pages;
  const Host &Program;
  Lane *Free = nullptr;
  uint32_t Count = 0;
};

/// Empties a cell for a new epoch, and its ring of runs. Owner only.
void resetCell(SlotEntry &Entry, uint32_t Epoch);

} // namespace torchprof

#endif // TORCHPROF_LANE_H
