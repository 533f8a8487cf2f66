//===- StripModule.cpp - a model as it was before -------------------------===//
//
// The inverse of InstrumentModule: restores the methods' graphs from the kept
// originals and removes these and the manifest.
//
//===----------------------------------------------------------------------===//

#include "LostNames.h"
#include "ManifestObject.h"
#include "ModuleMethods.h"

#include <cstring>

namespace torchprof {

using namespace torch::jit;

static void restore(GraphFunction &F, const Graph &Original) {
  // Others may hold the graph, so replace its contents instead of the graph.
  Graph &Body = *F.graph();
  Body.block()->clear();
  while (!Body.inputs().empty())
    Body.eraseInput(Body.inputs().size() - 1);
  std::shared_ptr<Graph> Copy = const_cast<Graph &>(Original).copy();
  Body.block()->cloneFrom(Copy->block(), nullptr);
  F.clear_optimized_graphs();
}

static void removeMethod(const OwnedFunction &F) {
  c10::QualifiedName Name = F.Function->qualname();
  F.Class->unsafeRemoveMethod(Name.name());
  F.Class->compilation_unit()->unsafeRemoveMethod(Name);
}

uint64_t stripModule(Module &Root) {
  refuseStrayProbes(Root);
  std::vector<OwnedFunction> Kept = keptFunctions(Root);
  Manifest Table;
  if (Kept.empty() || !readManifest(Root, Table))
    throw InstrumentError("the model has no probes");
  std::vector<c10::ClassTypePtr> Carriers = carriersOf(Root);
  for (const OwnedFunction &Original : Kept) {
    std::string Name = Original.Function->name().substr(strlen(OriginalPrefix));
    GraphFunction *F = findFunction(*Original.Class, Name);
    if (!F)
      throw InstrumentError("the method '" + Name +
                            "' is gone; only its original is left");
    restore(*F, *Original.Function->graph());
  }
  for (const OwnedFunction &Original : Kept)
    removeMethod(Original);
  restoreNames(Root, Table);
  removeManifest(Root, Carriers);
  return Kept.size();
}

} // namespace torchprof
