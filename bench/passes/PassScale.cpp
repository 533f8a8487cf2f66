//===- PassScale.cpp - how the passes' work grows with the graph ----------===//
//
// Builds graphs of growing size in memory and times what torchprof does to
// them, step by step; LibTorch's own parsing, loading and saving, which are
// quadratic in the length of a method, stay out of it. Prints one JSON line per
// size: milliseconds per step (the least of several repetitions) and the bytes
// on the heap per site that are there afterwards and were not before: the
// probes' nodes, the table and its text.
//
//===----------------------------------------------------------------------===//

#include "torchprof/StepTimer.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

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

static size_t liveBytes() {
  struct mallinfo2 Info = mallinfo2();
  return Info.uordblks + Info.hblkhd;
}

namespace {

/// What one repetition found.
struct Result {
  std::map<std::string, double> Ms; ///< by step
  size_t Sites = 0;
  size_t Grown = 0; ///< bytes
};

} // namespace

/// Does the work once.
static Result run(size_t Nodes) {
  MethodGraph Method;
  Method.Name = "forward";
  Method.Body = makeGraph(Nodes);
  size_t Before = liveBytes();
  std::vector<StepTime> Times;
  StepTimer Timer(Times);
  SiteNumbering Numbering;
  {
    Manifest Table;
    ScopeMap Scopes;
    Timer.begin("inline");
    inlineCalls(Method, Table, Scopes);
    Timer.begin("number");
    Numbering = numberSites({Method}, std::move(Table), Scopes, {});
  }
  Timer.begin("insert");
  insertProbes(Numbering, /*WithManifest=*/false);
  Timer.begin("verify");
  if (!verifyProbes({Method}, &Numbering.Table).empty())
    std::abort();
  Timer.begin("manifest");
  std::string Text = printManifest(Numbering.Table);
  Timer.finish();
  Result R;
  R.Sites = Numbering.Table.Sites.size();
  R.Grown = liveBytes() - Before;
  for (const StepTime &Time : Times)
    R.Ms[Time.Step] = static_cast<double>(Time.Ns) / 1e6;
  return R;
}

/// Prints a result for runApart() to read.
static void print(const Result &R, FILE *Out) {
  std::fprintf(Out, "%zu %zu\n", R.Sites, R.Grown);
  for (const auto &[Step, Ms] : R.Ms)
    std::fprintf(Out, "%s %f\n", Step.c_str(), Ms);
}

/// Runs in a process of its own: the tool starts with an empty heap too, and a
/// heap that a freed graph left behind is neither as fast nor grows.
static Result runApart(size_t Nodes) {
  int Ends[2];
  if (pipe(Ends) != 0)
    std::abort();
  pid_t Child = fork();
  if (Child == 0) {
    FILE *Out = fdopen(Ends[1], "w");
    run(8); // LibTorch fills tables of its own at their first use
    print(run(Nodes), Out);
    std::fflush(Out);
    _exit(0);
  }
  close(Ends[1]);
  Result R;
  FILE *In = fdopen(Ends[0], "r");
  char Step[32];
  double Ms = 0;
  if (std::fscanf(In, "%zu %zu", &R.Sites, &R.Grown) != 2)
    std::abort();
  while (std::fscanf(In, "%31s %lf", Step, &Ms) == 2) {
    R.Ms[Step] = Ms;
    R.Ms["total"] += Ms;
  }
  std::fclose(In);
  waitpid(Child, nullptr, 0);
  return R;
}

int main(int Argc, char **Argv) {
  int Repetitions = Argc > 1 ? std::atoi(Argv[1]) : 5;
  for (size_t Nodes : {12500, 25000, 50000, 100000}) {
    Result Least = runApart(Nodes);
    for (int I = 1; I < Repetitions; ++I)
      for (const auto &[Step, Ms] : runApart(Nodes).Ms)
        Least.Ms[Step] = std::min(Least.Ms[Step], Ms);
    std::printf("{\"nodes\": %zu, \"sites\": %zu, \"bytes_per_site\": %zu",
                Nodes, Least.Sites, Least.Grown / Least.Sites);
    for (const auto &[Step, Ms] : Least.Ms)
      std::printf(", \"%s_ms\": %.3f", Step.c_str(), Ms);
    std::printf("}\n");
    std::fflush(stdout);
  }
}
