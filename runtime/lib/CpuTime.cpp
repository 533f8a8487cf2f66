//===- CpuTime.cpp - processor time of a span -----------------------------===//

#include "CpuTime.h"

#include "Options.h"

#include <ctime>

namespace torchprof {

uint64_t threadCpuNs() {
  timespec Time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Time);
  return uint64_t(Time.tv_sec) * 1'000'000'000u + uint64_t(Time.tv_nsec);
}

bool CpuTime::isWanted(const Options &Opts) {
  return hasWord(Opts.Record, format::recordWord(format::MeasureId::Cpu));
}

} // namespace torchprof
