//===- CopyGraph.h - a copy of a graph, to replace its nodes ----*- C++ -*-===//

#ifndef TORCHPROF_ATTACH_COPYGRAPH_H
#define TORCHPROF_ATTACH_COPYGRAPH_H

#include <memory>

namespace torch::jit {
struct Graph;
} // namespace torch::jit

namespace torchprof {

/// What Graph::copy() returns, but that a constant of many uses is there
/// several times. To take a use from a value, LibTorch looks through the
/// value's uses: nodes that share a constant would be replaced in the square of
/// their number.
std::shared_ptr<torch::jit::Graph> copyToReplace(torch::jit::Graph &Body);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_COPYGRAPH_H
