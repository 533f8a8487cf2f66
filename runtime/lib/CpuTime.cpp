//===- CpuTime.cpp - processor time of a span -----------------------------===//

#include "CpuTime.h"

#include <ctime>

namespace torchprof {

uint64_t threadCpuNs() {
  timespec Time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Time);
  return uint64_t(Time.tv_sec) * 1'000'000'000u + uint64_t(Time.tv_nsec);
}

void CpuTime::onBegin(uint64_t *Readings) { *Readings = threadCpuNs(); }

void CpuTime::onEnd(uint64_t *Readings) {
  uint64_t Now = threadCpuNs();
  *Readings = Now > *Readings ? Now - *Readings : 0;
}

} // namespace torchprof
