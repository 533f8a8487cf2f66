//===- VerifyBridge.cpp - compare two models' results ---------------------===//

#include "VerifyBridge.h"

#include "../common/CompareValues.h"
#include "../common/ModelInputs.h"
#include "../common/TorchModel.h"
#include "torchprof/Passes.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <unordered_set>

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
  /// By the name of the parameter or of the input, in whose place the gradients
  /// of its tensors are.
  std::vector<std::pair<std::string, c10::IValue>> Gradients;
  bool HasGradients = false; ///< one of them is defined
  /// Why the outputs could not be differentiated; there are no gradients then.
  std::string BackwardCause;
};

} // namespace

static bool isDifferentiable(const at::Tensor &T) {
  return T.is_floating_point() || T.is_complex();
}

/// The arguments of one call. With \p Leaves, tensors that can be
/// differentiated are made from new leaves, which get the gradients: the model
/// may write to them.
static Stack argumentsOf(const Stack &Inputs, Stack *Leaves) {
  Stack Arguments;
  for (const c10::IValue &Input : Inputs) {
    Arguments.push_back(Input.deepcopy());
    if (!Leaves)
      continue;
    Leaves->push_back(mapTensors(Arguments.back(), [](const at::Tensor &T) {
      return isDifferentiable(T) ? T.detach().requires_grad_() : T;
    }));
    Arguments.back() = mapTensors(Leaves->back(), [](const at::Tensor &T) {
      return T.requires_grad() ? T.clone() : T;
    });
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

static void differentiate(Model &M, const Stack &Leaves, CallResult &Result) {
  try {
    c10::AutoGradMode On(true); // the model may have switched it off
    if (at::Tensor Sum = sumOf(Result.Output); Sum.defined())
      Sum.backward();
  } catch (const std::exception &E) {
    // No fault of the model: it may have differentiated what it returns, which
    // frees what a second time needs.
    Result.BackwardCause = causeOf(E.what());
  } catch (...) {
    Result.BackwardCause = NoStdException;
  }
  auto GradientOf = [&Result](const at::Tensor &T) {
    at::Tensor Gradient = T.grad();
    Result.HasGradients |= Gradient.defined();
    return Gradient;
  };
  for (const auto &Parameter : M.Root.named_parameters()) {
    at::Tensor Value = Parameter.value;
    Result.Gradients.emplace_back("gradient of " + Parameter.name,
                                  GradientOf(Value));
    Value.mutable_grad() = at::Tensor();
  }
  for (size_t I = 0; I < Leaves.size(); ++I)
    Result.Gradients.emplace_back("gradient of input " + std::to_string(I + 1),
                                  mapTensors(Leaves[I], GradientOf));
  if (!Result.BackwardCause.empty()) {
    // Whatever was added up before the exception.
    Result.Gradients.clear();
    Result.HasGradients = false;
  }
}

static CallResult call(Model &M, const CallRequest &Request,
                       const Stack &Inputs, uint64_t CallSeed) {
  CallResult Result;
  Stack Leaves;
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
  } catch (...) {
    Result.Threw = true;
    Result.Cause = NoStdException;
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
  if (!Text.empty())
    return Text;
  bool Failed = !Expected.BackwardCause.empty();
  if (Failed != !Found.BackwardCause.empty())
    return Failed ? "only the original's outputs cannot be differentiated: " +
                        Expected.BackwardCause
                  : "only the instrumented model's outputs cannot be "
                    "differentiated: " +
                        Found.BackwardCause;
  for (size_t I = 0; Text.empty() && I < Expected.Gradients.size(); ++I)
    Text = findDifference(Expected.Gradients[I].first,
                          Expected.Gradients[I].second,
                          Found.Gradients[I].second, How);
  return Text;
}

/// True for one product in place of many that the code has, for a kernel in
/// place of many nodes, which rounds less often, and for a group that is
/// differentiated as a whole: a model may switch grad on for itself.
static bool roundsInAnotherWay(Symbol Kind) {
  return Kind == prim::MMBatchSide || Kind == prim::MMTreeReduce ||
         Kind == prim::TensorExprGroup || Kind == prim::CudaFusionGroup ||
         Kind == prim::FusionGroup || Kind == prim::DifferentiableGraph;
}

namespace {

/// Looks for such nodes in the plans of a method and of what it calls through
/// interfaces; other calls are inlined in plans.
class PlanSearch {
public:
  explicit PlanSearch(const Module &Root) : Parts(namedClasses(Root)) {}

  /// False as long as there is no plan.
  bool find(Function &Of) {
    auto *WithGraph = dynamic_cast<GraphFunction *>(&Of);
    if (!WithGraph || !Visited.insert(WithGraph).second)
      return false;
    try {
      GraphExecutorState State = WithGraph->get_executor().getDebugState();
      for (const auto &Plan : State.execution_plans)
        if (find(Plan.second.graph->block()))
          return true;
    } catch (const std::exception &) {
      // The first run is not optimized.
    }
    return false;
  }

private:
  bool find(Block *In) {
    for (Node *N : In->nodes()) {
      // The plans of a forked graph cannot be seen from here.
      if (roundsInAnotherWay(N->kind()) || N->kind() == prim::fork ||
          findInCallees(N))
        return true;
      for (Block *Inner : N->blocks())
        if (find(Inner))
          return true;
    }
    return false;
  }

  bool findInCallees(Node *N) {
    if (N->kind() != prim::CallMethod ||
        !N->input(0)->type()->cast<c10::InterfaceType>())
      return false;
    for (const NamedClass &Part : Parts)
      if (Part.Class->isSubtypeOf(*N->input(0)->type()))
        if (Function *Callee = Part.Class->findMethod(N->s(attr::name));
            Callee && find(*Callee))
          return true;
    return false;
  }

  std::vector<NamedClass> Parts;
  std::unordered_set<const Function *> Visited;
};

} // namespace

Outcome verifyCall(Model &Original, Model &Instrumented, CallRequest &Request,
                   Optimizing Stage) {
  return guarded([&]() -> Outcome {
    c10::AutoGradMode Mode(Request.Grad);
    Method M = findRunnable(Original.Root, Request.Method);
    at::manual_seed(Seed);
    Stack Inputs =
        makeInputs(M.function().getSchema(), Request.Inputs, Original.On);
    // Around probes LibTorch makes no groups that it differentiates as a whole,
    // in which it adds up in another order, computes each product alone and
    // fuses nothing. Of a device not even one model has to repeat itself: some
    // kernels add up in the order in which their threads come.
    const bool OnDevice = Original.On && !Original.On->is_cpu();
    auto HowEqual = [&] {
      return OnDevice || (Stage == Optimizing::On &&
                          (Request.Grad ||
                           PlanSearch(Original.Root).find(M.function())))
                 ? Equality::HalfTheDigits
                 : Equality::BitForBit;
    };
    GraphOptimizerEnabledGuard Optimize(Stage == Optimizing::On);
    unsigned Times = Stage == Optimizing::On ? Repetitions : 1;
    for (unsigned I = 0; I < Times; ++I) {
      const uint64_t CallSeed = Seed + Request.Calls;
      CallResult Expected = call(Original, Request, Inputs, CallSeed);
      if (Expected.Threw && !Request.Grad && asksForGradients(Expected.Cause)) {
        // What was written before the exception has to be so in both.
        call(Instrumented, Request, Inputs, CallSeed);
        Request.Grad = Request.HasGradients = true;
        c10::GradMode::set_enabled(true);
        Expected = call(Original, Request, Inputs, CallSeed);
      }
      CallResult Found = call(Instrumented, Request, Inputs, CallSeed);
      ++Request.Calls;
      Request.HasGradients |= Expected.HasGradients;
      Request.BackwardFailed |= !Expected.BackwardCause.empty();
      std::string Text = compareResults(Expected, Found, HowEqual());
      if (!Text.empty())
        return failure(1, std::string(Request.Method) + ": call " +
                              std::to_string(Request.Calls) + ": " + Text);
    }
    return {};
  });
}

} // namespace torchprof
