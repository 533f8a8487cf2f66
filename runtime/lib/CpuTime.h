//===- CpuTime.h - processor time of a span ---------------------*- C++ -*-===//
//
// CLOCK_THREAD_CPUTIME_ID, ns. A span's time minus this is how long its thread
// waited or was preempted. A reading is a system call, some 250 to 300 ns on a
// virtual machine; part of it is in the value.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_CPUTIME_H
#define TORCHPROF_CPUTIME_H

#include "Measures.h"

namespace torchprof {

/// Processor time of the calling thread.
uint64_t threadCpuNs();

class CpuTime : public MeasureSource {
public:
  CpuTime() : MeasureSource({format::MeasureId::Cpu}) {}
  void onBegin(uint64_t *Readings) override;
  void onEnd(uint64_t *Readings) override;
};

} // namespace torchprof

#endif // TORCHPROF_CPUTIME_H
