//===- ProbeCost.cpp - what a node's probes cost --------------------------===//
//
// A chain of aten::relu on 8 floats: run by the interpreter without probes,
// with lowered probes and with explicit ones; and by LibTorch's executor
// without torchprof and attached, in its plans for good, for gradients and for
// profiling; and where each node makes a function of autograd, alone and with
// its backward. Each while recording, and some while stopped. The variants take
// turns, so that a change of the machine's speed meets all of them; what is
// printed is the difference to the same chain without torchprof, per node, and
// the cost of two raw readings of the clock.
//
//   torchprof-bench-runtime [NODE [TURNS [LENGTH]]]
//
// A JSON object per variant; nanoseconds per node. NODE is relu; or scalar,
// which is aten::add of two integers, far shorter than the noise of a shared
// machine is for a tensor's node: the difference is then known to a nanosecond
// or two; or a number of kilobytes that each node reads, as a convolution does:
// after more than the nearer caches hold, what a probe costs is its misses.
// Only what lies between the nodes' work is measured then (Gaps.h), and what
// the calls' last gaps take longer is a row of its own, "folding". LENGTH is
// the number of nodes.
//
// TORCHPROF_MODE=trace measures the trace mode, TORCHPROF_READS=one one reading
// of the clock per node. The profile goes to TORCHPROF_FILE; on tmpfs no
// write-back disturbs the numbers.
//
//===----------------------------------------------------------------------===//

#include "Gaps.h"

#include "torchprof/format/Manifest.h"
#include "torchprof/torchprof.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>
#include <torch/csrc/jit/passes/pass_manager.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/custom_class.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <malloc.h>
#include <random>
#include <string>
#include <vector>

using namespace torch::jit;

namespace {

constexpr uint64_t ModelId = 42;

struct Variant {
  const char *Name;
  std::function<void()> Call;
  bool Recording;
  const char *Beside;       ///< the variant to print the difference to, or null
  std::vector<double> Ns{}; ///< per node
  /// Of Ns: at the end of a call, in which its log is folded.
  std::vector<double> LastNs{};
};

double secondsNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// What the chain's nodes are.
struct Kind {
  const char *Name;
  const char *Type;
  const char *Second; ///< behind the first input
  unsigned Nodes;
  // A processor needs some calls of one chain to learn its branches again after
  // the others' turns; a turn is still short beside a change of its speed. A
  // log is folded after each 25 calls of 300 nodes, or 12 of pairs, and after
  // each 38 or 19 of 200: what others have left in it while it warms up, and as
  // often as is the share of the calls that count.
  unsigned WarmUpCalls, Calls; ///< in a turn
  unsigned Turns;
};
constexpr Kind Relu = {"aten::relu", "Tensor", "", 300, 25, 75, 75},
               Scalar = {"aten::add", "int", ", %x0", 300, 25, 75, 75},
               Read = {"bench::read", "int", "", 200, 38, 38, 3};

/// Registers a model of as many sites as the chain needs.
void registerModel(const Kind &K) {
  torchprof::Manifest M;
  M.ModelId = ModelId;
  M.Producer = "bench";
  M.Scopes.emplace_back();
  for (unsigned I = 0; I <= K.Nodes; ++I) {
    torchprof::ManifestSite S;
    S.Parent = I ? 0 : torchprof::NoIndex;
    S.Kind = M.intern(I ? "aten::relu" : "method");
    S.Flags = I ? 0 : uint32_t(torchprof::SF_Root);
    M.Sites.push_back(S);
  }
  auto Class =
      torch::getCustomClass("__torch__.torch.classes.torchprof.Manifest");
  auto Object = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, Class),
                                            /*numSlots=*/1);
  Stack S{c10::IValue(Object), c10::IValue(torchprof::printManifest(M))};
  Class->getMethod("__init__").run(S);
}

size_t ReadBytes = 0; ///< by each bench::read
bool WarmsUp = false; ///< which need not read for that
Gaps BetweenReads;

/// Reads as many bytes and returns its input.
void readMemory(Stack &S) {
  BetweenReads.mark();
  constexpr size_t Line = 64;
  static const std::vector<char> Memory(ReadBytes, 1);
  int64_t Sum = 0;
  const size_t Bytes = WarmsUp ? 0 : ReadBytes;
  for (size_t I = 0; I < Bytes; I += Line)
    Sum += Memory[I];
  S.back() = S.back().toInt() + Sum - int64_t(Bytes / Line);
  BetweenReads.mark();
}

const RegisterOperators ReadOperator({Operator(
    "bench::read(int x) -> int", [](Stack &S) { readMemory(S); },
    c10::AliasAnalysisKind::FROM_SCHEMA)});

std::shared_ptr<Graph> chain(bool Probes, const Kind &K) {
  std::string Type = K.Type;
  std::string Text = "graph(%x0 : " + Type +
                     "):\n  %m : NoneType = "
                     "prim::Constant()\n";
  auto Site = [](unsigned Index) {
    return std::to_string(ModelId << 20 | Index);
  };
  if (Probes)
    Text += "  %s0 : int = prim::Constant[value=" + Site(0) +
            "]()\n  %r : int = torchprof::enter(%m, %s0)\n";
  for (unsigned I = 1; I <= K.Nodes; ++I) {
    std::string N = std::to_string(I), Previous = std::to_string(I - 1);
    if (Probes)
      Text += "  %s" + N + " : int = prim::Constant[value=" + Site(I) +
              "]()\n  %b" + N + " : int = torchprof::begin(%s" + N + ")\n";
    Text += "  %x" + N + " : " + Type + " = " + K.Name + "(%x" + Previous +
            K.Second + ")\n";
    if (Probes)
      Text += "  torchprof::end(%b" + N + ", %s" + N + ")\n";
  }
  if (Probes)
    Text += "  torchprof::end(%r, %s0)\n";
  Text += "  return (%x" + std::to_string(K.Nodes) + ")\n";
  auto G = std::make_shared<Graph>();
  parseIR(Text, G.get());
  return G;
}

std::function<void()> runner(std::shared_ptr<Graph> G, const c10::IValue &X) {
  Code C(std::move(G), "chain");
  return [C, X] {
    Stack S{X};
    InterpreterState(C).run(S);
  };
}

/// Runs the chain as LibTorch runs a function of this name. Names that begin as
/// those of LibTorch's own parts do are not attached to.
std::function<c10::IValue()>
executed(const Kind &K, const c10::IValue &X, const char *Name,
         ExecutorExecutionMode Mode = ExecutorExecutionMode::PROFILING) {
  auto Executor = std::make_shared<GraphExecutor>(chain(false, K), Name, Mode);
  return [Executor, X] {
    Stack S{X};
    Executor->run(S);
    return S.back();
  };
}

/// In which no differentiable group forms, so that each node makes a function
/// of autograd.
std::function<c10::IValue()> unoptimized(const Kind &K, const c10::IValue &X,
                                         const char *Name) {
  return executed(K, X, Name, ExecutorExecutionMode::SIMPLE);
}

/// Lets the executor's profiling plan run on and on.
std::function<void()> profiling(std::function<void()> Call) {
  return [Call = std::move(Call)] {
    size_t Before = getNumProfiledRuns().exchange(size_t(1) << 40);
    Call();
    getNumProfiledRuns() = Before;
  };
}

std::function<void()> withGrad(std::function<void()> Call) {
  return [Call = std::move(Call)] {
    c10::AutoGradMode Mode(true);
    Call();
  };
}

std::function<void()> withBackward(std::function<c10::IValue()> Call) {
  return withGrad(
      [Call = std::move(Call)] { Call().toTensor().sum().backward(); });
}

uint64_t Sink = 0;

void readClockTwice(unsigned Times) {
  for (unsigned I = 0; I < Times; ++I) {
    uint64_t Begin = ticksNow();
    Sink += ticksNow() - Begin;
  }
}

double nsPerTick() {
  uint64_t Ticks = ticksNow();
  double Begin = secondsNow();
  while (secondsNow() - Begin < 0.05)
    ;
  return (secondsNow() - Begin) * 1e9 / double(ticksNow() - Ticks);
}

/// The calls of one turn.
void takeTurn(Variant &V, const Kind &K) {
  static const double NsPerTick = nsPerTick();
  V.Recording ? torchprof_start() : torchprof_stop();
  WarmsUp = true;
  for (unsigned I = 0; I < K.WarmUpCalls; ++I)
    V.Call();
  WarmsUp = false;
  double Begin = secondsNow();
  for (unsigned I = 0; I < K.Calls; ++I) {
    BetweenReads.beginCall();
    V.Call();
    BetweenReads.endCall();
  }
  double Whole = (secondsNow() - Begin) * 1e9 / (K.Calls * K.Nodes);
  Gaps::Share Share = BetweenReads.take();
  V.Ns.push_back(Share.All ? Share.All * NsPerTick : Whole);
  V.LastNs.push_back(Share.Last * NsPerTick);
}

/// Prints what a variant took longer than \p Plain, null if the whole.
void printRow(const std::string &Node, const std::string &Name,
              const std::vector<double> &Ns, const std::vector<double> *Plain) {
  double Min = *std::min_element(Ns.begin(), Ns.end());
  if (Plain)
    Min -= *std::min_element(Plain->begin(), Plain->end());
  std::vector<double> Differences;
  for (size_t I = 0; I < Ns.size(); ++I)
    Differences.push_back(Ns[I] - (Plain ? (*Plain)[I] : 0));
  std::printf("{\"libtorch\": \"%s\", \"node\": \"%s\", \"variant\": \"%s\", "
              "\"turns\": %zu, \"min_ns\": %.2f, \"median_ns\": %.2f}\n",
              TORCH_VERSION, Node.c_str(), Name.c_str(), Ns.size(), Min,
              median(Differences));
}

} // namespace

int main(int Count, char **Arguments) {
  std::string Node = Count > 1 ? Arguments[1] : "relu";
  ReadBytes = size_t(std::atoi(Node.c_str())) << 10;
  Kind K = ReadBytes ? Read : Node == "scalar" ? Scalar : Relu;
  if (Count > 3) {
    // A turn takes as long as one of the usual length.
    unsigned Usual = K.Nodes * K.Calls;
    K.Nodes = unsigned(std::max(1, std::atoi(Arguments[3])));
    K.WarmUpCalls = K.Calls = std::max(1U, Usual / K.Nodes);
  }
  auto Repetitions =
      Count > 2 ? unsigned(std::max(1, std::atoi(Arguments[2]))) : K.Turns;
  at::set_num_threads(1);
  // Else some variants give memory back to the system with each call and fetch
  // it again, and others do not: hundreds of nanoseconds per node.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
  at::NoGradGuard NoGrad;
  registerModel(K);
  torchprof_set_option("nodes", "all"); // integers too
  bool IsTensor = K.Type == std::string("Tensor");
  c10::IValue X = IsTensor ? c10::IValue(at::randn({8})) : c10::IValue(1);
  auto Lowered = chain(true, K);
  for (auto &Pass : getCustomPostPasses())
    Pass.first(Lowered);
  auto CallLowered = runner(Lowered, X);
  auto CallExplicit = runner(chain(true, K), X);
  auto CallAttached = executed(K, X, "chain");
  // Two groups, one after the other: in turns with all the others' code the
  // processor forgets more of a variant's branches than its first calls teach.
  std::vector<Variant> Interpreted = {
      {"two raw clock reads", [&] { readClockTwice(K.Nodes); }, true, nullptr},
      {"interpreter", runner(chain(false, K), X), true, nullptr},
      {"lowered, recording", CallLowered, true, "interpreter"},
      {"lowered, stopped", CallLowered, false, "interpreter"},
      {"explicit, recording", CallExplicit, true, "interpreter"},
      {"explicit, stopped", CallExplicit, false, "interpreter"},
  };
  std::vector<Variant> Executed = {
      {"executor", executed(K, X, "<chain>"), true, nullptr},
      {"attached, recording", CallAttached, true, "executor"},
      {"attached, stopped", CallAttached, false, "executor"},
      {"executor, profiling run", profiling(executed(K, X, "<chain>")), true,
       nullptr},
      {"attached, profiling run", profiling(executed(K, X, "chain")), true,
       "executor, profiling run"},
  };
  if (IsTensor) {
    c10::IValue Leaf = X.toTensor().clone().requires_grad_();
    Executed.push_back({"executor, grad",
                        withGrad(executed(K, Leaf, "<chain>")), true, nullptr});
    Executed.push_back({"attached, grad", withGrad(executed(K, Leaf, "chain")),
                        true, "executor, grad"});
    Executed.push_back({"executor, functions",
                        withGrad(unoptimized(K, Leaf, "<chain>")), true,
                        nullptr});
    Executed.push_back({"attached, functions",
                        withGrad(unoptimized(K, Leaf, "chain")), true,
                        "executor, functions"});
    // Stopped, since the process calls torchprof for each function now: the
    // difference is what recording adds to the hook.
    Executed.push_back({"executor, functions and backward",
                        withBackward(unoptimized(K, Leaf, "<chain>")), false,
                        nullptr});
    Executed.push_back({"attached, functions and backward",
                        withBackward(unoptimized(K, Leaf, "chain")), true,
                        "executor, functions and backward"});
  }
  std::string NodeText = IsTensor    ? K.Name
                         : ReadBytes ? K.Name + (", " + Node + " KB")
                                     : "aten::add(int, int)";
  std::mt19937 Random(1);
  for (std::vector<Variant> *Group : {&Interpreted, &Executed}) {
    std::vector<Variant> &Variants = *Group;
    // Each time in another order: what the system does every so often, such as
    // looking for pages to reclaim, must not meet the same variant again and
    // again.
    std::vector<Variant *> Order;
    for (Variant &V : Variants)
      Order.push_back(&V);
    for (unsigned R = 0; R < Repetitions; ++R) {
      std::shuffle(Order.begin(), Order.end(), Random);
      for (Variant *V : Order)
        takeTurn(*V, K);
    }
    for (const Variant &V : Variants) {
      const Variant *Plain = nullptr;
      for (const Variant &Other : Variants)
        if (V.Beside && Other.Name == std::string(V.Beside))
          Plain = &Other;
      printRow(NodeText, V.Name, V.Ns, Plain ? &Plain->Ns : nullptr);
      if (ReadBytes && Plain && V.Recording)
        printRow(NodeText, std::string(V.Name) + ", folding", V.LastNs,
                 &Plain->LastNs);
    }
  }
  return Sink == 1;
}
