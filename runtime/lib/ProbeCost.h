//===- ProbeCost.h - what a probe costs here --------------------*- C++ -*-===//

#ifndef TORCHPROF_PROBECOST_H
#define TORCHPROF_PROBECOST_H

#include <cstdint>

namespace torchprof {

/// Spans that are timed at once: a short tick needs few.
unsigned spansPerBatch(uint64_t TicksPerSecond);

/// Cost of opening and closing a span in a cell of its own, in 1/16 tick: the
/// least of a few batches, so that interrupts do not count. Some 50 us; at most
/// a few ms where ticks are long.
uint64_t measureProbeTicksX16();

} // namespace torchprof

#endif // TORCHPROF_PROBECOST_H
