//===- GraphAccess.h - the graphs behind LibTorch's objects -----*- C++ -*-===//

#ifndef TORCHPROF_PASSES_GRAPHACCESS_H
#define TORCHPROF_PASSES_GRAPHACCESS_H

#include <ATen/core/interned_strings.h>
#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

namespace torchprof {

/// The graph behind a function; null for null and for what is not TorchScript.
inline torch::jit::GraphFunction *asGraph(torch::jit::Function *F) {
  return F ? torch::jit::tryToGraphFunction(*F) : nullptr;
}

/// The graph that a prim::fork node runs, or null for other nodes.
inline torch::jit::Graph *forkedGraph(const torch::jit::Node *N) {
  if (N->kind() != torch::jit::prim::fork ||
      !N->hasAttribute(torch::jit::attr::Subgraph))
    return nullptr;
  return N->g(torch::jit::attr::Subgraph).get();
}

} // namespace torchprof

#endif // TORCHPROF_PASSES_GRAPHACCESS_H
