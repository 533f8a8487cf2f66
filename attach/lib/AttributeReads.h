//===- AttributeReads.h - what reads parameters out of modules --*- C++ -*-===//
//
// A model that is not frozen reads its parameters out of modules, node by node.
// The interpreter does so by instructions of its own, which touch the reference
// counts of objects that the nodes before have pushed out of the caches. No
// node accounts for that time, so on request it gets a site: a dynamic one, a
// child of the innermost span that the reads lie in. Self times stay right
// then, in control flow and in calls of modules too.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_ATTRIBUTEREADS_H
#define TORCHPROF_ATTACH_ATTRIBUTEREADS_H

#include "torchprof/format/Site.h"

#include <optional>

namespace torch::jit {
struct Graph;
}

namespace torchprof {

/// Puts a pair of probes around all that reads attributes without a break in \p
/// Body, which has its other probes and is not optimized any more. \p Fork: the
/// site of the fork that runs it, if one does. What lies in no span gets no
/// pair. Returns the number of pairs.
unsigned timeAttributeReads(torch::jit::Graph &Body,
                            std::optional<format::SiteId> Fork);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_ATTRIBUTEREADS_H
