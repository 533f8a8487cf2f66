//===- NodeOperands.h - what control flow works on --------------*- C++ -*-===//
//
// A timed node finds its operands on the interpreter's stack. What is timed by
// a pair of probes is given to the probes as well: they load it once more,
// before and after whatever LibTorch runs in between.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_NODEOPERANDS_H
#define TORCHPROF_ATTACH_NODEOPERANDS_H

#include <vector>

namespace torch::jit {
struct Graph;
struct Node;
struct Value;
} // namespace torch::jit

namespace torchprof {

struct NodeOperands {
  std::vector<torch::jit::Value *> Inputs, Outputs;

  /// False if no input can hold a tensor: then nothing tells calls apart.
  explicit operator bool() const { return !Inputs.empty(); }
};

/// The operands of a loop, a call or a fork; nothing of other nodes. \p First
/// and \p Last are parts of a node that LibTorch took apart, or both are the
/// node.
NodeOperands operandsOf(torch::jit::Node *First, torch::jit::Node *Last);

/// The operands of the addmm() that LibTorch has made \p First, a product, and
/// \p Last, a sum, of; nothing of other nodes.
NodeOperands operandsOfAddmm(torch::jit::Node *First, torch::jit::Node *Last);

/// The operands of \p Last, as they are before the casts of autocast, which
/// begin with \p First; nothing if they are not there yet.
NodeOperands operandsBeforeCasts(torch::jit::Node *First,
                                 torch::jit::Node *Last);

/// The inputs of a method but the object that it belongs to, and its outputs.
NodeOperands operandsOf(torch::jit::Graph &Method);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_NODEOPERANDS_H
