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
#include "TimedNode.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/pass_manager.h>

#include <optional>

namespace torchprof {

using namespace torch::jit;

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

/// Replaces the pair by one node. False, with the graph unchanged, if that
/// cannot be done.
static bool lowerPair(TimedNodes &Timed, const Pair &P) {
  if (!Timed.replace(P.Members, P.End, format::SiteId::fromNumber(P.Site)))
    return false;
  P.End->destroy();
  P.Begin->destroy();
  return true;
}

/// The kinds of several members, "aten::t, aten::matmul"; empty for one alone.
static std::string groupOf(const Pair &P) {
  return P.Members.size() < 2 ? std::string() : kindsOf(P.Members);
}

static void lowerBlock(TimedNodes &Timed, Block *B, LoweringCounts &Counts) {
  for (auto It = B->nodes().begin(); It != B->nodes().end();) {
    Node *N = *It;
    ++It;
    for (Block *Inner : N->blocks())
      lowerBlock(Timed, Inner, Counts);
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
    } else if (std::string Group = groupOf(*P); lowerPair(Timed, *P)) {
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
  TimedNodes Timed(G);
  lowerBlock(Timed, G.block(), Counts);
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
      addNote(format::SiteId::fromNumber(Site), format::DynamicKind::Group,
              Kinds);
  } catch (...) {
    count(format::Counter::LoweringFailed);
  }
}

static const RegisterPostPass Registered(lowerInExecutor);

} // namespace torchprof
