//===- Contenders.cpp - torchprof beside LibTorch's own profilers ---------===//
//
//   torchprof-bench-contenders PLAIN.pt INSTRUMENTED.pt SECONDS THREADS NAME...
//
// Calls one model in turns, each turn under another contender, in an order that
// changes, until SECONDS have passed, and prints a JSON object per contender:
// the least and median of the wall-clock time of a call in nanoseconds; median
// and quartiles of what it took longer than the first contender in the same
// round; and what the collected data of a turn took to be closed, per call. The
// model has a method `inputs` that makes the arguments of `forward`. With
// several threads each calls the model as often as the one would; a turn ends
// when the last is done.
//
// What a process can be only once (explicit probes, the trace mode) is chosen
// by TORCHPROF_LOWER and TORCHPROF_MODE; `plain` belongs into each process, so
// that ratios are of one run.
//
//===----------------------------------------------------------------------===//

#include "torchprof/torchprof.h"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/csrc/autograd/profiler_legacy.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/script_profile.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <malloc.h>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace torch::jit;
namespace profiler = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;

namespace {

struct Contender {
  std::string Name;
  bool Instrumented;
  /// Records threads other than the one that switches it on.
  bool AllThreads;
  std::function<void()> On, Off;
  std::vector<double> CallNs = {}, CloseNs = {};
  std::vector<double> Bytes = {}; ///< on the heap, per turn
  std::string Absent = {};        ///< why this build has it not
};

double nsNow() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double heapBytes() {
  struct mallinfo2 Info = mallinfo2();
  return static_cast<double>(Info.uordblks + Info.hblkhd);
}

Contender kineto(const char *Name, bool Shapes, bool WithStack) {
  auto On = [=] {
    ProfilerConfig Config(ProfilerState::KINETO, Shapes, false, WithStack);
    std::set<ActivityType> Activities{ActivityType::CPU};
    profiler::prepareProfiler(Config, Activities);
    profiler::enableProfiler(Config, Activities);
  };
  return {Name, false, false, On, [] { profiler::disableProfiler(); }};
}

Contender legacy() {
  return {"legacy autograd profiler", false, false,
          [] {
            profiler::enableProfilerLegacy(ProfilerConfig(ProfilerState::CPU));
          },
          [] { profiler::disableProfilerLegacy(); }};
}

Contender scriptProfile() {
  auto Profile = std::make_shared<ScriptProfile *>();
  return {"ScriptProfile", false, true,
          [Profile] {
            *Profile = new ScriptProfile;
            (*Profile)->enable();
          },
          [Profile] {
            (*Profile)->disable();
            (*Profile)->dumpStats();
            delete *Profile;
          }};
}

std::unique_ptr<at::ObserverContext> onBegin(const at::RecordFunction &) {
  return nullptr;
}

Contender recordFunction() {
  auto Handle = std::make_shared<at::CallbackHandle>();
  return {
      "bare RecordFunction callback", false, true,
      [Handle] {
        *Handle = at::addGlobalCallback(at::RecordFunctionCallback(
            onBegin, [](const at::RecordFunction &, at::ObserverContext *) {}));
      },
      [Handle] { at::removeCallback(*Handle); }};
}

std::vector<Contender> allContenders() {
  auto Nothing = [] {};
  auto Start = [] { torchprof_start(); };
  auto Stop = [] { torchprof_stop(); };
  // The same code under three names: the environment of the process makes the
  // difference.
  return {{"plain", false, true, Nothing, Nothing},
          {"torchprof", true, true, Start, Stop},
          {"torchprof explicit", true, true, Start, Stop},
          {"torchprof trace", true, true, Start, Stop},
          {"torchprof stopped", true, true, Stop, Nothing},
          recordFunction(),
          scriptProfile(),
          legacy(),
          kineto("Kineto", false, false),
          kineto("Kineto, shapes", true, false),
          kineto("Kineto, stack", false, true)};
}

struct Work {
  Module Plain, Instrumented;
  std::vector<c10::IValue> Inputs;
  unsigned Threads;

  void calls(bool UseInstrumented, unsigned Count) {
    Module &M = UseInstrumented ? Instrumented : Plain;
    auto Run = [&] {
      at::NoGradGuard NoGrad;
      for (unsigned I = 0; I < Count; ++I)
        M.forward(Inputs);
    };
    std::vector<std::thread> Others;
    for (unsigned I = 1; I < Threads; ++I)
      Others.emplace_back(Run);
    Run();
    for (std::thread &T : Others)
      T.join();
  }
};

/// A turn: as many calls as are measured pay for what the others evicted and
/// made the processor forget.
void takeTurn(Work &W, Contender &C, unsigned Calls) {
  C.On();
  W.calls(C.Instrumented, Calls);
  double Heap = heapBytes(), Begin = nsNow();
  W.calls(C.Instrumented, Calls);
  double End = nsNow();
  C.Bytes.push_back((heapBytes() - Heap) / Calls);
  C.CallNs.push_back((End - Begin) / Calls);
  Begin = nsNow();
  C.Off();
  C.CloseNs.push_back((nsNow() - Begin) / (2 * Calls));
}

double quantile(std::vector<double> Values, double Q) {
  std::sort(Values.begin(), Values.end());
  return Values[static_cast<size_t>(Q * double(Values.size() - 1) + 0.5)];
}

void print(const Contender &C, const Contender &First) {
  std::printf("{\"contender\": \"%s\", ", C.Name.c_str());
  if (!C.Absent.empty()) {
    std::printf("\"absent\": \"%s\"}\n", C.Absent.c_str());
    return;
  }
  std::vector<double> Added;
  for (size_t I = 0; I < C.CallNs.size(); ++I)
    Added.push_back(C.CallNs[I] - First.CallNs[I]);
  std::printf("\"turns\": %zu, \"min_ns\": %.1f, \"median_ns\": %.1f, "
              "\"added_ns\": %.1f, \"added_q1_ns\": %.1f, "
              "\"added_q3_ns\": %.1f, \"close_ns\": %.1f, "
              "\"heap_bytes\": %.0f}\n",
              C.CallNs.size(), quantile(C.CallNs, 0), quantile(C.CallNs, 0.5),
              quantile(Added, 0.5), quantile(Added, 0.25),
              quantile(Added, 0.75), quantile(C.CloseNs, 0.5),
              quantile(C.Bytes, 0.5));
}

/// One line, without what would end a JSON string.
std::string oneLine(std::string Text) {
  Text = Text.substr(0, std::min(Text.find('\n'), size_t(200)));
  std::replace(Text.begin(), Text.end(), '"', '\'');
  std::replace(Text.begin(), Text.end(), '\\', '/');
  return Text;
}

} // namespace

int main(int Count, char **Arguments) try {
  if (Count < 6) {
    std::fprintf(stderr, "usage: torchprof-bench-contenders PLAIN.pt "
                         "INSTRUMENTED.pt SECONDS THREADS CONTENDER...\n");
    return 2;
  }
  at::set_num_threads(1);
  at::NoGradGuard NoGrad;
  Work W{load(Arguments[1]), load(Arguments[2]), {}, 1};
  W.Inputs = W.Plain.get_method("inputs")({}).toTuple()->elements().vec();
  double Seconds = std::stod(Arguments[3]);

  std::vector<Contender> Chosen;
  for (Contender &C : allContenders())
    if (std::find(Arguments + 5, Arguments + Count, C.Name) !=
        Arguments + Count)
      Chosen.push_back(std::move(C));
  // The executor has optimized both models after a few calls.
  for (int I = 0; I < 4; ++I) {
    W.calls(false, 1);
    W.calls(true, 1);
  }
  W.Threads = static_cast<unsigned>(std::stoul(Arguments[4]));
  double Begin = nsNow();
  W.calls(false, 3);
  double CallNs = (nsNow() - Begin) / 3;
  // Ten milliseconds are long against reading the clock, and short against a
  // change of the machine's speed; torchprof folds what chains have recorded
  // more than once meanwhile.
  auto Calls = static_cast<unsigned>(std::clamp(1e7 / CallNs, 1.0, 75.0));
  for (Contender &C : Chosen) {
    if (W.Threads > 1 && !C.AllThreads) {
      C.Absent = "records only the thread that switches it on";
      continue;
    }
    try {
      takeTurn(W, C, 1);
      C.CallNs.clear(), C.CloseNs.clear(), C.Bytes.clear();
    } catch (const std::exception &E) {
      C.Absent = oneLine(E.what());
    }
  }
  // What a contender leaves behind, where memory is free for instance, is worth
  // tens of nanoseconds per node to the next: it is not always the same one.
  std::vector<Contender *> Order;
  for (Contender &C : Chosen)
    if (C.Absent.empty())
      Order.push_back(&C);
  std::mt19937 Random(1);
  double End = nsNow() + Seconds * 1e9;
  do {
    std::shuffle(Order.begin(), Order.end(), Random);
    for (Contender *C : Order)
      takeTurn(W, *C, Calls);
  } while (nsNow() < End || Chosen.front().CallNs.size() < 3);
  for (const Contender &C : Chosen)
    print(C, Chosen.front());
  return 0;
} catch (const std::exception &E) {
  std::fprintf(stderr, "torchprof-bench-contenders: error: %s\n", E.what());
  return 1;
}
