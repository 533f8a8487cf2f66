//===- ProbesToTags.h - an instrumented file without its nodes --*- C++ -*-===//
//
// The probes of an instrumented model are nodes, which stand in the optimizer's
// way. Where the hooks are in, they become tags before LibTorch optimizes.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_PROBESTOTAGS_H
#define TORCHPROF_ATTACH_PROBESTOTAGS_H

#include "torchprof/format/Site.h"

#include <optional>

namespace torch::jit {
struct Graph;
}

namespace torchprof {

/// True if \p Body, or a graph that it forks, has probes.
bool hasProbes(torch::jit::Graph &Body);

/// The site of the instrumented method whose graph \p Body is. None if it is
/// the graph of something else that calls such methods, or a forked one.
std::optional<format::SiteId> rootOfProbes(torch::jit::Graph &Body);

/// True if \p Body is the graph of something else that calls instrumented
/// methods.
bool holdsInstrumented(torch::jit::Graph &Body);

/// Tags the nodes between the probes of \p Body and removes the probes, those
/// of forked graphs too. False, with the graph unchanged, if methods that are
/// not its own begin in it, or if the probes are not the pairs that
/// torchprof-opt inserts: the probes then count for themselves.
bool turnProbesIntoTags(torch::jit::Graph &Body);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_PROBESTOTAGS_H
