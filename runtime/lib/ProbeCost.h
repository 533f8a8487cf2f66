//===- ProbeCost.h - what a probe costs here --------------------*- C++ -*-===//

#ifndef TORCHPROF_PROBECOST_H
#define TORCHPROF_PROBECOST_H

#include "torchprof/format/Site.h"

#include <cstdint>
#include <functional>

namespace torchprof {

/// Spans that are timed at once: a short tick needs few.
unsigned spansPerBatch(uint64_t TicksPerSecond);

/// Cost of opening and closing a span in a cell of its own, in 1/16 tick: the
/// least of a few batches, so that interrupts do not count. Some 50 us; at most
/// a few ms where ticks are long.
uint64_t measureProbeTicksX16();

/// A site of no model, and how many pairs of probes around it are to be run.
inline constexpr format::SiteId CostSite{0, 0};
inline constexpr unsigned CostPairs = 32;

/// Ticks that a pair of probes reads, in 1/16 tick, where \p RunPairs runs
/// CostPairs pairs of CostSite on the calling thread: the mean of the middle
/// half of them, which is the median but finer than a tick. 0 if the pairs were
/// not run. What \p RunPairs throws passes.
uint64_t measurePairTicksX16(const std::function<void()> &RunPairs);

} // namespace torchprof

#endif // TORCHPROF_PROBECOST_H
