//===- ProbeCost.h - what a probe costs here --------------------*- C++ -*-===//

#ifndef TORCHPROF_PROBECOST_H
#define TORCHPROF_PROBECOST_H

#include <cstdint>

namespace torchprof {

/// Cost of opening and closing a span in a cell of its own, in 1/16 tick: the
/// least of a few batches, so that interrupts do not count. Some 50 us.
uint64_t measureProbeTicksX16();

} // namespace torchprof

#endif // TORCHPROF_PROBECOST_H
