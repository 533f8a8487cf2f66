//===- ModuleMethods.cpp - the functions of a module's root ---------------===//

#include "ModuleMethods.h"

#include <algorithm>

namespace torchprof {

using namespace torch::jit;

static bool isKept(const std::string &Name) {
  return Name.starts_with(OriginalPrefix);
}

static bool isState(const std::string &Name) {
  return Name == "__getstate__" || Name == "__setstate__";
}

static std::vector<Function *> allFunctions(const Module &Root) {
  auto Class = Root.type();
  std::vector<Function *> Found = Class->methods();
  for (const auto *Hooks :
       {&Class->getForwardHooks(), &Class->getForwardPreHooks()})
    Found.insert(Found.end(), Hooks->begin(), Hooks->end());
  return Found;
}

template <typename Predicate>
static std::vector<GraphFunction *> graphFunctions(const Module &Root,
                                                   Predicate Wanted) {
  std::vector<GraphFunction *> Found;
  for (Function *F : allFunctions(Root))
    if (GraphFunction *G = asGraph(F); G && Wanted(F->name()))
      Found.push_back(G);
  std::sort(Found.begin(), Found.end(), [](GraphFunction *A, GraphFunction *B) {
    return A->name() < B->name();
  });
  // One function can be registered as a hook more than once.
  Found.erase(std::unique(Found.begin(), Found.end()), Found.end());
  return Found;
}

std::vector<GraphFunction *> ownFunctions(const Module &Root) {
  return graphFunctions(Root, [](const std::string &Name) {
    return !isKept(Name) && !isState(Name);
  });
}

std::vector<GraphFunction *> keptFunctions(const Module &Root) {
  return graphFunctions(Root, isKept);
}

MethodGraph describeFunction(GraphFunction &F, const Module &Root,
                             std::shared_ptr<Graph> Body) {
  MethodGraph Method;
  Method.Name = F.name();
  const auto &Arguments = F.getSchema().arguments();
  for (size_t I = 1; I < Arguments.size(); ++I)
    Method.Signature += (I > 1 ? ", " : "") + Arguments[I].name();
  if (Root.type()->name())
    Method.Class = Root.type()->name()->name();
  Method.Body = std::move(Body);
  return Method;
}

} // namespace torchprof
