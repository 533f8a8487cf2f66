//===- BackwardWatch.cpp - which functions a backward evaluates -----------===//

#include "BackwardWatch.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/graph_task.h>

#include <memory>

namespace torchprof {

using torch::autograd::GraphTask;
using torch::autograd::Node;

namespace {
/// Since when the engine itself works on a thread, and for which backward. The
/// pointer keeps the task's address from being used for another one.
struct EngineTime {
  std::weak_ptr<GraphTask> Task;
  uint64_t Since = 0; ///< ticks

  bool isOf(const std::shared_ptr<GraphTask> &Other) const {
    return !Task.owner_before(Other) && !Other.owner_before(Task);
  }
};
} // namespace

static thread_local EngineTime Here;

void backwardBegins(void *Task) noexcept {
  if (!hooksTellFunctions())
    return;
  EngineTime &Own = Here;
  Own.Task = static_cast<GraphTask *>(Task)->weak_from_this();
  Own.Since = ticksNow();
}

/// False if the engine only hands out the gradient that has arrived at \p
/// Function, since it was asked for that one.
static bool isComputed(const GraphTask &Task, const Node *Function) {
  auto Info = Task.exec_info_.find(const_cast<Node *>(Function));
  return Info == Task.exec_info_.end() || Info->second.needed_;
}

static const std::shared_ptr<GraphTask> &asTask(const void *Pointer) {
  return *static_cast<const std::shared_ptr<GraphTask> *>(Pointer);
}

EvaluationScope::EvaluationScope(const void *Task,
                                 const void *Function) noexcept {
  const Node &F = *static_cast<const Node *>(Function);
  const std::shared_ptr<GraphTask> &Of = asTask(Task);
  if (!hooksTellFunctions() || !Of || !isComputed(*Of, &F))
    return;
  this->Task = Task;
  if (const EngineTime &Own = Here; Own.isOf(Of))
    noteEngine(Own.Since, ticksNow());
  Open = openFunction(F);
}

EvaluationScope::~EvaluationScope() {
  if (!Task)
    return;
  if (Open)
    closeFunction(*Open);
  const std::shared_ptr<GraphTask> &Of = asTask(Task);
  EngineTime &Own = Here;
  if (!Own.isOf(Of))
    Own.Task = Of;
  Own.Since = ticksNow();
}

} // namespace torchprof
