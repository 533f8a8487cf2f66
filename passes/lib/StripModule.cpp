//===- StripModule.cpp - a model as it was before -------------------------===//
//
// The inverse of InstrumentModule: the kept graphs become the methods' graphs
// again, the reserved methods and the manifest go.
//
//===----------------------------------------------------------------------===//

#include "ModuleMethods.h"

#include <algorithm>

namespace torchprof {

using namespace torch::jit;

static void restore(GraphFunction &F, const Graph &Original) {
  // The graph is shared with whoever holds the function, so its contents are
  // replaced and not the graph.
  Graph &Body = *F.graph();
  Body.block()->clear();
  while (!Body.inputs().empty())
    Body.eraseInput(Body.inputs().size() - 1);
  std::shared_ptr<Graph> Copy = const_cast<Graph &>(Original).copy();
  Body.block()->cloneFrom(Copy->block(), nullptr);
  F.clear_optimized_graphs();
}

static void removeMethod(const Module &Root, GraphFunction &F) {
  c10::QualifiedName Name = F.qualname();
  auto Class = Root.type();
  Class->unsafeRemoveMethod(Name.name());
  Class->compilation_unit()->unsafeRemoveMethod(Name);
}

static void removeManifest(Module &Root) {
  auto Class = Root.type();
  size_t Slot = Class->getAttributeSlot(ManifestAttribute);
  Class->unsafeRemoveAttribute(ManifestAttribute);
  Root._ivalue()->unsafeRemoveSlot(Slot);
}

uint64_t stripModule(Module &Root) {
  std::vector<GraphFunction *> Kept = keptFunctions(Root);
  if (Kept.empty() || !Root.hasattr(ManifestAttribute))
    throw InstrumentError("expected a model with probes, found one without");
  std::vector<GraphFunction *> Own = ownFunctions(Root);
  uint64_t Restored = 0;
  for (GraphFunction *Original : Kept) {
    std::string Name = Original->name().substr(strlen(OriginalPrefix));
    auto It = std::find_if(Own.begin(), Own.end(),
                           [&](GraphFunction *F) { return F->name() == Name; });
    if (It == Own.end())
      throw InstrumentError("expected a method '" + Name +
                            "' for the kept original, found none");
    restore(**It, *Original->graph());
    ++Restored;
  }
  for (GraphFunction *Original : Kept)
    removeMethod(Root, *Original);
  removeManifest(Root);
  return Restored;
}

} // namespace torchprof
