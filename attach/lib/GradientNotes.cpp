//===- GradientNotes.cpp - what a backward graph says of gradients --------===//

#include "GradientNotes.h"

#include "Tag.h"
#include "torch/Attach.h"
#include "torch/Symbols.h"
#include "torchprof/format/DynamicSite.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace torchprof {

using namespace torch::jit;
using format::Slot;

/// \p Barren: sums in which no gradient was found; a chain of them may have
/// more paths than could ever be followed.
static Node *gradientIn(Node *N, std::unordered_set<Node *> &Barren) {
  if (const TagContent *Tag = tagOf(N))
    return Tag->Backward ? N : nullptr;
  if ((N->kind() != aten::add && N->kind() != prim::AutogradAdd) ||
      !Barren.insert(N).second)
    return nullptr;
  Node *Last = N->input(0)->node(), *First = N->input(1)->node();
  if (Last->owningBlock() == First->owningBlock() && First->isAfter(Last))
    std::swap(First, Last);
  Node *Of = gradientIn(Last, Barren);
  return Of ? Of : gradientIn(First, Barren);
}

Node *gradientIn(Node *N) {
  std::unordered_set<Node *> Barren;
  return gradientIn(N, Barren);
}

bool hasGradientTags(Block *In) {
  return visitNodes(In, [](Node *N) {
    const TagContent *Tag = tagOf(N);
    return Tag && Tag->Backward;
  });
}

GradientNotes::GradientNotes(Graph &Body) : Body(Body) {
  findReturned(Body.block());
  if (hasGradients())
    findNeeded();
  else
    Blocks.clear();
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
    Found.Unused.push_back(
        Of ? siteBehind(*tagOf(Of)->Backward, format::GradientUnusedName)
           : format::NoSlot);
  }
  Blocks.push_back(std::move(Found));
}

static bool isSite(Slot S) { return S != format::NoSlot; }

bool GradientNotes::hasGradients() const {
  return std::any_of(Blocks.begin(), Blocks.end(), [](const Returned &Of) {
    return std::any_of(Of.Unused.begin(), Of.Unused.end(), isSite);
  });
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
    Tensors.push_back({Input, Freed});
  }
}

void GradientNotes::insert() {
  for (const Returned &Of : Blocks)
    noteReturned(Of);
  freeInputs();
}

Value *GradientNotes::insertSlots(const std::vector<Slot> &Slots) {
  std::vector<int64_t> Numbers;
  for (Slot S : Slots)
    Numbers.push_back(format::number(S));
  return Body.insertConstant(Numbers);
}

void GradientNotes::noteReturned(const Returned &Of) {
  std::vector<Slot> Needing, Unused;
  std::vector<Value *> Gradients;
  for (const Needed &Tensor : Tensors)
    Needing.push_back(Tensor.Freed);
  // A list of gradients would stand for several functions.
  for (size_t I = 0; I < Of.Unused.size(); ++I) {
    if (isTensor(*Of.By->input(I)->type()) != true)
      break;
    Unused.push_back(Of.Unused[I]);
    Gradients.push_back(Of.By->input(I));
  }
  if (std::none_of(Unused.begin(), Unused.end(), isSite))
    return;
  WithInsertPoint Guard(Of.By);
  std::vector<Value *> Inputs = {insertSlots(Needing), insertSlots(Unused)};
  Inputs.insert(Inputs.end(), Gradients.begin(), Gradients.end());
  Body.insertNode(Body.create(symbols::noteGradients(), Inputs, 0));
}

void GradientNotes::freeInputs() {
  if (Blocks.empty() || Blocks.front().By->owningBlock() == Body.block())
    return; // the last use of each frees it
  std::vector<Slot> Freed;
  std::vector<Value *> Inputs;
  for (const Needed &Tensor : Tensors) {
    if (!isSite(Tensor.Freed))
      continue;
    Freed.push_back(Tensor.Freed);
    Inputs.push_back(Tensor.Input);
  }
  if (Inputs.empty())
    return;
  WithInsertPoint Guard(Body.return_node());
  Inputs.insert(Inputs.begin(), insertSlots(Freed));
  Body.insertNode(Body.create(symbols::freeInputs(), Inputs, 0));
}

} // namespace torchprof
