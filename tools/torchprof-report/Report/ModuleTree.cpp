//===- ModuleTree.cpp - time by module hierarchy --------------------------===//

#include "ModuleTree.h"
#include "ColumnSet.h"
#include "ModuleCalls.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// The node of a scope's module, added with its ancestors if it is new.
static ModuleNode &nodeOf(ModuleNode &Root, const Manifest &M, uint32_t Scope) {
  // Outermost first.
  SmallVector<uint32_t, 8> Scopes;
  for (uint32_t I = Scope; I != NoIndex; I = M.Scopes[I].Parent)
    Scopes.push_back(I);
  ModuleNode *Node = &Root;
  for (uint32_t I : reverse(Scopes)) {
    const ManifestScope &S = M.Scopes[I];
    // A scope may name several levels: "layer1.0".
    std::vector<std::string_view> Names = moduleNames(M.string(S.Module));
    for (StringRef Name : Names) {
      auto Child = find_if(Node->Children,
                           [&](const ModuleNode &C) { return C.Name == Name; });
      if (Child == Node->Children.end()) {
        ModuleNode &New = Node->Children.emplace_back();
        New.Name = Name.str();
        // Node may move when its parent's children grow, not here.
        New.Path = Node->Path.empty() ? New.Name : Node->Path + "." + New.Name;
        Node = &New;
      } else {
        Node = &*Child;
      }
    }
    if (Node->Class.empty() && (!Names.empty() || Node == &Root))
      Node->Class = M.string(S.Class);
  }
  return *Node;
}

/// The place for the nodes, or operators, of a site's kind.
static ModuleOps &placeFor(std::vector<ModuleOps> &Ops, const SiteTable &Sites,
                           uint32_t S) {
  StringRef Kind = Sites.kind(S);
  bool Async = Sites[S].Async;
  for (ModuleOps &Op : Ops)
    if (Op.Kind == Kind && Op.Async == Async)
      return Op;
  ModuleOps &New = Ops.emplace_back();
  New.Kind = Kind.str();
  New.Async = Async;
  return New;
}

/// The place of a node or operator: operators lie in what calls them, those of
/// a method or of a call of a module beside the nodes.
static ModuleOps &placeOf(ModuleNode &Node, const SiteTable &Sites,
                          uint32_t S) {
  uint32_t Parent = Sites[S].Parent;
  bool IsInner =
      Sites[S].Operator && !Sites[Parent].isRoot() && !Sites[Parent].isModule();
  return placeFor(IsInner ? placeOf(Node, Sites, Parent).Inner : Node.Ops,
                  Sites, S);
}

static void addOp(ModuleNode &Node, const SiteTable &Sites, uint32_t S,
                  const SiteWork &Done) {
  ModuleOps *Op = &placeOf(Node, Sites, S);
  ++Op->Nodes;
  Op->Calls += Sites.measured(S).Count;
  Op->Self += Sites.self(S).Amount + Sites.plansOf(S);
  Op->Backward += Sites.backwardOf(S);
  addMeasures(Op->Measures, Sites, S, /*IsDirect=*/true, /*WithTimes=*/true);
  Op->Done += Done;
  Op->Clipped |= Sites.self(S).Excess != 0;
}

static void sumUp(ModuleOps &Op) {
  for (ModuleOps &Inner : Op.Inner) {
    sumUp(Inner);
    addInner(Op.Measures, Inner.Measures);
  }
}

static void sumUp(ModuleNode &Node) {
  for (ModuleOps &Op : Node.Ops)
    sumUp(Op);
  Node.Total = Node.Self;
  Node.TotalBackward = Node.Backward;
  for (ModuleNode &Child : Node.Children) {
    sumUp(Child);
    Node.Total += Child.Total;
    Node.Async += Child.Async;
    Node.TotalBackward += Child.TotalBackward;
    Node.Done += Child.Done;
    addInner(Node.Measures, Child.Measures);
  }
}

static void addCalls(ModuleNode &Node, const ModuleCalls &Calls,
                     const Manifest *M) {
  Node.Calls = Calls.of(M, Node.Path);
  for (ModuleNode &Child : Node.Children)
    addCalls(Child, Calls, M);
}

std::vector<ModuleNode> report::makeModuleTrees(const SiteTable &Sites,
                                                const Selection &Selected) {
  std::vector<ModuleNode> Trees;
  std::vector<const Manifest *> Models; // of the trees
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!Sites[S].isPart() || Sites[S].isOutside() || !Sites.seen(S) ||
        !Selected.matches(Sites, S))
      continue;
    const Manifest *M = Sites.manifest(S);
    auto Known = find(Models, M);
    auto Number = static_cast<size_t>(Known - Models.begin());
    if (Known == Models.end()) {
      Models.push_back(M);
      Trees.emplace_back();
      StringRef Model = Sites.modelNames().ofSeveral(Sites, S);
      Trees.back().Name = Model.empty() ? "(root)" : Model.str();
      Trees.back().Model = Sites.modelNames().of(Sites, S).str();
      Trees.back().ModelId = ModelNames::idOf(Sites, S);
    }
    ModuleNode &Node = nodeOf(Trees[Number], *M, Sites.scope(S));
    SiteWork Done;
    Done.add(Sites, S);
    Node.Backward += Sites.backwardOf(S);
    UInt128 Self = Sites.self(S).Amount + Sites.plansOf(S);
    bool Timed = !Sites[S].Async;
    addMeasures(Node.Measures, Sites, S, /*IsDirect=*/true, Timed);
    Node.Done += Done;
    if (!Timed) {
      Node.Async += Self;
    } else {
      Node.Self += Self;
      Node.Clipped |= Sites.self(S).Excess != 0;
    }
    if (!Sites[S].isModule() && !Sites[S].isRoot())
      addOp(Node, Sites, S, Done);
  }
  ModuleCalls Calls(Sites);
  for (size_t I = 0; I < Trees.size(); ++I) {
    sumUp(Trees[I]);
    addCalls(Trees[I], Calls, Models[I]);
  }
  return Trees;
}

/// Number among knownMeasures() of the measure whose column a key is.
static Optional<size_t> measureOf(StringRef Key) {
  ArrayRef<KnownMeasure> Known = knownMeasures();
  for (size_t I = 0; I < Known.size(); ++I)
    if (measureColumnId(Known[I].Id, Known[I].Unit) == Key)
      return I;
  return None;
}

static UInt128 totalOf(const ModuleNode &Node, size_t Measure) {
  return Measure < Node.Measures.size() ? Node.Measures[Measure].Total : 0;
}

/// The keys that a tree may be sorted by.
static std::vector<std::string> sortKeys() {
  std::vector<std::string> Keys = {
      "order", "total_ns",    "self_ns",           "asynchronous_ns", "calls",
      "name",  "backward_ns", "total_backward_ns", "flops",           "bytes"};
  for (const KnownMeasure &M : knownMeasures())
    Keys.push_back(measureColumnId(M.Id, M.Unit));
  return Keys;
}

Error report::sortModuleTree(ModuleNode &Root, ArrayRef<std::string> Keys) {
  std::vector<std::string> Known = sortKeys();
  for (const std::string &Key : Keys)
    if (!is_contained(Known, Key))
      return unknownName("--sort", Key, Known);
  auto Before = [&](const ModuleNode &A, const ModuleNode &B) {
    for (const std::string &Key : Keys) {
      if (Key == "order")
        return false;
      if (Key == "total_ns" && A.Total != B.Total)
        return A.Total > B.Total;
      if (Key == "self_ns" && A.Self != B.Self)
        return A.Self > B.Self;
      if (Key == "asynchronous_ns" && A.Async != B.Async)
        return A.Async > B.Async;
      if (Key == "calls" && A.Calls.getValueOr(0) != B.Calls.getValueOr(0))
        return A.Calls.getValueOr(0) > B.Calls.getValueOr(0);
      if (Key == "name" && A.Name != B.Name)
        return A.Name < B.Name;
      if (Key == "backward_ns" && A.Backward.Self != B.Backward.Self)
        return A.Backward.Self > B.Backward.Self;
      if (Key == "total_backward_ns" &&
          A.TotalBackward.Self != B.TotalBackward.Self)
        return A.TotalBackward.Self > B.TotalBackward.Self;
      if (Key == "flops" && A.Done.Sum.Flops != B.Done.Sum.Flops)
        return A.Done.Sum.Flops > B.Done.Sum.Flops;
      if (Key == "bytes" && A.Done.Sum.Bytes != B.Done.Sum.Bytes)
        return A.Done.Sum.Bytes > B.Done.Sum.Bytes;
      if (Optional<size_t> M = measureOf(Key);
          M && totalOf(A, *M) != totalOf(B, *M))
        return totalOf(A, *M) > totalOf(B, *M);
    }
    return false;
  };
  stable_sort(Root.Children, Before);
  bool ByBackward =
      !Keys.empty() && StringRef(Keys.front()).endswith("backward_ns");
  if (!Keys.empty() && Keys.front() != "order")
    stable_sort(Root.Ops, [&](const ModuleOps &A, const ModuleOps &B) {
      if (ByBackward && A.Backward.Self != B.Backward.Self)
        return A.Backward.Self > B.Backward.Self;
      return A.Self > B.Self;
    });
  for (ModuleNode &Child : Root.Children)
    if (Error E = sortModuleTree(Child, Keys))
      return E;
  return Error::success();
}
