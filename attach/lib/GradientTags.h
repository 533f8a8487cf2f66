//===- GradientTags.h - whose gradient a node computes ----------*- C++ -*-===//
//
// LibTorch differentiates a group of nodes into a graph for forward and one for
// backward, and makes an executor of each, the forward's first. In the backward
// graph, before it is optimized, the nodes that came of one forward node stand
// together in a prim::GradOf, which has the kind of that node but not which it
// was: they stand in the reverse order of the group.
//
// One whose node cannot be told for certain is counted to the method, under the
// name of its kind: never to a wrong node.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_GRADIENTTAGS_H
#define TORCHPROF_ATTACH_GRADIENTTAGS_H

#include "torchprof/format/Site.h"

#include <memory>
#include <optional>

namespace torch::jit {
struct Graph;
}

namespace torchprof {

/// The calling thread makes the executor of a group's forward graph, which
/// lives until that of its backward graph is made.
void noteForward(torch::jit::Graph &Body) noexcept;

/// A copy of \p Body, the backward graph of the group that was noted last, with
/// tags; null if there is nothing to tag. \p Root is the method's site, if it
/// is known.
std::shared_ptr<torch::jit::Graph>
tagGradients(torch::jit::Graph &Body, std::optional<format::SiteId> Root);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_GRADIENTTAGS_H
