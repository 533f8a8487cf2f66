//===- Recording.h - what one process records -------------------*- C++ -*-===//
//
// Owns the profile's file, the lanes, the window and the clock table. There is
// one per process at a time; the process page points to it. A forked child
// finds no pointer there, and its first probe makes a recording of its own:
// nothing of the parent's is touched.
//
// Functions take the process lock themselves unless they say otherwise. None
// throws.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_RECORDING_H
#define TORCHPROF_RECORDING_H

#include "Books.h"
#include "ClockTable.h"
#include "DeviceTime.h"
#include "EndedRuns.h"
#include "EventLog.h"
#include "FoldThread.h"
#include "Lane.h"
#include "Levels.h"
#include "Lineage.h"
#include "Measures.h"
#include "Process.h"
#include "ProfileFile.h"
#include "SiteNotes.h"
#include "SnapshotSeries.h"
#include "Totals.h"
#include "Variants.h"
#include "Window.h"

namespace torchprof {

class Recording {
public:
  /// Begins to record what \p Shared's host asks for, in memory of \p Pages
  /// where it is not in the file. The caller holds the lock.
  explicit Recording(Lineage &Shared, PageSource &Pages = PageSource::system());
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;

  /// This process's recording, made at the first call. Null without memory. For
  /// the first form the caller holds the lock.
  static Recording *currentLocked();
  static Recording *current();
  /// The same if there is one, else null. Takes no lock.
  static Recording *existing() {
    return Process.Current.load(std::memory_order_acquire);
  }

  //===--------------------------------------------------------------------===//
  // For the cold paths of spans
  //===--------------------------------------------------------------------===//

  /// The calling thread's lane, or null if out of memory.
  Lane *ownLane() { return Threads.own(); }

  /// Makes sure that the calling thread's lane has a cell for \p Site; makes
  /// the profile's file if there is none yet. Null if out of memory.
  SlotEntry *touchSlot(Lane &L, format::Slot Site);

  /// The same for a fold, which holds the lane's lock.
  SlotEntry *touchSlotLocked(Lane &L, format::Slot Site);

  /// Gives the entry its ring of runs, if that can be had.
  void touchRuns(Lane &L, SlotEntry &Entry);

  /// Continues a slot whose cell is full in a new one, if that can be had. The
  /// caller holds the lane's lock.
  void continueCell(Lane &L, SlotEntry &Entry);

  Measures &measures() { return Extra; }
  Variants &variants() { return Shapes; }
  Levels &levels() { return Held; }
  Books &books(format::MemoryPlace Place) {
    return Place == format::MemoryPlace::Cpu ? CpuBooks : DeviceBooks;
  }
  FoldThread &folding() { return Folding; }
  EndedRuns &endedRuns() { return Ended; }

  /// True of a span that a parent process began.
  bool isOfParent(uint64_t Begin) const { return Begin < ForkedBefore; }

  /// Takes a clock anchor at the end of a run if the last one is old. Never
  /// waits for the lock.
  void anchorIfDue(uint64_t Now);

  /// Lets the recording go on if the clock was set back to before the opening
  /// of its window. The caller holds no lock.
  void followClock();

  /// A step of the schedule, made by the host or by the end of a run. One that
  /// changes what is recorded waits for a copy that is being written. \p Open:
  /// the gate as the run found it when it ended.
  void step(bool ByHost, uint64_t Open = 0);

  /// Puts what the host's machine does at most into the file, if there is one.
  void writeMachine();

  /// Puts what the host says of its framework into the file, if there is one.
  void writeFramework();

  /// Puts the note about a site into the file, if there is one.
  void writeNote(format::Slot Child);

  /// Puts a plan that was made into the file, now or when there is one.
  void notePlan(const format::PlanEvent &Event);

  /// The same for a file that was loaded; makes no recording.
  static void noteLoad(const format::LoadEvent &Event);

  //===--------------------------------------------------------------------===//
  // For the host
  //===--------------------------------------------------------------------===//

  /// Makes the profile now, and opens no file later. The caller holds the lock.
  void openEarly();
  /// The host has opened or shut the window, which may have changed again.
  void followWindow(bool Open);
  void reset();
  /// Writes dirty pages to the disk. Returns 0 or an errno value, EIO if only
  /// memory holds the profile or a part of it.
  int flush();
  /// Writes a copy of the profile. An empty \p Name stands for the pattern with
  /// the snapshot's number. Returns 0 or an errno value, ENODATA if there is
  /// nothing yet.
  int snapshot(const std::string &Name);
  /// Number of snapshots made. Waits up to \p TimeoutMs until it is above
  /// \p Above; 0 does not wait.
  uint64_t waitForSnapshot(uint64_t Above, uint64_t TimeoutMs);
  /// Marks the file as closed; what is recorded later still goes into it. Gives
  /// up if the lock cannot be had in a second: exit() may have interrupted its
  /// owner. So long it waits for a copy that is being written, too.
  void close();

  Totals totals();

  /// What Lanes::first() is asked for; the rest is guarded by the lock.
  const Lanes &lanes() const { return Threads; }

  /// The file; the caller holds the lock.
  const ProfileFile &file() const { return File; }

  /// Books what devices have finished, of lanes that no probe holds.
  void harvestDevicesAtExit();

private:
  /// Counts the device times that are not known yet, and will not be.
  void countUnreadDevices();
  /// Books what devices have finished. The caller holds no lock.
  void harvestDevices();
  void updateGate();
  /// Writes the snapshot of a cycle that has ended, stored in \p Path. The
  /// caller holds the lock, which is given back meanwhile, and has the turn.
  void copyCycle(std::string &Path);
  void resetLocked();
  void createProfile();
  void writeMachineLocked();
  void writeFrameworkLocked();
  void writePlan(const format::PlanEvent &Event);
  void noteFileError();

  Lineage &Shared;
  const Recording *Older; ///< what the parent process had
  ProfileFile File;
  Lanes Threads;
  FoldThread Folding;
  Measures Extra;
  Variants Shapes;
  Levels Held;
  EndedRuns Ended;
  Books CpuBooks, DeviceBooks;
  Window Gate;
  SiteNotes Sites;
  SnapshotSeries Snapshots;
  ClockTable Clock;
  PlanLog Plans;
  LoadLog Loads;
  format::ProcessRecord *Record = nullptr;
  uint64_t ProbeTicksX16;
  bool IsForked;
  uint64_t ForkedBefore; ///< in a child of fork, its first tick; else 0
  bool WarnedOfFile = false;
};

} // namespace torchprof

#endif // TORCHPROF_RECORDING_H
