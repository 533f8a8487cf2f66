//===- LoweringTest.cpp - timed nodes and what stays explicit -------------===//
//
// Each case also runs what it made: the result is that of the graph without
// probes and the counts are exact.
//
//===----------------------------------------------------------------------===//

#include "TorchSupport.h"
#include "torchprof/torchprof.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/mobile/import.h>
#include <torch/csrc/jit/mobile/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

using namespace torchprof;
using namespace torchprof::test;
using torchprof::format::Counter;

namespace {

const char Chain[] = "  enter\n"
                     "  begin %b1 @1\n"
                     "  %y : Tensor = aten::relu(%x)\n"
                     "  end %b1 @1\n"
                     "  begin %b2 @2\n"
                     "  %z : Tensor = aten::add(%y, %one, %one)\n"
                     "  end %b2 @2\n"
                     "  leave\n";

class Lowering : public testing::Test {
protected:
  ReadProfile profile() { return readProfile(Folder.file("p.tprof")); }
  void run(const std::function<void()> &Body) {
    recordTorch(Folder.file("p.tprof"), Body);
  }
  TestFolder Folder;
};

torchprof_stats stats() {
  torchprof_stats Stats;
  torchprof_get_stats(&Stats, sizeof(Stats));
  return Stats;
}

/// The graph as a function that LibTorch's executor runs.
torch::jit::Function *executed(torch::jit::CompilationUnit &Unit,
                               const std::shared_ptr<torch::jit::Graph> &G) {
  return Unit.create_function("f", G);
}

} // namespace

TEST_F(Lowering, PairAroundOneNodeBecomesATimedNode) {
  run([] {
    auto G = probed(graphText(Chain, "%z"));
    runPostPasses(G);
    EXPECT_EQ(countKind(*G, "torchprof::timed"), 2u);
    EXPECT_EQ(countKind(*G, "torchprof::begin"), 0u);
    EXPECT_EQ(countKind(*G, "aten::relu"), 0u);
    EXPECT_EQ(countKind(*G, "torchprof::end"), 1u); // the root's
    EXPECT_EQ(stats().lowered_pairs, 2u);
    at::Tensor X = at::randn({8});
    for (int I = 0; I < 5; ++I)
      EXPECT_TRUE(at::equal(interpret(G, {X})[0].toTensor(), X.relu() + 1));
  });
  for (uint32_t Slot : {0, 1, 2}) {
    EXPECT_EQ(profile().count(Slot), 5u);
    EXPECT_EQ(profile().begins(Slot), 5u);
  }
  EXPECT_EQ(profile().Runs[0].Count, 5u);
}

TEST_F(Lowering, NodesThatDifferByTheirValuesAloneShareASubgraph) {
  run([] {
    auto G = probed(graphText("  begin %b1 @1\n"
                              "  %y : Tensor = aten::relu(%x)\n"
                              "  end %b1 @1\n"
                              "  begin %b2 @2\n"
                              "  %z : Tensor = aten::relu(%y)\n"
                              "  end %b2 @2\n"
                              "  begin %b3 @3\n"
                              "  %u : Tensor = aten::neg(%z)\n"
                              "  end %b3 @3\n",
                              "%u"));
    runPostPasses(G);
    std::vector<const torch::jit::Graph *> Of;
    for (torch::jit::Node *N : G->nodes())
      if (N->kind().toQualString() == std::string("torchprof::timed"))
        Of.push_back(N->g(torch::jit::attr::Subgraph).get());
    ASSERT_EQ(Of.size(), 3u);
    EXPECT_EQ(Of[0], Of[1]);
    EXPECT_NE(Of[1], Of[2]);
    at::Tensor X = at::randn({8});
    EXPECT_TRUE(at::equal(interpret(G, {X})[0].toTensor(), X.relu().neg()));
  });
  for (uint32_t Slot : {1, 2, 3})
    EXPECT_EQ(profile().count(Slot), 1u);
}

TEST_F(Lowering, PairWithNothingInsideIsDropped) {
  run([] {
    auto G = probed(graphText("  begin %b1 @1\n"
                              "  %two : int = prim::Constant[value=2]()\n"
                              "  end %b1 @1\n"
                              "  %y : Tensor = aten::add(%x, %two, %one)\n",
                              "%y"));
    runPostPasses(G);
    EXPECT_EQ(countKind(*G, "torchprof::begin"), 0u);
    EXPECT_EQ(countKind(*G, "torchprof::end"), 0u);
    EXPECT_EQ(stats().dropped_pairs, 1u);
    at::Tensor X = at::randn({8});
    EXPECT_TRUE(at::equal(interpret(G, {X})[0].toTensor(), X + 2));
  });
}

TEST_F(Lowering, SeveralNodesBetweenOnePairBecomeOneGroup) {
  run([] {
    auto G = probed(graphText("  begin %b1 @1\n"
                              "  %y : Tensor = aten::add(%x, %x, %one)\n"
                              "  %z : Tensor = aten::mul(%y, %x)\n"
                              "  %w : Tensor = aten::relu(%z)\n"
                              "  end %b1 @1\n"
                              "  %v : Tensor = aten::sub(%w, %y, %one)\n",
                              "%v"));
    runPostPasses(G);
    EXPECT_EQ(countKind(*G, "torchprof::timed"), 1u);
    EXPECT_EQ(countKind(*G, "torchprof::begin"), 0u);
    EXPECT_EQ(stats().grouped_pairs, 1u);
    EXPECT_EQ(stats().lowered_pairs, 1u);
    std::ostringstream Text; // the members keep their names
    Text << *G;
    EXPECT_NE(Text.str().find("aten::mul"), std::string::npos);
    for (torch::jit::Node *N : G->nodes())
      if (N->kind().toQualString() == std::string("torchprof::timed")) {
        EXPECT_EQ(N->outputs().size(), 2u); // %z lives inside alone
      }
    at::Tensor X = at::randn({8});
    for (int I = 0; I < 3; ++I)
      EXPECT_TRUE(at::equal(interpret(G, {X})[0].toTensor(),
                            ((X + X) * X).relu() - (X + X)));
  });
  EXPECT_EQ(profile().count(1), 3u);
  EXPECT_EQ(
      profile()
          .child(format::DynamicKind::Group, "aten::add, aten::mul, aten::relu")
          .Parent,
      format::Slot{1});
}

TEST_F(Lowering, ControlFlowKeepsItsPairAndItsInsideIsLowered) {
  run([] {
    auto G = probed(graphText("  %c : bool = prim::Constant[value=1]()\n"
                              "  begin %b1 @1\n"
                              "  %y : Tensor = prim::If(%c)\n"
                              "    block0():\n"
                              "      begin %b2 @2\n"
                              "      %t : Tensor = aten::relu(%x)\n"
                              "      end %b2 @2\n"
                              "      -> (%t)\n"
                              "    block1():\n"
                              "      -> (%x)\n"
                              "  end %b1 @1\n",
                              "%y"));
    runPostPasses(G);
    EXPECT_EQ(countKind(*G, "torchprof::timed"), 1u);
    EXPECT_EQ(countKind(*G, "torchprof::begin"), 1u);
    EXPECT_EQ(stats().explicit_pairs, 1u);
    at::Tensor X = at::randn({8});
    EXPECT_TRUE(at::equal(interpret(G, {X})[0].toTensor(), X.relu()));
  });
  EXPECT_EQ(profile().count(1), 1u);
  EXPECT_EQ(profile().count(2), 1u);
  EXPECT_GE(profile().sum(1), profile().sum(2));
}

TEST_F(Lowering, SiteThatIsNoConstantStaysExplicit) {
  run([] {
    auto G = probed("graph(%x : Tensor, %s : int):\n"
                    "  %b : int = torchprof::begin(%s)\n"
                    "  %y : Tensor = aten::relu(%x)\n"
                    "  torchprof::end(%b, %s)\n"
                    "  return (%y)\n");
    runPostPasses(G);
    EXPECT_EQ(countKind(*G, "torchprof::begin"), 1u);
    interpret(G, {at::randn({8}), site(7, 3).number()});
  });
  EXPECT_EQ(profile().count(3), 1u);
}

TEST_F(Lowering, EndOfAnotherSiteStaysExplicit) {
  run([] {
    auto G = probed(graphText("  begin %b1 @1\n"
                              "  %y : Tensor = aten::relu(%x)\n"
                              "  end %b1 @2\n",
                              "%y"));
    runPostPasses(G);
    EXPECT_EQ(countKind(*G, "torchprof::timed"), 0u);
  });
}

TEST_F(Lowering, VarargOperatorsGetTheirInputCount) {
  run([] {
    auto G = probed(graphText("  begin %b1 @1\n"
                              "  prim::Print(%one, %one, %one)\n"
                              "  end %b1 @1\n"
                              "  begin %b2 @2\n"
                              "  %p : Tensor, %q : Tensor = "
                              "prim::ConstantChunk[chunks=2, dim=0](%x)\n"
                              "  end %b2 @2\n",
                              "%q"));
    runPostPasses(G);
    EXPECT_EQ(countKind(*G, "torchprof::timed"), 2u);
    at::Tensor X = at::randn({8});
    testing::internal::CaptureStdout();
    at::Tensor Y = interpret(G, {X})[0].toTensor();
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "1 1 1\n");
    EXPECT_TRUE(at::equal(Y, X.chunk(2)[1]));
  });
  EXPECT_EQ(profile().count(1), 1u);
  EXPECT_EQ(profile().count(2), 1u);
}

TEST_F(Lowering, NodeThatThrowsIsUnfinishedAndTheHostGetsItsException) {
  run([] {
    auto G = probed(graphText("  enter\n"
                              "  begin %b1 @1\n"
                              "  %y : Tensor = aten::mm(%x, %x)\n"
                              "  end %b1 @1\n"
                              "  leave\n",
                              "%y"));
    runPostPasses(G);
    EXPECT_THROW(interpret(G, {at::randn({8})}), std::exception);
    EXPECT_NO_THROW(interpret(G, {at::randn({2, 2})}));
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.begins(1), 2u);
  EXPECT_EQ(P.count(1), 1u);
  EXPECT_EQ(P.begins(0), 2u);
  EXPECT_EQ(P.Runs[0].Count, 1u);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
}

/// From a deeper native stack than the caller's.
[[gnu::noinline]] static void
interpretDeeper(const std::shared_ptr<torch::jit::Graph> &G,
                const at::Tensor &X) {
  char Room[512];
  asm volatile("" : : "r"(Room) : "memory");
  interpret(G, {X});
  asm volatile("" : : "r"(Room) : "memory");
}

TEST_F(Lowering, RunsBehindOneThatARaiseLeftAreRuns) {
  run([] {
    auto Raises =
        probed(graphText("  enter\n"
                         "  %text : str = prim::Constant[value=\"no\"]()\n"
                         "  torchprof::leave()\n"
                         "  prim::RaiseException(%text, %none)\n"
                         "  leave\n",
                         "%x"));
    auto G = probed(graphText(Chain, "%z"));
    EXPECT_THROW(interpret(Raises, {at::ones({2})}), std::exception);
    for (int I = 0; I < 3; ++I)
      interpretDeeper(G, at::ones({2}));
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.begins(0), 4u);
  ASSERT_EQ(P.Runs.size(), 1u);
  EXPECT_EQ(P.Runs[0].Count, 3u);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
}

TEST_F(Lowering, StoppedTimedNodesRunAndAreNotCounted) {
  run([] {
    auto G = probed(graphText(Chain, "%z"));
    runPostPasses(G);
    at::Tensor X = at::randn({8});
    torchprof_stop();
    EXPECT_TRUE(at::equal(interpret(G, {X})[0].toTensor(), X.relu() + 1));
    torchprof_start();
    interpret(G, {X});
  });
  EXPECT_EQ(profile().count(1), 1u);
}

TEST_F(Lowering, ExecutorLowersWithoutGradAndNotWithIt) {
  for (bool Grad : {false, true}) {
    TestFolder Own;
    recordTorch(Own.file("p.tprof"), [&] {
      torch::jit::CompilationUnit Unit;
      auto *F = executed(Unit, probed(graphText(Chain, "%z")));
      at::AutoGradMode Mode(Grad);
      at::Tensor X = at::randn({8}).set_requires_grad(Grad);
      for (int I = 0; I < 6; ++I)
        EXPECT_TRUE(at::equal((*F)({X}).toTensor(), X.relu() + 1));
      EXPECT_EQ(stats().lowered_pairs, Grad ? 0u : 2u);
      EXPECT_EQ(stats().lowering_failed, 0u);
    });
    ReadProfile P = readProfile(Own.file("p.tprof"));
    for (uint32_t Slot : {0, 1, 2})
      EXPECT_EQ(P.count(Slot), 6u) << "grad " << Grad;
  }
}

TEST_F(Lowering, LegacyAndSimpleExecutorsCountExactly) {
  for (int Which : {0, 1}) {
    TestFolder Own;
    recordTorch(Own.file("p.tprof"), [&] {
      if (Which)
        torch::jit::setGraphExecutorOptimize(false);
      else
        torch::jit::getProfilingMode() = false;
      torch::jit::CompilationUnit Unit;
      auto *F = executed(Unit, probed(graphText(Chain, "%z")));
      at::Tensor X = at::randn({8});
      for (int I = 0; I < 6; ++I)
        EXPECT_TRUE(at::equal((*F)({X}).toTensor(), X.relu() + 1));
    });
    ReadProfile P = readProfile(Own.file("p.tprof"));
    for (uint32_t Slot : {0, 1, 2})
      EXPECT_EQ(P.count(Slot), 6u) << Which;
  }
}

TEST_F(Lowering, NewShapesAndTypesAreCountedToo) {
  run([] {
    torch::jit::CompilationUnit Unit;
    auto *F = executed(Unit, probed(graphText(Chain, "%z")));
    for (int I = 1; I <= 10; ++I) {
      at::Tensor X = I % 3 ? at::randn({I, I}) : at::randn({I}).to(at::kDouble);
      EXPECT_TRUE(at::equal((*F)({X}).toTensor(), X.relu() + 1));
    }
  });
  for (uint32_t Slot : {0, 1, 2})
    EXPECT_EQ(profile().count(Slot), 10u);
}

TEST_F(Lowering, OneModelOnManyThreadsCountsExactly) {
  run([] {
    torch::jit::CompilationUnit Unit;
    auto *F = executed(Unit, probed(graphText(Chain, "%z")));
    std::vector<std::thread> Threads;
    for (int T = 0; T < 4; ++T)
      Threads.emplace_back([F] {
        at::NoGradGuard NoGrad;
        at::Tensor X = at::randn({8});
        for (int I = 0; I < 200; ++I)
          (*F)({X});
      });
    for (std::thread &T : Threads)
      T.join();
  });
  for (uint32_t Slot : {0, 1, 2})
    EXPECT_EQ(profile().count(Slot), 800u);
}

TEST_F(Lowering, CanBeSwitchedOff) {
  run([] {
    ASSERT_EQ(torchprof_set_option("lower", "off"), 0);
    auto G = probed(graphText(Chain, "%z"));
    runPostPasses(G);
    EXPECT_EQ(countKind(*G, "torchprof::timed"), 0u);
    EXPECT_EQ(countKind(*G, "torchprof::begin"), 2u);
    interpret(G, {at::randn({8})});
  });
  EXPECT_EQ(profile().count(1), 1u);
}

TEST_F(Lowering, ForkedBodyIsCountedOnItsThread) {
  run([] {
    auto G = probed(graphText("  enter\n"
                              "  begin %b1 @1\n"
                              "  %f : Future(Tensor) = prim::fork_0(%x)\n"
                              "  end %b1 @1\n"
                              "  begin %b3 @3\n"
                              "  %y : Tensor = aten::wait(%f)\n"
                              "  end %b3 @3\n"
                              "  leave\n",
                              "%y"));
    auto Body = probed("graph(%x : Tensor):\n"
                       "  begin %b2 @2\n"
                       "  %y : Tensor = aten::relu(%x)\n"
                       "  end %b2 @2\n"
                       "  return (%y)\n");
    for (torch::jit::Node *N : G->nodes())
      if (N->kind().toQualString() == std::string("prim::fork_0")) {
        torch::jit::WithInsertPoint Point(N);
        auto *Fork = G->create(torch::jit::prim::fork, N->inputs(), 1);
        Fork->g_(torch::jit::attr::Subgraph, Body);
        Fork->output()->setType(N->output()->type());
        Fork->insertBefore(N);
        N->output()->replaceAllUsesWith(Fork->output());
        N->destroy();
        break;
      }
    torch::jit::CompilationUnit Unit;
    auto *F = executed(Unit, G);
    at::Tensor X = at::randn({8});
    for (int I = 0; I < 20; ++I)
      EXPECT_TRUE(at::equal((*F)({X}).toTensor(), X.relu()));
  });
  for (uint32_t Slot : {0, 1, 2, 3})
    EXPECT_EQ(profile().count(Slot), 20u) << Slot;
}

TEST_F(Lowering, LiteInterpreterCountsExactly) {
  run([] {
    torch::jit::Module M("m");
    auto G = probed("graph(%self : Tensor, %x : Tensor):\n"
                    "  begin %b1 @1\n"
                    "  %y : Tensor = aten::relu(%x)\n"
                    "  end %b1 @1\n"
                    "  begin %b2 @2\n"
                    "  %z : Tensor = aten::relu(%y)\n"
                    "  end %b2 @2\n"
                    "  return (%z)\n");
    G->inputs()[0]->setType(M.type());
    auto *F = M._ivalue()->compilation_unit()->create_function(
        c10::QualifiedName(*M.type()->name(), "forward"), G);
    M.type()->addMethod(F);
    std::stringstream File;
    M._save_for_mobile(File);
    auto Lite = torch::jit::_load_for_mobile(File);
    at::Tensor X = at::randn({8});
    for (int I = 0; I < 5; ++I)
      EXPECT_TRUE(at::equal(Lite.forward({X}).toTensor(), X.relu()));
  });
  EXPECT_EQ(profile().count(1), 5u);
  EXPECT_EQ(profile().count(2), 5u); // the site is read at each call
}
