//===- ControlFlow.h - nodes that never complete   -------------*- C++ -*-===//

#ifndef TORCHPROF_PASSES_CONTROLFLOW_H
#define TORCHPROF_PASSES_CONTROLFLOW_H

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>

namespace torchprof {

/// True if \p N always raises: it is a raise, or an If whose arms all raise.
/// The importer removes the nodes after it.
inline bool neverCompletes(const torch::jit::Node *N) {
  using namespace torch::jit;
  if (N->kind() == prim::RaiseException)
    return true;
  if (N->kind() != prim::If)
    return false;
  auto Arms = N->blocks();
  return std::all_of(Arms.begin(), Arms.end(), [](const Block *Arm) {
    auto Nodes = Arm->nodes();
    return std::any_of(Nodes.begin(), Nodes.end(),
                       [](const Node *Inner) { return neverCompletes(Inner); });
  });
}

} // namespace torchprof

#endif // TORCHPROF_PASSES_CONTROLFLOW_H
