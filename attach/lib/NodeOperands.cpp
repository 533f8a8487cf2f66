//===- NodeOperands.cpp - what control flow works on ----------------------===//

#include "NodeOperands.h"

#include "Autocasts.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>

namespace torchprof {

using namespace torch::jit;

/// True if a value of the type may be a tensor, or a list of which a signature
/// shows the tensors.
static bool mayHoldTensors(const c10::Type &T) {
  switch (T.kind()) {
  case c10::TypeKind::AnyType:
  case c10::TypeKind::TensorType:
    return true;
  case c10::TypeKind::ListType:
  case c10::TypeKind::OptionalType:
  case c10::TypeKind::TupleType:
  case c10::TypeKind::UnionType: {
    auto Parts = T.containedTypes();
    return std::any_of(Parts.begin(), Parts.end(),
                       [](const auto &Part) { return mayHoldTensors(*Part); });
  }
  default:
    return false;
  }
}

/// A pair takes no more than a signature has room for.
static constexpr size_t MostValues = 64;

static NodeOperands operandsOf(at::ArrayRef<Value *> Inputs,
                               at::ArrayRef<Value *> Outputs) {
  if (std::none_of(Inputs.begin(), Inputs.end(),
                   [](Value *V) { return mayHoldTensors(*V->type()); }))
    return {};
  auto Firsts = [](at::ArrayRef<Value *> Values) {
    return Values.slice(0, std::min(Values.size(), MostValues)).vec();
  };
  return {Firsts(Inputs), Firsts(Outputs)};
}

NodeOperands operandsOf(Node *First, Node *Last) {
  switch (First->kind()) {
  case prim::CallFunction: // the function has no value that can be loaded
    return operandsOf(First->inputs().slice(1), Last->outputs());
  case prim::CallMethod:
  case prim::Loop:
  case prim::fork:
    return operandsOf(First->inputs(), Last->outputs());
  default: // of an If, a condition alone is known before it runs
    return {};
  }
}

/// The value that LibTorch looks at, in a first run, and hands on as \p V.
static Value *withoutProfiling(Value *V) {
  return V->node()->kind() == prim::profile && V->node()->inputs().size() == 1
             ? V->node()->input()
             : V;
}

NodeOperands operandsOfAddmm(Node *First, Node *Last) {
  if (First->kind() != aten::mm || Last->kind() != aten::add ||
      withoutProfiling(Last->input(1)) != First->output())
    return {};
  // A probe before the product can take what is there by then.
  Value *Added = withoutProfiling(Last->input(0));
  if (!Added->node()->isBefore(First))
    return {};
  return {{Added, First->input(0), First->input(1)}, {Last->output()}};
}

NodeOperands operandsBeforeCasts(Node *First, Node *Last) {
  std::vector<Value *> Inputs;
  for (Value *Input : Last->inputs()) {
    Value *V = withoutProfiling(Input);
    if (isAutocast(V->node()->kind()))
      V = withoutProfiling(V->node()->input(0));
    if (!V->node()->isBefore(First))
      return {};
    Inputs.push_back(V);
  }
  return operandsOf(Inputs, Last->outputs());
}

NodeOperands operandsOf(Graph &Method) {
  at::ArrayRef<Value *> Inputs = Method.inputs();
  if (!Inputs.empty() && Inputs[0]->type()->kind() == c10::TypeKind::ClassType)
    Inputs = Inputs.slice(1);
  return operandsOf(Inputs, Method.outputs());
}

} // namespace torchprof
