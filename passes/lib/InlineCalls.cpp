//===- InlineCalls.cpp - inline every call, remember where from -----------===//
//
// LibTorch's own inliner records call stacks, but loses the outer calls of
// nodes inside blocks and the whole stack of nodes without outputs. So we
// inline one call at a time: the nodes between the call's predecessor and the
// call are exactly those that were inlined, with their blocks and forked
// graphs. Callees' graphs are only read, and nothing is cached in them.
//
//===----------------------------------------------------------------------===//

#include "RecoverPaths.h"
#include "SourceLocation.h"
#include "torchprof/GraphAccess.h"
#include "torchprof/Passes.h"

#include <torch/csrc/jit/passes/constant_pooling.h>
#include <torch/csrc/jit/passes/constant_propagation.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include <optional>

namespace torchprof {

using namespace torch::jit;

namespace {

class CallInliner {
public:
  CallInliner(const MethodGraph &Method, Manifest &Table, ScopeMap &Scopes,
              uint32_t RootScope)
      : Table(Table), Scopes(Scopes), RootScope(RootScope),
        Instance(Method.Instance),
        RootSelf(Method.Body->inputs().empty() ? nullptr
                                               : Method.Body->inputs()[0]) {}

  void run(Block *Body) {
    // Inlining destroys N, so the loop advances by hand.
    for (Node *N = *Body->nodes().begin(); N != Body->return_node();) {
      if (Node *FirstInlined = inlineCall(N)) {
        N = FirstInlined;
        continue;
      }
      for (Block *Inner : N->blocks())
        run(Inner);
      if (Graph *Forked = forkedGraph(N)) {
        for (size_t I = 0; I < N->inputs().size(); ++I)
          Captured[Forked->inputs()[I]] = N->input(I);
        run(Forked->block());
      }
      N = N->next();
    }
  }

  /// Gives \p Scope to every node of \p Body, inner blocks and forked graphs
  /// included.
  void mark(Block *Body, uint32_t Scope) {
    for (Node *N : Body->nodes())
      mark(N, Scope);
  }

private:
  void mark(Node *N, uint32_t Scope) {
    Scopes.ScopeOf[N] = Scope;
    for (Block *Inner : N->blocks())
      mark(Inner, Scope);
    if (Graph *Forked = forkedGraph(N))
      mark(Forked->block(), Scope);
  }

  Graph &originalGraph(GraphFunction &F) const {
    auto It = Scopes.OriginalOf.find(F.graph().get());
    return It == Scopes.OriginalOf.end() ? *F.graph() : *It->second;
  }

  struct Callee {
    GraphFunction *Function = nullptr;
    /// Path of the instance from the root, or "?"; none for a plain function.
    std::optional<std::string> Module;
    std::string Class;
    size_t SkippedInputs = 0; ///< leading inputs that are not arguments
  };

  /// The path of a module value from the model's root; "?" if it is not read by
  /// name, for instance out of a list.
  std::string instancePath(const Value *V) const {
    std::string Path;
    while (true) {
      if (V->node()->kind() == prim::GetAttr) {
        const std::string &Name = V->node()->s(attr::name);
        Path = Path.empty() ? Name : Name + "." + Path;
        V = V->node()->input(0);
        continue;
      }
      auto Outer = Captured.find(V);
      if (Outer == Captured.end())
        break;
      V = Outer->second;
    }
    const std::string &Start = V == RootSelf ? Instance : Unknown;
    if (Start.empty() || Path.empty())
      return Start + Path;
    return Start + "." + Path;
  }

  Callee calleeOf(Node *N) const {
    Callee C;
    C.Function = inlinableCallee(N);
    if (C.Function && N->kind() == prim::CallMethod) {
      auto Class = N->input(0)->type()->expect<c10::ClassType>();
      if (Class->is_module())
        C.Module = instancePath(N->input(0));
      if (Class->name())
        C.Class = Class->name()->name();
    } else if (C.Function) {
      C.SkippedInputs = 1;
    }
    return C;
  }

  uint32_t addScope(Node *Call, const Callee &C) {
    ManifestScope Scope;
    auto It = Scopes.ScopeOf.find(Call);
    Scope.Parent = It == Scopes.ScopeOf.end() ? RootScope : It->second;
    std::string Outer = Table.modulePath(Scope.Parent);
    std::string Segment = C.Module.value_or(Outer);
    if (Segment == Outer)
      Segment.clear();
    else if (!Outer.empty() && Segment.starts_with(Outer + "."))
      Segment.erase(0, Outer.size() + 1);
    Scope.Module = Table.intern(Segment);
    Scope.Class = Table.intern(C.Class);
    Scope.Function = Table.intern(C.Function->name());
    Scope.Call = locate(Call->sourceRange(), Table);
    Table.Scopes.push_back(Scope);
    return static_cast<uint32_t>(Table.Scopes.size() - 1);
  }

  /// Inlines \p N if it is a call that can be inlined. Returns the node to
  /// continue with, or null if \p N was left alone.
  Node *inlineCall(Node *N) {
    Callee C = calleeOf(N);
    if (!C.Function)
      return nullptr;
    uint32_t Scope = addScope(N, C);
    Node *Before = N->prev();
    Graph *Caller = N->owningGraph();
    WithInsertPoint Guard(N);
    auto Arguments = N->inputs().slice(C.SkippedInputs);
    std::vector<Value *> Results =
        insertGraph(*Caller, originalGraph(*C.Function), Arguments);
    for (Node *Inlined = Before->next(); Inlined != N;
         Inlined = Inlined->next())
      mark(Inlined, Scope);
    for (size_t I = 0; I < Results.size(); ++I)
      N->output(I)->replaceAllUsesWith(Results[I]);
    Node *Next = Before->next();
    if (Next == N)
      Next = N->next();
    Scopes.ScopeOf.erase(N);
    N->destroy();
    return Next;
  }

  Manifest &Table;
  ScopeMap &Scopes;
  uint32_t RootScope;
  std::string Instance;
  std::string Unknown = "?";
  const Value *RootSelf;
  /// Maps the inputs of forked graphs to the captured values.
  std::unordered_map<const Value *, const Value *> Captured;
};

} // namespace

void inlineCalls(const MethodGraph &Method, Manifest &Table, ScopeMap &Scopes) {
  ManifestScope Root;
  Root.Class = Table.intern(Method.Class);
  Root.Module = Table.intern(Method.Instance);
  Root.Function = Table.intern(Method.Name + "(" + Method.Signature + ")");
  Table.Scopes.push_back(Root);
  auto RootScope = static_cast<uint32_t>(Table.Scopes.size() - 1);
  Scopes.RootOf[Method.Body.get()] = RootScope;

  CallInliner Inliner(Method, Table, Scopes, RootScope);
  Inliner.mark(Method.Body->block(), RootScope);
  Inliner.run(Method.Body->block());
  if (!Scopes.HasCalls && Table.Scopes.size() == RootScope + 1)
    recoverPaths(Method, RootScope, Table, Scopes);

  // What LibTorch's importer does to code that it reads.
  std::shared_ptr<Graph> Body = Method.Body;
  ConstantPropagationImmutableTypes(Body);
  EliminateDeadCode(Body);
  ConstantPooling(Body);
}

} // namespace torchprof
