//===- GradientNotes.cpp - what a backward graph says of gradients --------===//

#include "GradientNotes.h"

#include "Tag.h"
#include "torch/Attach.h"
#include "torch/Symbols.h"
#include "torchprof/format/DynamicSite.h"

#include <unordered_map>
#include <utility>

namespace torchprof {

using namespace torch::jit;
using format::Slot;

Node *gradientIn(Node *N) {
  if (const TagContent *Tag = tagOf(N))
    return Tag->Backward ? N : nullptr;
  if (N->kind() != aten::add && N->kind() != prim::AutogradAdd)
    return nullptr;
  Node *Last = N->input(0)->node(), *First = N->input(1)->node();
  if (Last->owningBlock() == First->owningBlock() && First->isAfter(Last))
    std::swap(First, Last);
  Node *Of = gradientIn(Last);
  return Of ? Of : gradientIn(First);
}

GradientNotes::GradientNotes(Graph &Body) : Body(Body) {
  findReturned(Body.block());
  findNeeded();
}

void GradientNotes::findReturned(Block *From) {
  Node *By = From->return_node();
  if (By->inputs().size() == 1) {
    Node *Only = By->input()->node();
    if (Only->kind() == prim::If) {
      for (Block *Inner : Only->blocks())
        findReturned(Inner);
      return;
    }
    if (Only->kind() == prim::TupleConstruct && Only->owningBlock() == From)
      By = Only;
  }
  Returned Found{By, {}};
  for (Value *Passed : By->inputs()) {
    Node *Of = gradientIn(Passed->node());
    Found.Unused.push_back(format::number(
        Of ? siteBehind(*tagOf(Of)->Backward, format::GradientUnusedName)
           : format::NoSlot));
  }
  Blocks.push_back(std::move(Found));
}

/// Whether LibTorch keeps a tensor for a value, and nothing if it may be none
/// or several.
static std::optional<bool> isTensor(const c10::Type &Type) {
  switch (Type.kind()) {
  case c10::TypeKind::TensorType:
    return true;
  case c10::TypeKind::IntType:
  case c10::TypeKind::FloatType:
  case c10::TypeKind::BoolType:
  case c10::TypeKind::NumberType:
  case c10::TypeKind::NoneType:
  case c10::TypeKind::DeviceObjType:
  case c10::TypeKind::StringType:
    return false;
  case c10::TypeKind::ListType:
  case c10::TypeKind::OptionalType:
    return isTensor(*Type.containedType(0)) == false ? std::optional(false)
                                                     : std::nullopt;
  default:
    return std::nullopt;
  }
}

void GradientNotes::findNeeded() {
  std::unordered_map<const Value *, Slot> Last;
  visitNodes(Body.block(), [&](Node *N) {
    if (const TagContent *Tag = tagOf(N); Tag && Tag->Backward)
      for (Value *Input : N->inputs())
        Last[Input] = *Tag->Backward;
    return false;
  });
  for (Value *Input : Body.inputs()) {
    std::optional<bool> Is = isTensor(*Input->type());
    if (!Is)
      return; // of what follows the place is not known
    if (!*Is)
      continue;
    auto Found = Last.find(Input);
    Slot Freed = Found == Last.end()
                     ? format::NoSlot
                     : siteBehind(Found->second, format::GradientFreedName);
    Tensors.push_back({Input, int64_t(format::number(Freed))});
  }
}

void GradientNotes::insert() {
  for (const Returned &Of : Blocks)
    noteReturned(Of);
  freeInputs();
}

void GradientNotes::noteReturned(const Returned &Of) {
  // A list of gradients would stand for several functions.
  size_t Count = 0;
  bool IsAny = false;
  for (; Count < Of.Unused.size() &&
         isTensor(*Of.By->input(Count)->type()) == true;
       ++Count)
    IsAny |= format::Slot(uint32_t(Of.Unused[Count])) != format::NoSlot;
  if (!IsAny)
    return;
  std::vector<int64_t> Needing;
  for (const Needed &Tensor : Tensors)
    Needing.push_back(Tensor.Freed);
  WithInsertPoint Guard(Of.By);
  std::vector<Value *> Inputs = {
      Body.insertConstant(Needing),
      Body.insertConstant(
          std::vector<int64_t>(Of.Unused.begin(), Of.Unused.begin() + Count))};
  for (size_t I = 0; I < Count; ++I)
    Inputs.push_back(Of.By->input(I));
  Body.insertNode(Body.create(symbols::noteGradients(), Inputs, 0));
}

void GradientNotes::freeInputs() {
  Node *Return = Body.return_node();
  if (Blocks.empty() || Blocks.front().By->owningBlock() == Body.block())
    return; // the last use of each frees it
  WithInsertPoint Guard(Return);
  std::vector<int64_t> Freed;
  std::vector<Value *> Inputs;
  for (const Needed &Tensor : Tensors) {
    if (format::Slot(uint32_t(Tensor.Freed)) == format::NoSlot)
      continue;
    Freed.push_back(Tensor.Freed);
    Inputs.push_back(Tensor.Input);
  }
  if (Inputs.empty())
    return;
  Inputs.insert(Inputs.begin(), Body.insertConstant(Freed));
  Body.insertNode(Body.create(symbols::freeInputs(), Inputs, 0));
}

} // namespace torchprof
