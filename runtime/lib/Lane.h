//===- Lane.h - what one thread writes --------------------------*- C++ -*-===//
//
// A lane is owned by one thread at a time; only that thread writes its cells.
// When the thread ends, the next new thread continues the lane, so memory is
// bounded by the threads alive at once. Everything hot hangs from one
// thread-local pointer.
//
// The struct is in pages that a forked child finds wiped: SlotCount is 0
// there, which sends every probe down the slow path.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_LANE_H
#define TORCHPROF_LANE_H

#include "torchprof/format/Records.h"

#include <cstdint>

namespace torchprof {

/// What a lane knows of a slot.
struct SlotEntry {
  format::Cell *Data = nullptr;
  /// The span around the last one begun here, restored at its end.
  uint64_t OuterTicks = 0;
  uint32_t OuterSlot = format::NoSlot;
  uint32_t IsRoot = 0;
  format::RunsRecord *Runs = nullptr;
};

/// An open root or region.
struct OpenFrame {
  uint64_t Begin;
  uintptr_t Stack; ///< address of the native frame; 0 for a region
  uint32_t Slot;
  bool Hides; ///< a model in conflict: nothing is recorded until it ends
};

inline constexpr unsigned MaxOpenFrames = 64;

struct Lane {
  SlotEntry *Slots;
  uint32_t SlotCount; ///< 0 in a wiped lane and while a model is hidden
  uint32_t Depth;     ///< number of Frames in use
  format::LaneRecord *Record;
  format::TraceRecord *Trace; ///< null but in trace mode
  format::TraceEvent *Events;
  format::CellsRecord *Cells; ///< segment that has room, or null
  uint64_t Magic;             ///< LaneMagic, 0 when wiped
  uint32_t Number;            ///< number in the file
  uint32_t HiddenSlotCount;   ///< SlotCount while Hidden
  bool Hidden;                ///< a model in conflict runs here
  uint32_t CellCount;         ///< cells of all segments
  bool Attached;              ///< has its segment
  Lane *NextFree;
  OpenFrame Frames[MaxOpenFrames];
};

inline constexpr uint64_t LaneMagic = 0x656e616c2e66; // "f.lane"

extern __thread Lane *ThisLane __attribute__((tls_model("initial-exec")));

/// The calling thread's lane, made or taken over if it has none. Null without
/// memory. The lane may not be attached to a file yet.
Lane *ownLane();

/// Makes sure that the calling thread's lane has a cell for \p Slot; makes
/// the profile file if there is none yet. Null if that cannot be had.
SlotEntry *touchSlot(Lane &L, uint32_t Slot);

/// Gives the entry its ring of runs, if that can be had.
void touchRuns(Lane &L, SlotEntry &Entry);

/// Empties a cell for a new generation, and its ring of runs. Owner only.
void resetCell(SlotEntry &Entry, uint32_t Epoch);

/// Forgets all lanes, in a forked child.
void abandonLanes();

} // namespace torchprof

#endif // TORCHPROF_LANE_H
