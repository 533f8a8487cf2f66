//===- ProbeCost.cpp - what a node's probes cost --------------------------===//
//
// A chain of 300 aten::relu on 8 floats, run by the interpreter: without
// probes, with lowered probes, with explicit ones, each while recording and
// while stopped. The variants take turns, so that a change of the machine's
// speed meets all of them; what is printed is the difference to the chain
// without probes, per node, and the cost of two raw readings of the clock.
//
//   torchprof-bench-runtime [relu|scalar|cold [TURNS]]
//
// A JSON object per variant; nanoseconds per node. With `scalar` the nodes are
// aten::add of two integers, which take far less time than the noise of a
// shared machine is for a tensor's node: the difference is then known to a
// nanosecond or two. With `cold` each node reads more memory than the second
// level of the cache holds, as a convolution does: what a probe then costs is
// its misses.
//
// TORCHPROF_MODE=trace measures the trace mode. The profile goes to
// TORCHPROF_FILE; on tmpfs no write-back disturbs the numbers.
//
//===----------------------------------------------------------------------===//

#include "torchprof/format/Manifest.h"
#include "torchprof/torchprof.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>
#include <torch/csrc/jit/passes/pass_manager.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/custom_class.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

using namespace torch::jit;

namespace {

constexpr unsigned Nodes = 300;
// A processor needs some calls of one chain to learn its branches again after
// the others' turns; a turn is still short beside a change of its speed.
constexpr unsigned WarmUpCalls = 10, CallsPerTurn = 10;
constexpr uint64_t ModelId = 42;

struct Variant {
  const char *Name;
  std::function<void()> Call;
  bool Recording;
  bool BesidePlain;       ///< print the difference to the plain chain
  std::vector<double> Ns; ///< per node
};

double secondsNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Registers a model of as many sites as the chain needs.
void registerModel() {
  torchprof::Manifest M;
  M.ModelId = ModelId;
  M.Producer = "bench";
  M.Scopes.emplace_back();
  for (unsigned I = 0; I <= Nodes; ++I) {
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

/// What the chain's nodes are.
struct Kind {
  const char *Argument; ///< on the command line
  const char *Name;
  const char *Type;
  const char *Second; ///< behind the first input
  unsigned Turns;
};
constexpr Kind Kinds[] = {
    {"relu", "aten::relu", "Tensor", "", 600},
    {"scalar", "aten::add", "int", ", %x0", 600},
    {"cold", "bench::read", "int", "", 20},
};

/// Reads two megabytes and returns its input.
void readMemory(Stack &S) {
  constexpr size_t Bytes = 2 << 20, Line = 64;
  static const std::vector<char> Memory(Bytes, 1);
  int64_t Sum = 0;
  for (size_t I = 0; I < Bytes; I += Line)
    Sum += Memory[I];
  S.back() = S.back().toInt() + Sum - int64_t(Bytes / Line);
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
  for (unsigned I = 1; I <= Nodes; ++I) {
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
  Text += "  return (%x" + std::to_string(Nodes) + ")\n";
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

uint64_t Sink = 0;

void readClockTwicePerNode() {
  for (unsigned I = 0; I < Nodes; ++I) {
#if defined(__x86_64__)
    uint64_t Begin = __rdtsc();
    Sink += __rdtsc() - Begin;
#else
    auto Begin = std::chrono::steady_clock::now();
    Sink += uint64_t((std::chrono::steady_clock::now() - Begin).count());
#endif
  }
}

double median(std::vector<double> Values) {
  std::nth_element(Values.begin(), Values.begin() + Values.size() / 2,
                   Values.end());
  return Values[Values.size() / 2];
}

} // namespace

int main(int Count, char **Arguments) {
  const Kind *K = Kinds;
  for (const Kind &Known : Kinds)
    if (Count > 1 && std::string(Arguments[1]) == Known.Argument)
      K = &Known;
  auto Repetitions =
      Count > 2 ? unsigned(std::max(1, std::atoi(Arguments[2]))) : K->Turns;
  at::set_num_threads(1);
  at::NoGradGuard NoGrad;
  registerModel();
  c10::IValue X = K->Type == std::string("int") ? c10::IValue(1)
                                                : c10::IValue(at::randn({8}));
  auto Lowered = chain(true, *K);
  for (auto &Pass : getCustomPostPasses())
    Pass.first(Lowered);
  auto CallLowered = runner(Lowered, X);
  auto CallExplicit = runner(chain(true, *K), X);
  std::vector<Variant> Variants = {
      {"two raw clock reads", readClockTwicePerNode, true, false, {}},
      {"chain without probes", runner(chain(false, *K), X), true, false, {}},
      {"lowered, recording", CallLowered, true, true, {}},
      {"lowered, stopped", CallLowered, false, true, {}},
      {"explicit, recording", CallExplicit, true, true, {}},
      {"explicit, stopped", CallExplicit, false, true, {}},
  };
  for (unsigned R = 0; R < Repetitions; ++R) {
    for (Variant &V : Variants) {
      V.Recording ? torchprof_start() : torchprof_stop();
      for (unsigned I = 0; I < WarmUpCalls; ++I)
        V.Call();
      double Begin = secondsNow();
      for (unsigned I = 0; I < CallsPerTurn; ++I)
        V.Call();
      V.Ns.push_back((secondsNow() - Begin) * 1e9 / (CallsPerTurn * Nodes));
    }
  }
  const Variant &Plain = Variants[1];
  double PlainMin = *std::min_element(Plain.Ns.begin(), Plain.Ns.end());
  for (Variant &V : Variants) {
    double Min = *std::min_element(V.Ns.begin(), V.Ns.end());
    std::vector<double> Differences;
    for (unsigned R = 0; R < Repetitions; ++R)
      Differences.push_back(V.Ns[R] - (V.BesidePlain ? Plain.Ns[R] : 0));
    std::printf("{\"libtorch\": \"%s\", \"node\": \"%s\", \"variant\": \"%s\", "
                "\"turns\": %u, \"min_ns\": %.2f, \"median_ns\": %.2f}\n",
                TORCH_VERSION, K->Second[0] ? "aten::add(int, int)" : K->Name,
                V.Name, Repetitions, Min - (V.BesidePlain ? PlainMin : 0),
                median(Differences));
  }
  return Sink == 1;
}
