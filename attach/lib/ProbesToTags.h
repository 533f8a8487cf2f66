//===- ProbesToTags.h - an instrumented file without its nodes --*- C++ -*-===//
//
// The probes of an instrumented model are nodes, which stand in the optimizer's
// way. Where the hooks are in, they become tags before LibTorch optimizes.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_PROBESTOTAGS_H
#define TORCHPROF_ATTACH_PROBESTOTAGS_H

#include "torchprof/format/Site.h"

#include <memory>
#include <optional>

namespace torch::jit {
struct Graph;
}

namespace torchprof {

/// True if \p Body, or a graph that it forks, has probes.
bool hasProbes(torch::jit::Graph &Body);

/// The site that the probes of a method's graph give the method itself.
std::optional<format::SiteId> rootOfProbes(torch::jit::Graph &Body);

/// Tags the nodes between the probes of \p Body and removes the probes, those
/// of forked graphs too. \p Root becomes the site of the whole graph, if it is
/// a method's. False, with the graph unchanged, if the probes are not the pairs
/// that torchprof-opt inserts.
bool turnProbesIntoTags(torch::jit::Graph &Body,
                        std::optional<format::SiteId> &Root);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_PROBESTOTAGS_H
