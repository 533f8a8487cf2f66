//===- Stacks.cpp - sites as stacks with weights --------------------------===//

#include "Stacks.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

std::vector<uint32_t> report::sitesWithStacks(const ExportInput &In) {
  const SiteTable &Sites = In.Sites;
  std::vector<uint32_t> Chosen;
  auto Add = [&](uint32_t S) {
    if (Sites.reached(S) && In.Selected.matches(Sites, S))
      Chosen.push_back(S);
  };
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (Sites[S].Dynamic)
      continue;
    Add(S);
    for (uint32_t Gradient : Sites.backward(S))
      Add(Gradient);
  }
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Sites[S].Operator || Sites[S].NoNode)
      Add(S);
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Sites[S].Gradient && Sites[S].isOutside())
      Add(S);
  return Chosen;
}

std::vector<std::string> report::stackOf(const SiteTable &Sites, uint32_t S) {
  if (Sites[S].Operator && Sites[S].Parent != NoIndex) {
    std::vector<std::string> Frames = stackOf(Sites, Sites[S].Parent);
    Frames.push_back(Sites.kind(S).str());
    return Frames;
  }
  if (Sites[S].Gradient) {
    std::string Frame = Sites.kind(S).str();
    if (Sites[S].isOutside())
      return {Frame, Sites.name(S).str()};
    std::vector<std::string> Frames = stackOf(Sites, Sites[S].Parent);
    Frames.push_back(Frame);
    return Frames;
  }
  if (Sites[S].isOutside())
    return {Sites.name(S).str()};
  std::vector<std::string> Frames;
  if (!Sites[S].isRoot() && !Sites[S].isModule())
    Frames.push_back(Sites.kind(S).str());
  const Manifest &M = *Sites.manifest(S);
  for (uint32_t I = Sites.scope(S); I != NoIndex; I = M.Scopes[I].Parent) {
    const ManifestScope &Scope = M.Scopes[I];
    if (!Scope.Module)
      continue;
    std::string Name = M.string(Scope.Module);
    if (Scope.Class)
      Name += "(" + M.string(Scope.Class) + ")";
    Frames.push_back(std::move(Name));
  }
  if (Sites[S].Async)
    Frames.push_back("(asynchronous)");
  uint32_t Root = Sites[S].Root;
  Frames.push_back(Sites[Root].isRoot() ? Sites.methodName(Root)
                                        : Sites.kind(Root).str());
  std::reverse(Frames.begin(), Frames.end());
  return Frames;
}

/// How wide a site is.
static uint64_t weightOf(const ExportInput &In, uint32_t S) {
  const SiteTable &Sites = In.Sites;
  switch (In.StackWeight) {
  case Weight::SelfNs:
    return static_cast<uint64_t>(std::llround(
        Sites.clock().toNs(static_cast<double>(Sites.self(S).Amount))));
  case Weight::Calls:
    return Sites.measured(S).Count;
  case Weight::DeviceNs:
    if (Optional<MeasureId> M = numberOf(Sites.measures(), "device"))
      return static_cast<uint64_t>(Sites.self(*M, S).Amount);
    return 0;
  }
  return 0;
}

std::vector<WeightedStack> report::foldStacks(const ExportInput &In) {
  std::vector<WeightedStack> Stacks;
  std::map<std::vector<std::string>, size_t> Known;
  const SiteTable &Sites = In.Sites;
  for (uint32_t S : sitesWithStacks(In)) {
    uint64_t Amount = weightOf(In, S);
    if (Amount == 0)
      continue;
    std::vector<std::string> Frames = stackOf(Sites, S);
    auto [It, IsNew] = Known.emplace(Frames, Stacks.size());
    if (IsNew)
      Stacks.push_back({std::move(Frames), 0, S});
    Stacks[It->second].Weight += Amount;
  }
  return Stacks;
}

StackTree report::stackTree(ArrayRef<WeightedStack> Stacks, StringRef Name) {
  StackTree Root;
  Root.Name = Name.str();
  for (const WeightedStack &Stack : Stacks) {
    StackTree *Node = &Root;
    Node->Weight += Stack.Weight;
    for (const std::string &Frame : Stack.Frames) {
      auto Child = find_if(Node->Children,
                           [&](const StackTree &T) { return T.Name == Frame; });
      if (Child == Node->Children.end()) {
        Node->Children.push_back({Frame, 0, {}});
        Child = std::prev(Node->Children.end());
      }
      Node = &*Child;
      Node->Weight += Stack.Weight;
    }
  }
  return Root;
}

StackTree report::flameTree(const ExportInput &In) {
  StackTree Tree = stackTree(foldStacks(In), In.Title);
  if (Tree.Children.size() != 1)
    return Tree;
  StackTree Only = std::move(Tree.Children.front());
  return Only;
}
