//===- CompareBridge.cpp - a model as LibTorch can optimize it ------------===//

#include "CompareBridge.h"

#include "../common/CompareValues.h"
#include "../common/ModelInputs.h"
#include "Repeater.h"
#include "torchprof/torchprof.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/jit/passes/freeze_module.h>
#include <torch/csrc/jit/passes/frozen_graph_optimizations.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace torchprof {

using namespace torch::jit;

void leaveUnprofiled() { torchprof_set_option("enabled", "off"); }

/// What torch.jit.freeze makes of a module in Python. LibTorch's freeze()
/// optimizes no other method than forward, and wants one.
static Module freezeFor(const Module &Original, const std::string &Method,
                        const std::vector<std::string> &Kept) {
  Module Frozen = freeze_module(Original, Kept);
  std::shared_ptr<Graph> Code = Frozen.get_method(Method).graph();
  OptimizeFrozenGraph(Code);
  return Frozen;
}

/// The form of a module; what LibTorch throws if it has none goes on.
static Module makeForm(const Module &Original, ModelForm Form,
                       const std::string &Method) {
  if (Form != ModelForm::Frozen && Form != ModelForm::Optimized)
    return Original;
  // A model that was saved frozen has no mode left.
  bool HasMode = Original.hasattr("training");
  if (HasMode && Original.is_training())
    throw std::runtime_error("the model is in training mode: call eval() "
                             "before it is saved");
  std::vector<std::string> Kept;
  if (Method != "forward")
    Kept.push_back(Method);
  Module Frozen =
      HasMode ? freezeFor(Original, Method, Kept) : Original.clone();
  return Form == ModelForm::Frozen ? Frozen
                                   : optimize_for_inference(Frozen, Kept);
}

/// \p Root with attributes of its own, or \p Root itself where one cannot be
/// copied.
static Module copyOf(const Module &Root) {
  try {
    return Root.deepcopy();
  } catch (const std::exception &) {
    return Root;
  }
}

/// What the method returns at the first call ever. A copy is called: a model
/// may keep what it has seen, forms share their tensors, and others are to be
/// made.
static c10::IValue firstResult(const Module &Root, const RunRequest &Run,
                               const Stack &Inputs) {
  Module Called = copyOf(Root);
  Stack Arguments = copyOf(Inputs);
  at::manual_seed(Run.Seed);
  c10::IValue Result = findRunnable(Called, Run.Method)(Arguments);
  waitForTasks(Result);
  return Result;
}

/// How many threads a form runs on, of \p Most; 0 if another form has as many.
static int threadsOf(ModelForm Form, int Most, bool OnDevice) {
  int Fewer = OnDevice ? 0 : Most / 2;
  switch (Form) {
  case ModelForm::HalfThreads:
    return Fewer > 1 ? Fewer : 0;
  case ModelForm::OneThread:
    return Fewer > 0 ? 1 : 0;
  default:
    return Most;
  }
}

namespace {
struct Runnable {
  ModelForm Form;
  int Threads;
  Module Root;
  Repeater Calls;
};
} // namespace

/// Runs each twice and calls \p Visit with each and the latency of its second
/// run in ns. The first run is nobody's: it makes threads or ends some where
/// their number changes, and another form has left its own in the processor's
/// caches and predictors, always the same one.
template <typename Function>
static void runInTurn(std::vector<Runnable> &Forms, Function Visit) {
  for (Runnable &R : Forms) {
    if (at::get_num_threads() != R.Threads)
      at::set_num_threads(R.Threads);
    R.Calls.run();
    Visit(R, R.Calls.run());
  }
}

static Outcome runForms(ModelHolder &Held, const CompareRequest &Request,
                        FormResult (&Results)[ModelFormCount]) {
  const RunRequest &Run = Request.Run;
  if (Run.Threads > 0)
    at::set_num_threads(Run.Threads);
  const int Threads = at::get_num_threads();
  c10::AutoGradMode Mode(Run.Grad);
  Method Original = findRunnable(Held.get()->Root, Run.Method);
  at::manual_seed(Run.Seed);
  const std::optional<c10::Device> On = Held.get()->On;
  const Stack Inputs =
      makeInputs(Original.function().getSchema(), Run.Inputs, On);
  std::vector<Runnable> Forms;
  std::optional<c10::IValue> Expected;
  for (ModelForm Form : ModelForms) {
    FormResult &Result = Results[unsigned(Form)];
    Result.Threads = threadsOf(Form, Threads, On.has_value());
    if (!Result.Threads)
      continue;
    Outcome Failed = guarded([&]() -> Outcome {
      Module Root = makeForm(Held.get()->Root, Form, Run.Method);
      Method M = findRunnable(Root, Run.Method);
      // A form may write to its inputs before that is known of it.
      Runnable Made{Form, Result.Threads, Root,
                    Repeater(M, copyOf(Inputs), On)};
      if (Result.Threads != Threads) { // the original once more
        Forms.push_back(std::move(Made));
        return {};
      }
      c10::IValue Found = firstResult(Root, Run, Inputs);
      if (!Expected)
        Expected = Found;
      Result.Difference = ownText(
          findDifference("result", *Expected, Found, Equality::HalfTheDigits));
      Forms.push_back(std::move(Made));
      return {};
    });
    if (!Failed)
      continue;
    if (Form == ModelForm::Original)
      return Failed;
    Result.WhyNot = ownText(Failed.Message.c_str());
  }
  for (uint64_t I = 0; I < Run.Warmup + Run.Runs; ++I) {
    if (Run.Progress)
      Run.Progress(I, Run);
    runInTurn(Forms, [&](const Runnable &R, uint64_t Ns) {
      if (I >= Run.Warmup)
        Request.Latency(R.Form, Ns, Request.Context);
    });
  }
  if (Run.Progress)
    Run.Progress(Run.Warmup + Run.Runs, Run);
  return {};
}

Outcome compareForms(ModelHolder &Held, const CompareRequest &Request,
                     FormResult (&Results)[ModelFormCount]) {
  Outcome Done = guarded([&] { return runForms(Held, Request, Results); });
  return Done ? endWithError(std::move(Done), Request.Run) : std::move(Done);
}

} // namespace torchprof
