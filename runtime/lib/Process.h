//===- Process.h - state that a forked child must not inherit ---*- C++ -*-===//
//
// One page that the kernel wipes in every child (MADV_WIPEONFORK): the gate
// reads as shut there and there is no recording, so the child's first probe
// takes a cold path and makes a recording of its own. Lanes lie in such pages
// too.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PROCESS_H
#define TORCHPROF_PROCESS_H

#include "Processor.h"
#include "torchprof/format/MemoryPlace.h"
#include "torchprof/format/Records.h"

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace torchprof {

class Books;
class Recording;

/// Zero is its state before the process's first use. It has its page, of
/// whatever size, for itself.
struct alignas(processor::LargestPageBytes) ProcessPage {
  /// The gate: 0 while nothing is recorded, else the tick of the opening.
  std::atomic<uint64_t> Open;
  /// Number of the last reset. A cell of an older epoch is empty. Where a tick
  /// matters too, currentEpoch() gives both.
  std::atomic<uint32_t> Epoch;
  /// 1 while runs count as steps of a schedule.
  std::atomic<uint32_t> CountsSteps;
  /// 1 once such a step changes nothing any more: the last cycle has ended.
  std::atomic<uint32_t> StepsAreOver;
  /// 1 while levels of spans are kept, for which HeldOutside is.
  std::atomic<uint32_t> KeepsSpanLevels;
  /// What this process records; null before its first probe.
  std::atomic<Recording *> Current;
  /// Its books of blocks in each place; null unless they are kept.
  std::atomic<Books *> Ledgers[format::MemoryPlaceCount];
  /// First ticks of the last two epochs, by the parity of their numbers; see
  /// beginEpoch().
  std::atomic<uint64_t> EpochTicks[2];
  /// The latest Lane::Emptied: no need to look at a lane for what began later.
  std::atomic<uint64_t> LastEmptied;
  /// Ticks after which the end of a run takes the next clock anchor.
  std::atomic<uint64_t> NextAnchor;
  /// Where the counters are once there is a file; null before.
  std::atomic<uint64_t *> Counters;
  /// Counts made before there is a file to hold them.
  uint64_t EarlyCounters[format::CounterCapacity];
  /// Guards everything slow. In the page so that a child finds it unlocked.
  pthread_mutex_t Mutex;
  /// Scopes of recording that have begun and not ended; guarded by Mutex. A
  /// child has none: most of its parent's were those of other threads.
  uint32_t Scopes;
  /// One of them has opened the window, which nobody has shut since.
  bool OpenForScopes;
  /// Somebody has the CopyTurn; guarded by Mutex.
  bool CopyTurnIsTaken;
  /// Told of the end of each such turn. A child finds none of its parent's
  /// waiters in it.
  pthread_cond_t CopyTurnEnded;
  /// Bytes that threads allocated less what they freed while no span was open
  /// on them, and that no level has yet (Levels.h); by place of memory. Every
  /// thread adds to them, so what probes read does not lie beside them.
  alignas(64) std::atomic<int64_t> HeldOutside[format::MemoryPlaceCount];
};

extern ProcessPage Process;

/// Locks Process.Mutex.
class ProcessLock {
public:
  ProcessLock() { pthread_mutex_lock(&Process.Mutex); }
  ~ProcessLock() { pthread_mutex_unlock(&Process.Mutex); }
  ProcessLock(const ProcessLock &) = delete;
  ProcessLock &operator=(const ProcessLock &) = delete;
};

/// Gives Process.Mutex, which the caller holds, back while an object lives.
class ProcessUnlock {
public:
  ProcessUnlock() { pthread_mutex_unlock(&Process.Mutex); }
  ~ProcessUnlock() { pthread_mutex_lock(&Process.Mutex); }
  ProcessUnlock(const ProcessUnlock &) = delete;
  ProcessUnlock &operator=(const ProcessUnlock &) = delete;
};

/// The turn to copy the profile or to empty it: a copy is of one epoch, and the
/// disk that it is written to may be slow. Who has the turn may give the
/// process lock back meanwhile; at both ends it is held, and no other lock, and
/// the beginning waits without it.
class CopyTurn {
public:
  CopyTurn() {
    while (isTaken())
      awaitEnd();
    Process.CopyTurnIsTaken = true;
  }
  ~CopyTurn() {
    Process.CopyTurnIsTaken = false;
    pthread_cond_broadcast(&Process.CopyTurnEnded);
  }
  CopyTurn(const CopyTurn &) = delete;
  CopyTurn &operator=(const CopyTurn &) = delete;

  static bool isTaken() { return Process.CopyTurnIsTaken; }
  /// Waits until a turn ends, or less long.
  static void awaitEnd() {
    pthread_cond_wait(&Process.CopyTurnEnded, &Process.Mutex);
  }
};

/// An epoch has the spans that began at Ticks or later, and before the first
/// tick of the next epoch.
struct EpochStart {
  uint32_t Number;
  uint64_t Ticks; ///< 0 for the first epoch
};

/// The present epoch. Any thread; never waits for another. Records whose number
/// the caller has read before began before the next epoch.
EpochStart currentEpoch();

/// Begins the next epoch. The caller holds the process lock.
EpochStart beginEpoch();

/// Lets the present epoch have begun at \p Ticks already, if it began later:
/// the clock was set back. What was recorded before the last reset and is not
/// folded yet may then count in this epoch. The caller holds the process lock.
void beginEpochBy(uint64_t Ticks);

/// Counts something that was lost or happened. Any thread.
void count(format::Counter C, uint64_t Number = 1);

/// The counters as they are now. Any thread.
const uint64_t *counters();

/// Sets those counters to 0 that are of an epoch. The caller holds the process
/// lock.
void resetEpochCounters();

/// Lets the counters go on in \p File, with what was counted so far. The
/// caller holds the process lock.
void moveCounters(uint64_t (&File)[format::CounterCapacity]);

/// Arranges that whole pages are wiped in children of fork. False if that
/// cannot be had.
bool wipeInChildren(void *Address, uint64_t Bytes);

} // namespace torchprof

#endif // TORCHPROF_PROCESS_H
