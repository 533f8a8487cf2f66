//===- CpuTime.cpp - processor time of a span -----------------------------===//

#include "CpuTime.h"

#include <ctime>

namespace torchprof {

uint64_t threadCpuNs() {
  timespec Time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Time);
  return uint64_t(Time.tv_sec) * 1'000'000'000u + uint64_t(Time.tv_nsec);
}

uint64_t CpuTime::onBegin() { return threadCpuNs(); }

uint64_t CpuTime::onEnd(uint64_t AtBegin) {
  uint64_t Now = threadCpuNs();
  return Now > AtBegin ? Now - AtBegin : 0;
}

} // namespace torchprof
