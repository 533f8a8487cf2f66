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
  /// What this process records; null before its first probe.
  std::atomic<Recording *> Current;
  /// Its books of blocks in each place; null unless they are kept.
  std::atomic<Books *> Ledgers[format::MemoryPlaceCount];
  /// First ticks of the last two epochs, by the parity of their numbers; see
  /// beginEpoch().
  std::atomic<uint64_t> EpochTicks[2];
  /// Ticks after which the end of a run takes the next clock anchor.
  std::atomic<uint64_t> NextAnchor;
  /// Where the counters are once there is a file; null before.
  std::atomic<uint64_t *> Counters;
  /// Counts made before there is a file to hold them.
  uint64_t EarlyCounters[format::CounterCapacity];
  /// Guards everything slow. In the page so that a child finds it unlocked.
  pthread_mutex_t Mutex;
  /// Told of each snapshot. A child finds none of its parent's waiters in it.
  pthread_cond_t SnapshotMade;
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

/// Counts something that was lost or happened. Any thread.
void count(format::Counter C, uint64_t Number = 1);

/// The counters as they are now. Any thread.
const uint64_t *counters();

/// Lets the counters go on in \p File, with what was counted so far. The
/// caller holds the process lock.
void moveCounters(uint64_t (&File)[format::CounterCapacity]);

/// Arranges that whole pages are wiped in children of fork. False if that
/// cannot be had.
bool wipeInChildren(void *Address, uint64_t Bytes);

} // namespace torchprof

#endif // TORCHPROF_PROCESS_H
