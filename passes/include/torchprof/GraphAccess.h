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

/// The function that \p N calls, or null if \p N is no call that can be
/// inlined.
inline torch::jit::GraphFunction *inlinableCallee(const torch::jit::Node *N) {
  using namespace torch::jit;
  if (N->kind() == prim::CallMethod) {
    // A call through an interface has several callees: it stays a node.
    auto Class = N->input(0)->type()->cast<c10::ClassType>();
    return Class ? asGraph(Class->findMethod(N->s(attr::name))) : nullptr;
  }
  if (N->kind() == prim::CallFunction) {
    auto Type = N->input(0)->type()->cast<c10::FunctionType>();
    // A fallback function is the optimizer's, not the author's.
    if (Type && !N->input(0)->node()->hasAttribute(Symbol::attr("fallback")))
      return asGraph(Type->function());
  }
  return nullptr;
}

} // namespace torchprof

#endif // TORCHPROF_PASSES_GRAPHACCESS_H
