//===- OriginalToRun.cpp - what an instrumented method was ----------------===//

#include "ModuleMethods.h"
#include "torchprof/GraphAccess.h"
#include "torchprof/Passes.h"

namespace torchprof {

using namespace torch::jit;

/// Inlines the originals of the instrumented methods that \p Body calls, as
/// LibTorch's inliner would. It gets their names, not those of the copies.
static void inlineOriginals(Block *Body) {
  for (auto It = Body->nodes().begin(); It != Body->nodes().end();) {
    Node *N = *It++;
    for (Block *Inner : N->blocks())
      inlineOriginals(Inner);
    if (Graph *Forked = forkedGraph(N))
      inlineOriginals(Forked->block());
    if (N->kind() != prim::CallMethod)
      continue;
    auto Class = N->input(0)->type()->cast<c10::ClassType>();
    const std::string &Name = N->s(attr::name);
    GraphFunction *Callee = Class ? asGraph(Class->findMethod(Name)) : nullptr;
    if (!Callee)
      continue;
    if (std::shared_ptr<Graph> Original = originalToRun(*Class, Name))
      inlineCallTo(N, Callee, Original.get());
  }
}

std::shared_ptr<Graph> originalToRun(const c10::ClassType &Class,
                                     const std::string &Method) {
  GraphFunction *Kept = keptOriginal(Class, Method);
  if (!Kept)
    return nullptr;
  std::shared_ptr<Graph> Body = Kept->graph()->copy();
  inlineOriginals(Body->block());
  // The rest is inlined and simplified as that of any function.
  GraphFunction Whole(c10::QualifiedName(*Class.name(), Method), Body, nullptr);
  return Whole.optimized_graph();
}

} // namespace torchprof
