//===- TimedNode.cpp - one node that reads the clock around others --------===//

#include "TimedNode.h"

#include "Symbols.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace torchprof {

using namespace torch::jit;

bool isPlainOperator(Node *N) {
  if (!N->blocks().empty())
    return false;
  switch (N->kind()) {
  case aten::wait:
  case aten::warn:
  case prim::BailOut:
  case prim::CallFunction:
  case prim::CallMethod:
  case prim::CreateObject:
  case prim::DifferentiableGraph:
  case prim::Enter:
  case prim::Exit:
  case prim::GetAttr:
  case prim::Guard:
  case prim::RaiseException:
  case prim::SetAttr:
  case prim::TypeCheck:
  case prim::Uninitialized:
  case prim::profile:
  case prim::profile_ivalue:
  case prim::fork:
    return false;
  default:
    break;
  }
  // LibTorch 1.13 has no names for these.
  static const Symbol Awaitable = Symbol::fromQualString("prim::awaitable");
  static const Symbol AwaitableWait =
      Symbol::fromQualString("aten::awaitable_wait");
  if (N->kind() == Awaitable || N->kind() == AwaitableWait)
    return false;
  if (N->kind().ns() == symbols::begin().ns())
    return false;
  return N->maybeOperator() != nullptr;
}

/// True if a node that is none of \p Members uses \p Output.
static bool isUsedOutside(const Value *Output,
                          const std::unordered_set<const Node *> &Members) {
  const auto &Uses = Output->uses();
  return std::any_of(Uses.begin(), Uses.end(),
                     [&](const Use &U) { return !Members.count(U.user); });
}

/// A graph that holds clones of the members. Fills \p Inputs with the values
/// it needs, one per use, so that a single member's inputs are the graph's,
/// and \p Outputs with the members' outputs in order; of several members only
/// with those that others use, since a graph's outputs live until it ends. Null
/// if a clone would not run what the member runs.
static std::shared_ptr<Graph> cloneMembers(const std::vector<Node *> &Members,
                                           std::vector<Value *> &Inputs,
                                           std::vector<Value *> &Outputs) {
  auto Inner = std::make_shared<Graph>();
  std::unordered_map<Value *, Value *> Map;
  const std::unordered_set<const Node *> All(Members.begin(), Members.end());
  for (Node *Member : Members) {
    // Each use is an input of its own; the clone's lookups come in the order
    // of the member's inputs.
    std::vector<Value *> Mapped;
    for (Value *V : Member->inputs()) {
      auto Known = Map.find(V);
      if (Known != Map.end()) {
        Mapped.push_back(Known->second);
        continue;
      }
      Inputs.push_back(V);
      Mapped.push_back(Inner->addInput()->setType(V->type()));
    }
    size_t Next = 0;
    Node *Clone =
        Inner->createClone(Member, [&](Value *) { return Mapped[Next++]; });
    Inner->insertNode(Clone);
    const Operator *Op = Clone->maybeOperator();
    if (Next != Mapped.size() || !Op || Op != Member->maybeOperator())
      return nullptr;
    for (size_t I = 0; I < Member->outputs().size(); ++I) {
      Map[Member->output(I)] = Clone->output(I);
      if (Members.size() > 1 && !isUsedOutside(Member->output(I), All))
        continue;
      Outputs.push_back(Member->output(I));
      Inner->registerOutput(Clone->output(I));
    }
  }
  return Inner;
}

/// The operator of a single member that runs it whatever the node has beside
/// the values, as the dispatcher's do; else null.
static const Operator *operatorAlone(const std::vector<Node *> &Members) {
  const Node *Only = Members.front();
  const Operator *Op = Members.size() == 1 ? Only->maybeOperator() : nullptr;
  return Op && Op->isC10Op() && !Op->schema().is_vararg() &&
                 !Only->hasAttributes()
             ? Op
             : nullptr;
}

Node *TimedNodes::replace(const std::vector<Node *> &Members, Node *Before,
                          format::SiteId Site) {
  std::vector<Value *> Inputs, Outputs;
  const Operator *Alone = operatorAlone(Members);
  std::shared_ptr<Graph> Own;
  std::shared_ptr<Graph> &Inner = Alone ? Shared[Alone] : Own;
  if (Inner) {
    Inputs = Members.front()->inputs().vec();
    Outputs = Members.front()->outputs().vec();
  } else if (!(Inner = cloneMembers(Members, Inputs, Outputs))) {
    return nullptr;
  }
  Node *Timed = G.create(symbols::timed(), Inputs, Outputs.size());
  Timed->g_(attr::Subgraph, Inner);
  Timed->i_(symbols::site(), Site.number());
  if (OfOutputs == Gradients::AreCut)
    Timed->i_(symbols::gradientsAreCut(), 1);
  for (size_t I = 0; I < Outputs.size(); ++I)
    Timed->output(I)->copyMetadata(Outputs[I]);
  Timed->setSourceRange(Members.front()->sourceRange());
  if (auto Stack = Members.front()->callstack())
    Timed->setCallStack(*Stack);
  Timed->setScope(Members.front()->scope());
  Timed->insertBefore(Before);
  for (size_t I = 0; I < Outputs.size(); ++I)
    Outputs[I]->replaceAllUsesWith(Timed->output(I));
  for (size_t I = Members.size(); I-- > 0;)
    Members[I]->destroy();
  return Timed;
}

std::string kindsOf(const std::vector<Node *> &Members) {
  std::string Kinds;
  for (const Node *Member : Members)
    Kinds.append(Kinds.empty() ? "" : ", ")
        .append(Member->kind().toQualString());
  return Kinds;
}

} // namespace torchprof
