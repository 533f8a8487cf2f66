//===- AttachOp.cpp - torch.ops.torchprof._attach_to ----------------------===//
//
// Hooks see an executor when it is made, which is when a method first runs, or
// first runs under autocast. For a module that the host has in hand, this makes
// the executors of its methods now, anew if there are some that were made
// before the hooks were in place: the next call is then a first one, with its
// plans still to be made.
//
//===----------------------------------------------------------------------===//

#include "AutocastState.h"
#include "ModelTable.h"
#include "torch/TableLock.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <set>

namespace torchprof {

using namespace torch::jit;

/// Another thread may be running it, and may have looked where it is.
static void keepForever(const GraphExecutor &Executor) {
  static auto &Kept = *new std::vector<GraphExecutor>;
  TableLock Lock;
  Kept.push_back(Executor);
}

/// True if calls of the method in the present state of autocast are profiled
/// from now on. \p Executor is the one that they use.
static bool renew(const c10::ClassTypePtr &Class, GraphFunction &Method,
                  GraphExecutor &Executor) {
  if (wasTagged(Class, Method.name()))
    return true;
  GraphExecutor Renewed(Method.optimized_graph(), Method.name());
  if (!wasTagged(Class, Method.name()))
    return false;
  keepForever(Executor);
  Executor = Renewed;
  return true;
}

/// True if calls of the method are profiled from now on.
static bool attachTo(const c10::ClassTypePtr &Class, GraphFunction &Method) {
  std::set<const GraphExecutor *> Seen; // one may serve several states
  bool IsAttached = false;
  for (unsigned State = 0; State < AutocastStates; ++State) {
    if (!isPossible(State))
      continue;
    AutocastScope Scope(State);
    GraphExecutor &Executor = Method.get_executor();
    if (Seen.insert(&Executor).second)
      IsAttached |= renew(Class, Method, Executor);
  }
  return IsAttached;
}

/// Attaches to the methods of a module; how many of them are profiled now.
static void attachToOp(Stack &S) {
  c10::intrusive_ptr<c10::ivalue::Object> Module = pop(S).toObject();
  noteOwner(Module);
  int64_t Attached = 0;
  for (Function *F : Module->type()->methods())
    if (GraphFunction *Method = tryToGraphFunction(*F))
      Attached += attachTo(Module->type(), *Method);
  S.emplace_back(Attached);
}

static const RegisterOperators Registered_(
    {Operator("torchprof::_attach_to(Any module) -> int", Operation(attachToOp),
              c10::AliasAnalysisKind::CONSERVATIVE)});

} // namespace torchprof
