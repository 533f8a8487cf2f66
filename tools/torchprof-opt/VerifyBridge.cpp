//===- VerifyBridge.cpp - compare two models' results ---------------------===//

#include "VerifyBridge.h"

#include "../common/ModelInputs.h"
#include "../common/TorchModel.h"
#include "CompareValues.h"

#include <ATen/Context.h>
#include <c10/core/GradMode.h>

namespace torchprof {

using namespace torch::jit;

/// The profiling executor optimizes at the second call; the third one runs the
/// result.
static constexpr unsigned Repetitions = 3;
static constexpr uint64_t Seed = 0;

namespace {

struct CallResult {
  bool Threw = false;
  std::string Cause;
  c10::IValue Output;
  Stack Inputs; ///< after the call
};

} // namespace

static CallResult call(Model &M, const char *Method, const Stack &Inputs,
                       uint64_t CallSeed) {
  CallResult Result;
  for (const c10::IValue &Input : Inputs)
    Result.Inputs.push_back(Input.deepcopy());
  at::manual_seed(CallSeed);
  try {
    Result.Output = findRunnable(M.Root, Method)(Result.Inputs);
  } catch (const std::exception &E) {
    Result.Threw = true;
    Result.Cause = causeOf(E.what());
  }
  return Result;
}

static std::string compareResults(const CallResult &Expected,
                                  const CallResult &Found) {
  if (Expected.Threw && !Found.Threw)
    return "only the original raised an exception: " + Expected.Cause;
  if (Found.Threw && !Expected.Threw)
    return "only the instrumented model raised an exception: " + Found.Cause;
  std::string Text;
  if (!Expected.Threw)
    Text = findDifference("output", Expected.Output, Found.Output);
  for (size_t I = 0; Text.empty() && I < Expected.Inputs.size(); ++I)
    Text = findDifference("input " + std::to_string(I + 1) + " after the call",
                          Expected.Inputs[I], Found.Inputs[I]);
  return Text;
}

Outcome verifyCall(Model &Original, Model &Instrumented,
                   const CallRequest &Request) {
  return guarded([&]() -> Outcome {
    c10::AutoGradMode NoGrad(false);
    Method M = findRunnable(Original.Root, Request.Method);
    at::manual_seed(Seed);
    Stack Inputs = makeInputs(M.function().getSchema(), Request.Inputs);
    for (unsigned I = 0; I < Repetitions; ++I) {
      CallResult Expected = call(Original, Request.Method, Inputs, Seed + I);
      CallResult Found = call(Instrumented, Request.Method, Inputs, Seed + I);
      std::string Text = compareResults(Expected, Found);
      if (!Text.empty())
        return failure(1, std::string(Request.Method) + ": call " +
                              std::to_string(I + 1) + ": " + Text);
    }
    return {};
  });
}

} // namespace torchprof
