//===- CompareBridge.cpp - a model as LibTorch can optimize it ------------===//

#include "CompareBridge.h"

#include "../common/ModelInputs.h"
#include "Repeater.h"
#include "torchprof/torchprof.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <optional>

namespace torchprof {

using namespace torch::jit;

void leaveUnprofiled() { torchprof_set_option("enabled", "off"); }

/// The form of a module; what LibTorch throws if it has none goes on.
static Module makeForm(const Module &Original, ModelForm Form,
                       const std::string &Method) {
  if (Form == ModelForm::Original)
    return Original;
  // A model that was saved frozen has no mode left.
  bool HasMode = Original.hasattr("training");
  if (HasMode && Original.is_training())
    throw std::runtime_error("the model is in training mode: call eval() "
                             "before it is saved");
  std::vector<std::string> Kept;
  if (Method != "forward")
    Kept.push_back(Method);
  Module Frozen = HasMode ? freeze(Original, Kept) : Original.clone();
  return Form == ModelForm::Frozen ? Frozen
                                   : optimize_for_inference(Frozen, Kept);
}

/// True if two results hold nearly the same numbers, as far as they are tensors
/// or tuples, lists and dicts of them.
static bool nearlyEqual(const c10::IValue &A, const c10::IValue &B) {
  if (A.isTensor() && B.isTensor()) {
    const at::Tensor &X = A.toTensor(), &Y = B.toTensor();
    if (!X.defined() || !Y.defined())
      return X.defined() == Y.defined();
    return X.sizes() == Y.sizes() && X.scalar_type() == Y.scalar_type() &&
           at::allclose(X, Y, 1e-3, 1e-4, /*equal_nan=*/true);
  }
  if (A.isTuple() && B.isTuple()) {
    const auto &X = A.toTupleRef().elements(), &Y = B.toTupleRef().elements();
    for (size_t I = 0; I < X.size() && I < Y.size(); ++I)
      if (!nearlyEqual(X[I], Y[I]))
        return false;
    return X.size() == Y.size();
  }
  if (A.isList() && B.isList()) {
    auto X = A.toListRef(), Y = B.toListRef();
    for (size_t I = 0; I < X.size() && I < Y.size(); ++I)
      if (!nearlyEqual(X[I], Y[I]))
        return false;
    return X.size() == Y.size();
  }
  return true;
}

static Outcome runForms(ModelHolder &Held, const CompareRequest &Request,
                        FormResult (&Results)[3]) {
  const RunRequest &Run = Request.Run;
  if (Run.Threads > 0)
    at::set_num_threads(Run.Threads);
  c10::AutoGradMode Mode(Run.Grad);
  Method Original = findRunnable(Held.get()->Root, Run.Method);
  at::manual_seed(Run.Seed);
  const std::optional<c10::Device> On = Held.get()->On;
  const Stack Inputs =
      makeInputs(Original.function().getSchema(), Run.Inputs, On);
  struct Runnable {
    ModelForm Form;
    Module Root;
    Repeater Calls;
  };
  std::vector<Runnable> Forms;
  std::optional<c10::IValue> Expected;
  for (ModelForm Form : ModelForms) {
    FormResult &Result = Results[unsigned(Form)];
    Outcome Failed = guarded([&]() -> Outcome {
      Module Root = makeForm(Held.get()->Root, Form, Run.Method);
      Method M = findRunnable(Root, Run.Method);
      Stack Arguments;
      for (const c10::IValue &Input : Inputs)
        Arguments.push_back(Input.deepcopy());
      at::manual_seed(Run.Seed);
      c10::IValue Found = M(Arguments);
      if (Expected)
        Result.IsEqual = nearlyEqual(*Expected, Found);
      else
        Expected = Found;
      Forms.push_back({Form, Root, Repeater(M, Inputs, On)});
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
    for (Runnable &R : Forms) {
      uint64_t Ns = R.Calls.run();
      if (I >= Run.Warmup)
        Request.Latency(R.Form, Ns, Request.Context);
    }
  }
  if (Run.Progress)
    Run.Progress(Run.Warmup + Run.Runs, Run);
  return {};
}

Outcome compareForms(ModelHolder &Held, const CompareRequest &Request,
                     FormResult (&Results)[3]) {
  Outcome Done = guarded([&] { return runForms(Held, Request, Results); });
  return Done ? explainRunError(std::move(Done), Request.Run.Grad)
              : std::move(Done);
}

} // namespace torchprof
