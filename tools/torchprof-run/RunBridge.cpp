//===- RunBridge.cpp - run a model and record it --------------------------===//
//
// The tool is linked with libtorchprof_attach, whose hooks are in place before
// a model is loaded: nothing is put into the model.
//
//===----------------------------------------------------------------------===//

#include "RunBridge.h"

#include "../common/ModelInputs.h"
#include "../common/TorchModel.h"
#include "torchprof/torchprof.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <chrono>
#include <unistd.h>

namespace torchprof {

using namespace torch::jit;
using Clock = std::chrono::steady_clock;

/// Sum of the version counters of all input tensors: it grows when the model
/// writes to its inputs.
static uint64_t versionsOf(const Stack &Inputs) {
  uint64_t Sum = 0;
  for (const c10::IValue &Input : Inputs)
    Input.visit([&](const c10::IValue &Part) {
      if (Part.isTensor() && Part.toTensor().defined())
        Sum += Part.toTensor()._version();
      return false;
    });
  return Sum;
}

static Stack copyOf(const Stack &Inputs) {
  Stack Copy;
  for (const c10::IValue &Input : Inputs)
    Copy.push_back(Input.deepcopy());
  return Copy;
}

namespace {

/// Calls a method again and again with equal inputs.
class Repeater {
public:
  Repeater(Method M, Stack Inputs)
      : M(std::move(M)), Inputs(std::move(Inputs)) {}

  /// Makes one call and returns its latency in ns. A model that writes to its
  /// inputs gets copies from then on, made outside the measured time.
  uint64_t run() {
    Stack Arguments = NeedsCopies ? copyOf(Pristine) : Inputs;
    if (IsFirst)
      Pristine = copyOf(Inputs);
    uint64_t Before = versionsOf(Arguments);
    auto Start = Clock::now();
    M(Arguments);
    auto End = Clock::now();
    NeedsCopies |= versionsOf(Arguments) != Before;
    if (IsFirst && !NeedsCopies)
      Pristine.clear();
    IsFirst = false;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(End - Start)
        .count();
  }

private:
  Method M;
  Stack Inputs;
  Stack Pristine;
  bool IsFirst = true;
  bool NeedsCopies = false;
};

} // namespace

/// Adds to an error of the model what the user can do about it.
static Outcome explainRunError(Outcome Failed, const RunRequest &Request) {
  std::string Text = Failed.Message.c_str();
  if (!Request.Grad && asksForGradients(Text))
    return failure(2, Text + "; the model computes gradients, so run it with "
                             "--grad");
  return Failed;
}

/// Makes the runtime record shapes beside what the environment asks for.
static void recordShapes() {
  const char *Asked = getenv("TORCHPROF_RECORD");
  std::string Words = Asked && *Asked ? std::string(Asked) + "," : "";
  torchprof_set_option("record", (Words + "shapes").c_str());
}

static Outcome runRepeatedly(ModelHolder &Held, const RunRequest &Request,
                             RunResult &Result) {
  return guarded([&]() -> Outcome {
    torchprof_set_option("file", Request.ProfilePath);
    if (Request.Calibrate)
      recordShapes();
    torchprof_stop();
    Method M = findRunnable(Held.get()->Root, Request.Method);
    if (Request.Threads > 0)
      at::set_num_threads(Request.Threads);
    if (Request.Calibrate && torchprof_calibrate(0.5) != 0)
      return failure(1, "--calibrate: there is not enough memory");
    at::manual_seed(Request.Seed);
    Repeater Calls(M, makeInputs(M.function().getSchema(), Request.Inputs));
    c10::AutoGradMode Mode(Request.Grad);
    uint64_t Done = 0;
    auto Announce = [&] {
      if (Request.Progress)
        Request.Progress(Done++, Request);
    };
    for (uint64_t I = 0; I < Request.Warmup; ++I) {
      Announce();
      Calls.run();
    }
    // The runtime adds a number to a name that is taken.
    unlink(Request.ProfilePath);
    torchprof_start();
    for (uint64_t I = 0; I < Request.Runs; ++I) {
      Announce();
      uint64_t Ns = Calls.run();
      if (Request.Latency)
        Request.Latency(Ns, Request.LatencyContext);
    }
    Announce();
    torchprof_stop();
    torchprof_flush();
    if (const char *Path = torchprof_file())
      Result.ProfilePath = ownText(Path);
    return {};
  });
}

Outcome runModel(ModelHolder &Held, const RunRequest &Request,
                 RunResult &Result) {
  Outcome Done = runRepeatedly(Held, Request, Result);
  return Done ? explainRunError(std::move(Done), Request) : std::move(Done);
}

const char *runtimeClock() { return torchprof_clock(); }

} // namespace torchprof
