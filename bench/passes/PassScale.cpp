//===- PassScale.cpp - how the passes' work grows with the graph ----------===//
//
// Builds graphs of growing size in memory and times what torchprof does to
// them, step by step; LibTorch's own parsing, loading and saving, which are
// quadratic in the length of a method, stay out of it. Prints one JSON line per
// size: milliseconds per step (the least of several repetitions) and the bytes
// that the resident set grew per site.
//
//===----------------------------------------------------------------------===//

#include "torchprof/StepTimer.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

using namespace torch::jit;
using namespace torchprof;

/// A chain of relu nodes with an If around every eighth.
static std::shared_ptr<Graph> makeGraph(size_t Nodes) {
  auto G = std::make_shared<Graph>();
  Value *X = G->addInput("x");
  Value *Condition = G->addInput("condition");
  Condition->setType(c10::BoolType::get());
  for (size_t I = 0; I < Nodes; ++I) {
    if (I % 8 != 7) {
      X = G->insertNode(G->create(aten::relu, {X}))->output();
      continue;
    }
    Node *If = G->insertNode(G->create(prim::If, {Condition}));
    Block *Then = If->addBlock(), *Else = If->addBlock();
    {
      WithInsertPoint Guard(Then);
      Then->registerOutput(G->insertNode(G->create(aten::neg, {X}))->output());
    }
    Else->registerOutput(X);
    X = If->output();
  }
  G->registerOutput(X);
  return G;
}

static size_t residentBytes() {
  std::ifstream In("/proc/self/statm");
  size_t Pages = 0;
  In >> Pages >> Pages;
  return Pages * 4096;
}

static size_t run(size_t Nodes, std::map<std::string, double> &Least,
                  size_t &Sites) {
  MethodGraph Method;
  Method.Name = "forward";
  Method.Body = makeGraph(Nodes);
  size_t Before = residentBytes();
  std::vector<StepTime> Times;
  StepTimer Timer(Times);
  Manifest Table;
  ScopeMap Scopes;
  Timer.begin("inline and clean up");
  inlineCalls(Method, Table, Scopes);
  Timer.begin("number");
  SiteNumbering Numbering = numberSites({Method}, std::move(Table), Scopes, {});
  Timer.begin("insert");
  insertProbes(Numbering, /*WithManifest=*/false);
  Timer.begin("verify");
  if (!verifyProbes({Method}, &Numbering.Table).empty())
    std::abort();
  Timer.begin("manifest");
  std::string Text = printManifest(Numbering.Table);
  Timer.finish();
  size_t Grown = residentBytes() - Before;
  double Total = 0;
  for (const StepTime &Time : Times) {
    double Ms = static_cast<double>(Time.Ns) / 1e6;
    Total += Ms;
    auto [It, IsNew] = Least.try_emplace(Time.Step, Ms);
    It->second = std::min(It->second, Ms);
  }
  auto [It, IsNew] = Least.try_emplace("total", Total);
  It->second = std::min(It->second, Total);
  Sites = Numbering.Table.Sites.size();
  return Grown;
}

int main(int Argc, char **Argv) {
  int Repetitions = Argc > 1 ? std::atoi(Argv[1]) : 5;
  for (size_t Nodes : {12500, 25000, 50000, 100000}) {
    std::map<std::string, double> Least;
    size_t Sites = 0, Grown = 0;
    for (int I = 0; I < Repetitions; ++I)
      // Memory that is freed stays with the process: the first time counts.
      Grown = std::max(Grown, run(Nodes, Least, Sites));
    std::printf("{\"nodes\": %zu, \"sites\": %zu, \"bytes_per_site\": %zu",
                Nodes, Sites, Grown / Sites);
    for (const auto &[Step, Ms] : Least)
      std::printf(", \"%s_ms\": %.3f", Step.c_str(), Ms);
    std::printf("}\n");
  }
}
