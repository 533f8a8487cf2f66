//===- CpuTime.h - processor time of a span ---------------------*- C++ -*-===//
//
// CLOCK_THREAD_CPUTIME_ID, ns. A span's time minus this is how long its thread
// waited or was preempted. A reading is a system call, some 250 to 300 ns on a
// virtual machine; part of it is in the value.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_CPUTIME_H
#define TORCHPROF_CPUTIME_H

#include "MeasureCells.h"

namespace torchprof {

struct Options;

/// Processor time of the calling thread.
uint64_t threadCpuNs();

/// A source of Measures.h.
struct CpuTime {
  using Group = MeasureGroup<format::MeasureId::Cpu>;
  static bool isWanted(const Options &Opts);
  static bool beginRun() { return true; }
  static constexpr bool isBooked() { return true; }
  static void onBegin(uint64_t *Readings) { *Readings = threadCpuNs(); }
  static void onEnd(const uint64_t *Readings, uint64_t *Values) {
    uint64_t Now = threadCpuNs();
    *Values = Now > *Readings ? Now - *Readings : 0;
  }
};

} // namespace torchprof

#endif // TORCHPROF_CPUTIME_H
