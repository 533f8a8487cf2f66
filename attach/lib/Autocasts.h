//===- Autocasts.h - casts that autocast puts before a node -----*- C++ -*-===//
//
// Under autocast LibTorch puts casts before the nodes that compute in another
// precision, one for each of their tensors. They are new and have no tags. The
// operators that a host calls itself do the same inside of them: so the casts
// are parts of the node, the first one that needs what they give.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_AUTOCASTS_H
#define TORCHPROF_ATTACH_AUTOCASTS_H

#include <ATen/core/symbol.h>

namespace torch::jit {
struct Graph;
}

namespace torchprof {

bool isAutocast(c10::Symbol Kind);

/// Gives the casts of \p Body a tag with the node that they are for, which
/// becomes a stretch of several nodes.
void tagAutocasts(torch::jit::Graph &Body);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_AUTOCASTS_H
