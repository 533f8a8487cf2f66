//===- Parts.h - what the interpreter does beside nodes ---------*- C++ -*-===//
//
// Time that no node accounts for has sites of its own, where it is known what
// it is: dynamic ones, children of the innermost span that it lies in, of which
// it is a part. Self times stay right then, in control flow and in calls of
// modules too.
//
// A model that is not frozen reads its parameters out of modules, by
// instructions of the interpreter, which touch the reference counts of objects
// that the nodes before have pushed out of the caches.
//
// LibTorch differentiates a group of nodes as a whole. Before their graph runs
// it checks and sets apart the inputs, behind it it keeps what backward needs
// and makes a function of autograd. The part is paused while the nodes run,
// which are no part of it, and goes on for those that LibTorch's scripts for
// backward added between them, to know sizes. It has two spans in each run, and
// one for each such place.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_PARTS_H
#define TORCHPROF_ATTACH_PARTS_H

#include "torchprof/format/Site.h"

#include <optional>

namespace torch::jit {
struct Graph;
}

namespace torchprof {

/// Which parts are timed.
struct WhichParts {
  bool Attributes = false; ///< what reads them
  /// True of the graph of a group that is differentiated: its run is no part
  /// of what prepares the group's gradients.
  bool IsGroup = false;
};

/// Puts pairs of probes around the parts of \p Body, which has its other probes
/// and is not optimized any more. \p Fork: the site of the fork that runs it,
/// if one does. What lies in no span gets no pair. Returns the number of pairs.
unsigned timeParts(torch::jit::Graph &Body, std::optional<format::SiteId> Fork,
                   WhichParts Which);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_PARTS_H
