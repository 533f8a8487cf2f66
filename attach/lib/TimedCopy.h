//===- TimedCopy.h - from tags to timed nodes -------------------*- C++ -*-===//
//
// The last step before the interpreter makes instructions of a graph: nothing
// optimizes it any more. LibTorch keeps its own graph, which has no probes.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_TIMEDCOPY_H
#define TORCHPROF_ATTACH_TIMEDCOPY_H

#include <memory>

namespace torch::jit {
struct Graph;
}

namespace torchprof {

struct PlanOwner;

/// A copy of \p Body in which tagged nodes are timed; those that cannot be
/// wrapped stand between a pair of probes. \p Owner: whose plan it is. That of
/// a whole method with a root is a run of it. Null if there is nothing to time.
std::shared_ptr<torch::jit::Graph> timedCopy(torch::jit::Graph &Body,
                                             const PlanOwner &Owner);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_TIMEDCOPY_H
