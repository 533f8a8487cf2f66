//===- Lowering.cpp - one timed node for begin, node, end -----------------===//
//
// Runs as a post pass: after differentiation and fusion, so what stands
// between two probes is what will run there. Only nodes that the interpreter
// runs by calling an Operation can be wrapped; control flow, calls, forks and
// waits are instructions of its own and keep their probes.
//
// An exception that left a post pass would fail the user's call, so whatever
// surprises leaves the pair as it is.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Control.h"
#include "Symbols.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/pass_manager.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <optional>
#include <unordered_map>

namespace torchprof {

using namespace torch::jit;

/// True if the interpreter runs the node by calling its Operation alone. What
/// it emits instructions of its own for has no Operation, or one that throws.
static bool isPlainOperator(Node *N) {
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

/// A pair of probes in one block and the nodes between them.
namespace {
struct Pair {
  Node *Begin = nullptr;
  Node *End = nullptr;
  int64_t Site = 0;
  std::vector<Node *> Members;
};
} // namespace

/// The pair that \p Begin opens, if its end is in the same block, closes
/// nothing else and everything between the two can be wrapped. Constants may
/// stand between them: the timed node goes to the end's place.
static std::optional<Pair> findPair(Node *Begin) {
  std::optional<c10::IValue> Site;
  if (auto Constant = toIValue(Begin->input(0)))
    Site = *Constant;
  if (!Site || !Site->isInt() || Begin->output()->uses().size() != 1)
    return std::nullopt;
  Pair P;
  P.Begin = Begin;
  P.End = Begin->output()->uses()[0].user;
  P.Site = Site->toInt();
  if (P.End->kind() != symbols::end() ||
      P.End->owningBlock() != Begin->owningBlock())
    return std::nullopt;
  auto EndSite = toIValue(P.End->input(1));
  if (!EndSite || !EndSite->isInt() || EndSite->toInt() != P.Site)
    return std::nullopt;
  for (Node *N = Begin->next(); N != P.End; N = N->next()) {
    if (N->kind() == prim::Return) // an end before its begin
      return std::nullopt;
    if (N->kind() == prim::Constant)
      continue;
    if (!isPlainOperator(N))
      return std::nullopt;
    P.Members.push_back(N);
  }
  return P;
}

/// A graph that holds clones of the members. Fills \p Inputs with the values
/// it needs, one per use, so that a single member's inputs are the graph's,
/// and \p Outputs with the members' outputs in order. Null if a clone would
/// not run what the member runs.
static std::shared_ptr<Graph> cloneMembers(const Pair &P,
                                           std::vector<Value *> &Inputs,
                                           std::vector<Value *> &Outputs) {
  auto Inner = std::make_shared<Graph>();
  std::unordered_map<Value *, Value *> Map;
  for (Node *Member : P.Members) {
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
      Outputs.push_back(Member->output(I));
      Inner->registerOutput(Clone->output(I));
    }
  }
  return Inner;
}

/// Replaces the pair by one node. False, with the graph unchanged, if that
/// cannot be done.
static bool lowerPair(Graph &G, const Pair &P) {
  std::vector<Value *> Inputs, Outputs;
  std::shared_ptr<Graph> Inner = cloneMembers(P, Inputs, Outputs);
  if (!Inner)
    return false;
  Node *Timed = G.create(symbols::timed(), Inputs, Outputs.size());
  Timed->g_(attr::Subgraph, Inner);
  Timed->i_(symbols::site(), P.Site);
  for (size_t I = 0; I < Outputs.size(); ++I)
    Timed->output(I)->copyMetadata(Outputs[I]);
  Timed->setSourceRange(P.Members.front()->sourceRange());
  if (auto Stack = P.Members.front()->callstack())
    Timed->setCallStack(*Stack);
  Timed->setScope(P.Members.front()->scope());
  Timed->insertBefore(P.End);
  for (size_t I = 0; I < Outputs.size(); ++I)
    Outputs[I]->replaceAllUsesWith(Timed->output(I));
  P.End->destroy();
  for (size_t I = P.Members.size(); I-- > 0;)
    P.Members[I]->destroy();
  P.Begin->destroy();
  return true;
}

/// The kinds of several members, "aten::t, aten::matmul"; empty for one alone.
static std::string groupOf(const Pair &P) {
  std::string Kinds;
  if (P.Members.size() < 2)
    return Kinds;
  for (const Node *Member : P.Members)
    Kinds.append(Kinds.empty() ? "" : ", ")
        .append(Member->kind().toQualString());
  return Kinds;
}

static void lowerBlock(Graph &G, Block *B, LoweringCounts &Counts) {
  for (auto It = B->nodes().begin(); It != B->nodes().end();) {
    Node *N = *It;
    ++It;
    for (Block *Inner : N->blocks())
      lowerBlock(G, Inner, Counts);
    if (N->kind() != symbols::begin())
      continue;
    std::optional<Pair> P = findPair(N);
    if (!P) {
      ++Counts.Explicit;
      continue;
    }
    // The next node may be one that goes away with the pair.
    It = graph_node_list_iterator(P->End->next(), kNextDirection);
    if (P->Members.empty()) {
      P->End->destroy();
      P->Begin->destroy();
      ++Counts.Dropped;
    } else if (std::string Group = groupOf(*P); lowerPair(G, *P)) {
      ++Counts.Lowered;
      if (!Group.empty())
        Counts.Groups.emplace_back(P->Site, Group);
    } else {
      ++Counts.Explicit;
    }
  }
}

LoweringCounts lowerProbes(Graph &G) {
  LoweringCounts Counts;
  lowerBlock(G, G.block(), Counts);
  return Counts;
}

static void lowerInExecutor(std::shared_ptr<Graph> &G) {
  try {
    if (!currentOptions().Lower)
      return;
    LoweringCounts Counts = lowerProbes(*G);
    using format::Counter;
    const std::pair<Counter, unsigned> Numbers[] = {
        {Counter::LoweredPairs, Counts.Lowered},
        {Counter::GroupedPairs, unsigned(Counts.Groups.size())},
        {Counter::ExplicitPairs, Counts.Explicit},
        {Counter::DroppedPairs, Counts.Dropped}};
    for (auto [C, Number] : Numbers)
      if (Number)
        count(C, Number);
    for (const auto &[Site, Kinds] : Counts.Groups)
      addGroup(format::SiteId::fromNumber(Site), Kinds);
  } catch (...) {
    count(format::Counter::LoweringFailed);
  }
}

static const RegisterPostPass Registered_(lowerInExecutor);

} // namespace torchprof
