//===- Framework.cpp - which LibTorch this is, and what it costs ----------===//

#include "Framework.h"

#include "Clock.h"
#include "Control.h"
#include "ProbeCost.h"
#include "Symbols.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/version.h>

#include <mutex>

namespace torchprof {

using namespace torch::jit;

/// _cost_begin(int site) -> int: as begin, without the collector.
static void costBeginOp(Stack &S) { S.back() = S.back().toInt(); }

/// _cost_end(int begin, int site) -> (): as end, without the collector.
static void costEndOp(Stack &S) {
  int64_t Sum = S.back().toInt() + S[S.size() - 2].toInt();
  S.resize(S.size() - 2);
  asm volatile("" : : "r"(Sum));
}

/// _cost_node(str x, int a, int b) -> str: a node that takes no time, with as
/// many operands as a node often has. The first one has users that are counted,
/// as a tensor's, but is no memory that others keep books of.
static void costNodeOp(Stack &S) { S.resize(S.size() - 2); }

static const RegisterOperators CostOps({
    Operator("torchprof::_cost_begin(int site) -> int", Operation(costBeginOp),
             c10::AliasAnalysisKind::CONSERVATIVE),
    Operator("torchprof::_cost_end(int begin, int site) -> ()",
             Operation(costEndOp), c10::AliasAnalysisKind::CONSERVATIVE),
    Operator("torchprof::_cost_node(str x, int a, int b) -> str",
             Operation(costNodeOp), c10::AliasAnalysisKind::CONSERVATIVE),
});

/// Ticks of running a graph of \p Pairs pairs, the least of a few runs.
static uint64_t ticksOfPairs(unsigned Pairs) {
  auto G = std::make_shared<Graph>();
  for (unsigned I = 0; I < Pairs; ++I) {
    Value *Site = G->insertConstant(int64_t(I));
    Value *Begin = G->insert(
        c10::Symbol::fromQualString("torchprof::_cost_begin"), {Site});
    Node *End = G->create(c10::Symbol::fromQualString("torchprof::_cost_end"),
                          {Begin, Site}, 0);
    G->insertNode(End);
  }
  Code C(G, "torchprof_cost");
  uint64_t Best = UINT64_MAX;
  for (unsigned Run = 0; Run < 16; ++Run) {
    Stack S;
    uint64_t Begin = clock::ticks();
    InterpreterState(C).run(S);
    uint64_t Ticks = clock::ticks() - Begin;
    Best = Ticks < Best ? Ticks : Best;
  }
  return Best;
}

/// What pairs around nodes that take no time read, in 1/16 tick.
static uint64_t ticksInPairX16() {
  auto G = std::make_shared<Graph>();
  Value *X = G->addInput("x");
  X->setType(c10::StringType::get());
  for (unsigned I = 0; I < CostPairs; ++I) {
    Value *Site = G->insertConstant(CostSite.number());
    Value *Begin = G->insert(symbols::begin(), {Site});
    X = G->insert(c10::Symbol::fromQualString("torchprof::_cost_node"),
                  {X, Site, Site});
    G->insertNode(G->create(symbols::end(), {Begin, Site}, 0));
  }
  G->registerOutput(X);
  Code C(G, "torchprof_pairs");
  c10::IValue Input = std::string("x");
  return measurePairTicksX16([&] {
    Stack S = {Input};
    InterpreterState(C).run(S);
  });
}

void introduceFramework() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    setFramework("LibTorch " TORCH_VERSION);
    if (!currentOptions().Enabled)
      return;
    constexpr unsigned Pairs = CostPairs;
    try {
      uint64_t Empty = ticksOfPairs(0), Full = ticksOfPairs(Pairs);
      setDispatchCost(Full > Empty ? (Full - Empty) * 16 / Pairs : 0);
      setPairOffset(ticksInPairX16());
    } catch (const std::exception &) {
      // The report then shows the collector's share alone.
    }
  });
}

} // namespace torchprof
