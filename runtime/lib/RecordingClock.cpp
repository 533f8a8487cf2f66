//===- RecordingClock.cpp - a recording as its clock goes on --------------===//

#include "Recording.h"
#include "torchprof/format/Atomics.h"

namespace torchprof {

using namespace format;

void Recording::anchorIfDue(uint64_t Now) {
  if (Now < Process.NextAnchor.load(std::memory_order_relaxed) ||
      pthread_mutex_trylock(&Process.Mutex) != 0)
    return;
  if (Now >= Process.NextAnchor.load(std::memory_order_relaxed))
    Clock.addAnchor();
  pthread_mutex_unlock(&Process.Mutex);
}

void Recording::followClock() {
  ProcessLock Lock;
  if (!Gate.followClock())
    return;
  Threads.gateChanged();
  if (File.exists())
    storeRelease(File.header()->ResetTicks, currentEpoch().Ticks);
  Clock.addAnchor(); // from which on others are due
  torchprof::count(Counter::ClockSetBack);
}

} // namespace torchprof
