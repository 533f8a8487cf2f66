//===- Process.h - state that a forked child must not inherit ---*- C++ -*-===//
//
// One page that the kernel wipes in every child (MADV_WIPEONFORK): the gate
// reads as shut there and Ready as 0, so the child's first probe takes the
// slow path and starts a profile of its own. Lanes live in such pages too.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PROCESS_H
#define TORCHPROF_PROCESS_H

#include "torchprof/format/Records.h"

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace torchprof {

/// Zero is its state before the process's first use.
struct alignas(format::PageBytes) ProcessPage {
  /// The gate: 0 while nothing is recorded, else the tick of the opening.
  std::atomic<uint64_t> Open;
  /// Generation of the last reset. A cell of an older one is empty.
  std::atomic<uint32_t> Epoch;
  /// 1 once this process has read its options and set the gate.
  std::atomic<uint32_t> Ready;
  /// Tick of the last reset: begins before it are not in the cells.
  std::atomic<uint64_t> ResetTicks;
  /// 1 while runs count as steps of a schedule.
  std::atomic<uint32_t> CountsSteps;
  /// 1 if models that share an id were seen.
  std::atomic<uint32_t> HasConflicts;
  /// Where the process's counters are: in the file, once there is one.
  std::atomic<uint64_t *> Counters;
  /// Ticks after which the end of a run takes the next clock anchor.
  std::atomic<uint64_t> NextAnchor;
  /// Guards everything slow. In the page so that a child finds it unlocked.
  pthread_mutex_t Mutex;
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

/// Counts something that was lost or happened. Any thread.
void count(format::Counter C, uint64_t Number = 1);

/// Where counters are before there is a file.
uint64_t *earlyCounters();

/// Memory for what must be wiped in a child: whole zero pages, never freed.
/// Null if there is none.
void *wipedPages(uint64_t Bytes);

/// Arranges that Process is wiped in children. Called once, before Ready.
void wipeInChildren();

} // namespace torchprof

#endif // TORCHPROF_PROCESS_H
