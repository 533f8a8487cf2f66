//===- TimedCopy.h - from tags to timed nodes -------------------*- C++ -*-===//
//
// The last step before the interpreter makes instructions of a graph: nothing
// optimizes it any more. LibTorch keeps its own graph, which has no probes.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_TIMEDCOPY_H
#define TORCHPROF_ATTACH_TIMEDCOPY_H

#include "torch/TimedNode.h"
#include "torchprof/format/Site.h"

#include <memory>
#include <optional>

namespace torch::jit {
struct Graph;
}

namespace torchprof {

/// A copy of \p Body in which tagged nodes are timed; those that cannot be
/// wrapped stand between a pair of probes. With \p Root, the whole graph is a
/// run of that site. \p Inside: of autograd functions for what is timed. Null
/// if there is nothing to time.
std::shared_ptr<torch::jit::Graph> timedCopy(torch::jit::Graph &Body,
                                             std::optional<format::SiteId> Root,
                                             Gradients Inside);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_TIMEDCOPY_H
