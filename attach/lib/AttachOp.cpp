//===- AttachOp.cpp - torch.ops.torchprof._attach_to ----------------------===//
//
// Hooks see an executor when it is made, which is when a method first runs. For
// a module that the host has in hand, this makes the executors of its methods
// now, anew if there are some that were made before the hooks were in place:
// the next call is then a first one, with its plans still to be made.
//
//===----------------------------------------------------------------------===//

#include "ModelTable.h"
#include "torch/TableLock.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/operator.h>

namespace torchprof {

using namespace torch::jit;

/// Another thread may be running it, and may have looked where it is.
static void keepForever(const GraphExecutor &Executor) {
  static auto &Kept = *new std::vector<GraphExecutor>;
  TableLock Lock;
  Kept.push_back(Executor);
}

/// True if calls of the method are profiled from now on.
static bool attachTo(const c10::ClassTypePtr &Class, GraphFunction &Method) {
  GraphExecutor &Executor = Method.get_executor();
  if (wasTagged(Class, Method.name()))
    return true;
  GraphExecutor Renewed(Method.optimized_graph(), Method.name());
  if (!wasTagged(Class, Method.name()))
    return false;
  keepForever(Executor);
  Executor = Renewed;
  return true;
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
