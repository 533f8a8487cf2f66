//===- LostNames.cpp - names of values that a saved model loses -----------===//

#include "LostNames.h"

#include "ModuleMethods.h"

#include <unordered_set>

namespace torchprof {

using namespace torch::jit;

static void appendValues(Block *Body, std::vector<Value *> &Values) {
  for (Value *Input : Body->inputs())
    Values.push_back(Input);
  for (Node *N : Body->nodes()) {
    for (Value *Output : N->outputs())
      Values.push_back(Output);
    for (Block *Inner : N->blocks())
      appendValues(Inner, Values);
    if (Graph *Forked = forkedGraph(N))
      appendValues(Forked->block(), Values);
  }
}

static std::vector<Value *> valuesOf(const GraphFunction &F) {
  std::vector<Value *> Values;
  appendValues(F.graph()->block(), Values);
  return Values;
}

/// Names of the functions of \p Class without the reserved ones.
static std::vector<std::string> namesOf(const c10::ClassType &Class) {
  std::vector<std::string> Names;
  for (const Function *F : allFunctions(Class))
    if (!F->name().starts_with(OriginalPrefix))
      Names.push_back(F->name());
  return Names;
}

/// The function with the original code: the reserved copy if there is one.
static GraphFunction *keeperOf(const c10::ClassType &Class,
                               const std::string &Name) {
  GraphFunction *Kept = keptOriginal(Class, Name);
  return Kept ? Kept : findFunction(Class, Name);
}

static void compareFunctions(const std::string &Path, const GraphFunction &F,
                             const GraphFunction &Reloaded, Manifest &Table) {
  std::vector<Value *> Before = valuesOf(F), After = valuesOf(Reloaded);
  // The importer simplified the code: the values do not correspond.
  if (Before.size() != After.size())
    return;
  for (size_t I = 0; I < Before.size(); ++I)
    if (Before[I]->hasDebugName() && !After[I]->hasDebugName())
      // LibTorch adds the number after the dot when it loads.
      Table.Names.push_back({Table.intern(Path), static_cast<uint32_t>(I),
                             Table.intern(Before[I]->debugNameBase())});
}

void addLostNames(const Module &Saved, const Module &Reloaded,
                  Manifest &Table) {
  std::unordered_set<const c10::ClassType *> Seen;
  auto Twins = Reloaded.named_modules();
  auto Twin = Twins.begin();
  for (const auto &Part : Saved.named_modules()) {
    if (!(Twin != Twins.end()))
      break;
    auto Class = Part.value.type(), TwinClass = (*Twin).value.type();
    ++Twin;
    if (!Seen.insert(Class.get()).second)
      continue;
    for (const std::string &Name : namesOf(*Class)) {
      const GraphFunction *F = keeperOf(*Class, Name);
      const GraphFunction *Again = keeperOf(*TwinClass, Name);
      if (F && Again)
        compareFunctions(Part.name + "." + Name, *F, *Again, Table);
    }
  }
}

void restoreNames(const Module &Root, const Manifest &Table) {
  if (Table.Names.empty())
    return;
  std::unordered_map<std::string, std::vector<Value *>> ValuesOf;
  for (const auto &Part : Root.named_modules())
    for (const std::string &Name : namesOf(*Part.value.type()))
      if (const GraphFunction *F = findFunction(*Part.value.type(), Name))
        ValuesOf.emplace(Part.name + "." + Name, valuesOf(*F));
  for (const ManifestName &Lost : Table.Names) {
    auto It = ValuesOf.find(Table.string(Lost.Function));
    if (It != ValuesOf.end() && Lost.Value < It->second.size())
      It->second[Lost.Value]->setDebugName(Table.string(Lost.Name));
  }
}

} // namespace torchprof
