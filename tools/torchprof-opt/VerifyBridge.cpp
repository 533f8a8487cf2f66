//===- VerifyBridge.cpp - compare two models' results ---------------------===//

#include "VerifyBridge.h"

#include "../common/CompareValues.h"
#include "../common/ModelInputs.h"
#include "../common/TorchModel.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

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
  /// By the name of the parameter or of the input.
  std::vector<std::pair<std::string, at::Tensor>> Gradients;
};

} // namespace

/// The arguments of one call. With \p Leaves, floating-point tensors are made
/// from new leaves, which get the gradients: the model may write to them.
static Stack argumentsOf(const Stack &Inputs, std::vector<at::Tensor> *Leaves) {
  Stack Arguments;
  for (const c10::IValue &Input : Inputs) {
    Arguments.push_back(Input.deepcopy());
    c10::IValue &Argument = Arguments.back();
    if (!Leaves)
      continue;
    Leaves->emplace_back();
    if (!Argument.isTensor() || !Argument.toTensor().is_floating_point())
      continue;
    Leaves->back() = Argument.toTensor().detach().requires_grad_();
    Argument = Leaves->back().clone();
  }
  return Arguments;
}

/// Sum of the tensors in \p Output that depend on what can be differentiated;
/// undefined if there is none.
static at::Tensor sumOf(const c10::IValue &Output) {
  at::Tensor Sum;
  Output.visit([&](const c10::IValue &Part) {
    if (!Part.isTensor() || !Part.toTensor().requires_grad())
      return false;
    at::Tensor Value = Part.toTensor();
    if (Value.is_complex())
      Value = Value.abs();
    at::Tensor Term = Value.to(at::kDouble).sum();
    Sum = Sum.defined() ? at::add(Sum, Term) : Term;
    return false;
  });
  return Sum;
}

static void differentiate(Model &M, const std::vector<at::Tensor> &Leaves,
                          CallResult &Result) {
  if (at::Tensor Sum = sumOf(Result.Output); Sum.defined())
    Sum.backward();
  for (const auto &Parameter : M.Root.named_parameters()) {
    at::Tensor Value = Parameter.value;
    Result.Gradients.emplace_back("gradient of " + Parameter.name,
                                  Value.grad());
    Value.mutable_grad() = at::Tensor();
  }
  for (size_t I = 0; I < Leaves.size(); ++I)
    Result.Gradients.emplace_back("gradient of input " + std::to_string(I + 1),
                                  Leaves[I].defined() ? Leaves[I].grad()
                                                      : at::Tensor());
}

static CallResult call(Model &M, const CallRequest &Request,
                       const Stack &Inputs, uint64_t CallSeed) {
  CallResult Result;
  std::vector<at::Tensor> Leaves;
  Result.Inputs = argumentsOf(Inputs, Request.Grad ? &Leaves : nullptr);
  at::manual_seed(CallSeed);
  try {
    Result.Output = findRunnable(M.Root, Request.Method)(Result.Inputs);
    waitForTasks(Result.Output);
    if (Request.Grad)
      differentiate(M, Leaves, Result);
  } catch (const std::exception &E) {
    Result.Threw = true;
    Result.Cause = causeOf(E.what());
  }
  return Result;
}

static std::string compareResults(const CallResult &Expected,
                                  const CallResult &Found, Equality How) {
  if (Expected.Threw && Found.Threw)
    return "nothing was compared, because both models raised an exception: " +
           Expected.Cause;
  if (Expected.Threw)
    return "only the original raised an exception: " + Expected.Cause;
  if (Found.Threw)
    return "only the instrumented model raised an exception: " + Found.Cause;
  std::string Text =
      findDifference("output", Expected.Output, Found.Output, How);
  for (size_t I = 0; Text.empty() && I < Expected.Inputs.size(); ++I)
    Text = findDifference("input " + std::to_string(I + 1) + " after the call",
                          Expected.Inputs[I], Found.Inputs[I], How);
  for (size_t I = 0; Text.empty() && I < Expected.Gradients.size(); ++I)
    Text = findDifference(Expected.Gradients[I].first,
                          Expected.Gradients[I].second,
                          Found.Gradients[I].second, How);
  return Text;
}

/// True for one product in place of many that the code has, and for a kernel in
/// place of many nodes, which rounds less often.
static bool roundsInAnotherWay(Symbol Kind) {
  return Kind == prim::MMBatchSide || Kind == prim::MMTreeReduce ||
         Kind == prim::TensorExprGroup || Kind == prim::CudaFusionGroup ||
         Kind == prim::FusionGroup;
}

static bool roundsInAnotherWay(Block *In) {
  for (Node *N : In->nodes()) {
    if (roundsInAnotherWay(N->kind()))
      return true;
    for (Block *Inner : N->blocks())
      if (roundsInAnotherWay(Inner))
        return true;
  }
  return false;
}

/// The same of a plan of \p M. False as long as there is no plan.
static bool roundsInAnotherWay(const Method &M) {
  auto *Function = dynamic_cast<GraphFunction *>(&M.function());
  if (!Function)
    return false;
  try {
    GraphExecutorState State = Function->get_executor().getDebugState();
    for (const auto &Plan : State.execution_plans)
      if (roundsInAnotherWay(Plan.second.graph->block()))
        return true;
  } catch (const std::exception &) {
    // The first run is not optimized.
  }
  return false;
}

Outcome verifyCall(Model &Original, Model &Instrumented, CallRequest &Request) {
  return guarded([&]() -> Outcome {
    c10::AutoGradMode Mode(Request.Grad);
    Method M = findRunnable(Original.Root, Request.Method);
    at::manual_seed(Seed);
    Stack Inputs =
        makeInputs(M.function().getSchema(), Request.Inputs, Original.On);
    unsigned Calls = 0;
    // Around probes LibTorch makes no groups that it differentiates as a whole,
    // in which it adds up in another order, computes each product alone and
    // fuses nothing.
    auto HowEqual = [&](bool IsOptimized) {
      return IsOptimized && (Request.Grad || roundsInAnotherWay(M))
                 ? Equality::HalfTheDigits
                 : Equality::BitForBit;
    };
    auto Verify = [&](bool IsOptimized) {
      CallResult Expected = call(Original, Request, Inputs, Seed + Calls);
      if (Expected.Threw && !Request.Grad && asksForGradients(Expected.Cause)) {
        Request.Grad = true;
        c10::GradMode::set_enabled(true);
        Expected = call(Original, Request, Inputs, Seed + Calls);
      }
      CallResult Found = call(Instrumented, Request, Inputs, Seed + Calls);
      ++Calls;
      std::string Text = compareResults(Expected, Found, HowEqual(IsOptimized));
      return Text.empty() ? Outcome()
                          : failure(1, std::string(Request.Method) + ": call " +
                                           std::to_string(Calls) + ": " + Text);
    };
    {
      // Says whether there are gradients.
      GraphOptimizerEnabledGuard Off(false);
      if (Outcome Differs = Verify(/*IsOptimized=*/false))
        return Differs;
    }
    for (unsigned I = 0; I < Repetitions; ++I)
      if (Outcome Differs = Verify(/*IsOptimized=*/true))
        return Differs;
    return {};
  });
}

} // namespace torchprof
