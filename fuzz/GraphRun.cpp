//===- GraphRun.cpp - what a graph computes -------------------------------===//
//
// The probes here are not the runtime's: these do not record, they check that
// spans nest. Nothing is optimized: LibTorch would remove an unused node that
// raises an exception, and keep an unused block of nodes if there are probes in
// it.
//
//===----------------------------------------------------------------------===//

#include "GraphRun.h"

#include "../runtime/torch/Symbols.h"

#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <cstdlib>

namespace torchprof::fuzz {

using namespace torch::jit;

/// The sites of the spans that are open.
static std::vector<int64_t> Open;

static int64_t popInt(Stack &S) { return pop(S).toInt(); }

static void beginSpan(Stack &S) {
  Open.push_back(popInt(S));
  S.emplace_back(static_cast<int64_t>(Open.size()));
}

static void endSpan(Stack &S) {
  int64_t Site = popInt(S);
  int64_t Begun = popInt(S);
  if (Open.empty() || Begun != static_cast<int64_t>(Open.size()) ||
      Open.back() != Site)
    std::abort();
  Open.pop_back();
}

/// The operation of a node that has several in one.
static Operation runMembers(const Node *N) {
  if (!N)
    return Operation([](Stack &) { std::abort(); });
  Code Members(N->g(attr::Subgraph), "members");
  return Operation([Members](Stack &S) { InterpreterState(Members).run(S); });
}

static Operator withEffects(const char *Schema, void (*Run)(Stack &)) {
  return Operator(Schema, Operation(Run), c10::AliasAnalysisKind::CONSERVATIVE);
}

static const RegisterOperators Registered_({
    withEffects("torchprof::begin(int site) -> int", beginSpan),
    withEffects("torchprof::end(int begin, int site) -> ()", endSpan),
    withEffects("torchprof::enter(Any manifest, int site) -> int",
                [](Stack &S) {
                  c10::IValue Site = pop(S);
                  pop(S);
                  push(S, Site);
                  beginSpan(S);
                }),
    // Here no functions of autograd are looked for.
    withEffects("torchprof::follow_grad_mode() -> ()", [](Stack &) {}),
    // The exception that follows ends the run, or the fork.
    withEffects("torchprof::leave() -> ()", [](Stack &) {}),
    Operator(symbols::timed(), runMembers,
             c10::AliasAnalysisKind::CONSERVATIVE),
    // An operator outside of aten and prim, of which nothing is known.
    withEffects("fuzz::same(Tensor x) -> Tensor", [](Stack &) {}),
});

/// Runs a forked graph. What it raises waits for whoever waits for it, and its
/// spans stay without an end.
static void runFork(const std::function<void()> &Fork) {
  size_t Depth = Open.size();
  Fork();
  Open.resize(Depth);
}

RunResult runGraph(const std::shared_ptr<Graph> &Body,
                   std::vector<c10::IValue> Inputs) {
  RunResult Result;
  Result.Inputs = Inputs;
  Open.clear();
  GraphOptimizerEnabledGuard Unoptimized(false); // of the forks' executors
  try {
    Code Plan(Body, "fuzzed");
    InterpreterState(Plan, runFork).run(Inputs);
    if (!Open.empty())
      std::abort();
    Result.Outputs = std::move(Inputs);
  } catch (const std::exception &) {
    Result.Threw = true;
  }
  return Result;
}

static bool isUsedInside(const Value *V, const Node *N) {
  for (const Use &U : V->uses())
    for (const Node *Around = U.user->owningBlock()->owningNode(); Around;
         Around = Around->owningBlock()->owningNode())
      if (Around == N)
        return true;
  return false;
}

/// Whether what may run in the middle of \p User uses inside of it what is
/// \p Loaded by then. Adds what User loads.
static bool mayLose(const Node *User, std::vector<const Value *> &Loaded) {
  for (const Value *Input : User->inputs()) {
    const Node *Source = Input->node();
    if (Input->uses().size() == 1 && Source->outputs().size() == 1) {
      for (const Value *V : Loaded)
        if (isUsedInside(V, Source))
          return true;
      if (mayLose(Source, Loaded))
        return true;
    }
    Loaded.push_back(Input);
  }
  return false;
}

static bool mayLoseIn(const Block *B) {
  auto MayLose = [](const Node *N) {
    std::vector<const Value *> Loaded;
    return mayLose(N, Loaded);
  };
  for (const Node *N : B->nodes()) {
    if (MayLose(N))
      return true;
    if (N->kind() == prim::fork && mayLoseValues(*N->g(attr::Subgraph)))
      return true;
    for (const Block *Inner : N->blocks())
      if (mayLoseIn(Inner))
        return true;
  }
  return MayLose(B->return_node());
}

bool mayLoseValues(const Graph &Body) { return mayLoseIn(Body.block()); }

} // namespace torchprof::fuzz
