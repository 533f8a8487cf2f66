//===- BackwardWatch.cpp - which functions a backward evaluates -----------===//

#include "BackwardWatch.h"

#include "torch/TableLock.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/input_buffer.h>

#include <algorithm>
#include <memory>
#include <typeinfo>
#include <vector>

namespace torchprof {

using torch::autograd::GraphTask;
using AutogradFunction = torch::autograd::Node;

namespace {
/// A backward. The pointer keeps its task's address from being used for another
/// one.
struct KnownBackward {
  std::weak_ptr<GraphTask> Task;
  WaitingSpan Waiting; ///< the span in which it began

  bool isOf(const std::shared_ptr<GraphTask> &Other) const {
    return !Task.owner_before(Other) && !Other.owner_before(Task);
  }
};

/// Backwards that began in spans, for other threads than the spans'.
class BackwardsInSpans {
public:
  static BackwardsInSpans &get() {
    static auto &All = *new BackwardsInSpans; // outlives the engine's threads
    return All;
  }

  void add(const KnownBackward &New) noexcept try {
    TableLock Lock;
    std::erase_if(Known,
                  [](const KnownBackward &B) { return B.Task.expired(); });
    Known.push_back(New);
  } catch (const std::bad_alloc &) {
    // What other threads compute for it is then taken for the host's.
  }

  /// The span that waits for \p Task.
  WaitingSpan waitingFor(const std::shared_ptr<GraphTask> &Task) const {
    TableLock Lock;
    for (const KnownBackward &B : Known)
      if (B.isOf(Task))
        return B.Waiting;
    return {};
  }

private:
  std::vector<KnownBackward> Known;
};

/// Since when the engine itself works on a thread, and for which backward.
struct EngineTime : KnownBackward {
  uint64_t Since = 0; ///< ticks
};
} // namespace

static thread_local EngineTime Here;

/// The span that waits for a backward, on whatever thread.
static WaitingSpan waitingFor(const std::shared_ptr<GraphTask> &Task) {
  const EngineTime &Own = Here;
  return Own.isOf(Task) ? Own.Waiting
                        : BackwardsInSpans::get().waitingFor(Task);
}

/// True for a function that adds to a parameter's gradient. LibTorch has one
/// description of the type: a comparison of addresses is enough.
static bool isOfParameter(const AutogradFunction &Function) {
  return &typeid(Function) == &typeid(torch::autograd::AccumulateGrad);
}

namespace {
/// To which parameters the last function of a thread has passed gradients. The
/// engine adds them up next, on the same thread.
class LastPassed {
public:
  void set(const AutogradFunction &Function, format::Slot Site) noexcept try {
    By = Site;
    Parameters.clear();
    for (const torch::autograd::Edge &Next : Function.next_edges())
      if (Next.function && isOfParameter(*Next.function))
        Parameters.push_back(Next.function.get());
  } catch (const std::bad_alloc &) {
    // Then nobody's, as all that is not certain.
  }

  /// The site of the function that passed a gradient to \p Parameter.
  format::Slot by(const AutogradFunction *Parameter) const {
    return std::find(Parameters.begin(), Parameters.end(), Parameter) ==
                   Parameters.end()
               ? format::NoSlot
               : By;
  }

private:
  format::Slot By = format::NoSlot;
  std::vector<const AutogradFunction *>
      Parameters; ///< compared, not looked into
};
} // namespace

static thread_local LastPassed Passed;

void backwardBegins(void *Task) noexcept {
  if (!takeOverFunctions())
    return;
  EngineTime &Own = Here;
  Own.Task = static_cast<GraphTask *>(Task)->weak_from_this();
  Own.Waiting = spanHere();
  if (Own.Waiting.Site != format::NoSlot)
    BackwardsInSpans::get().add(Own);
  Own.Since = ticksNow();
}

/// False if the engine only hands out the gradient that has arrived at \p
/// Function, since it was asked for that one.
static bool isComputed(const GraphTask &Task,
                       const AutogradFunction *Function) {
  auto Info = Task.exec_info_.find(const_cast<AutogradFunction *>(Function));
  return Info == Task.exec_info_.end() || Info->second.needed_;
}

static const std::shared_ptr<GraphTask> &asTask(const void *Pointer) {
  return *static_cast<const std::shared_ptr<GraphTask> *>(Pointer);
}

EvaluationScope::EvaluationScope(const void *Task,
                                 const void *Function) noexcept {
  const AutogradFunction &F = *static_cast<const AutogradFunction *>(Function);
  const std::shared_ptr<GraphTask> &Of = asTask(Task);
  if (!takeOverFunctions() || !Of || !isComputed(*Of, &F))
    return;
  this->Task = Task;
  WaitingSpan Waiting = waitingFor(Of);
  if (const EngineTime &Own = Here; Own.isOf(Of))
    noteEngine(Own.Since, ticksNow(), Waiting);
  bool IsOfParameter = isOfParameter(F);
  Open =
      openFunction(F, IsOfParameter ? Passed.by(&F) : format::NoSlot, Waiting);
  Passing = Open && !IsOfParameter ? &F : nullptr;
}

EvaluationScope::~EvaluationScope() {
  if (!Task)
    return;
  if (Open)
    closeFunction(*Open);
  if (Passing)
    Passed.set(*Passing, Open->Site);
  const std::shared_ptr<GraphTask> &Of = asTask(Task);
  EngineTime &Own = Here;
  if (!Own.isOf(Of)) {
    Own.Waiting = waitingFor(Of);
    Own.Task = Of;
  }
  Own.Since = ticksNow();
}

AdditionScope::AdditionScope(void *Buffer, size_t Position,
                             const void *Gradient) noexcept {
  const auto &New = *static_cast<const at::Tensor *>(Gradient);
  if (!New.defined() || !isComputedByGroup(New.unsafeGetTensorImpl()))
    return;
  // The first one is only put there. To ask for it costs a reference.
  auto &Others = *static_cast<torch::autograd::InputBuffer *>(Buffer);
  if (Others[Position].defined())
    Open = openSum(New.unsafeGetTensorImpl());
}

} // namespace torchprof
