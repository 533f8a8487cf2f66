//===- RecoverPaths.cpp - module paths of code inlined by others ----------===//
//
// A method that was inlined and then saved has no calls left that would tell
// the paths. But a node that uses self.layer1.conv1.weight belongs to
// layer1.conv1. The path of a node without parameters is unknown and printed as
// "?". A list or a dict of parameters runs nothing: its owner does. A frozen
// method reads no attributes, so all of its paths are lost. Where another
// method of the model has calls left, this one was written without.
//
//===----------------------------------------------------------------------===//

#include "RecoverPaths.h"

#include "torchprof/GraphAccess.h"

#include <optional>

namespace torchprof {

using namespace torch::jit;

namespace {

class PathRecovery {
public:
  PathRecovery(const MethodGraph &Method, uint32_t RootScope, Manifest &Table,
               ScopeMap &Scopes)
      : RootScope(RootScope), Table(Table), Scopes(Scopes),
        Self(Method.Body->inputs().empty() ? nullptr
                                           : Method.Body->inputs()[0]) {}

  /// True if a node reads an attribute of a submodule.
  bool readsSubmodules(Block *Body) const {
    for (Node *N : Body->nodes()) {
      if (pathOfInputs(N))
        return true;
      for (Block *Inner : N->blocks())
        if (readsSubmodules(Inner))
          return true;
    }
    return false;
  }

  void run(Block *Body) {
    for (Node *N : Body->nodes()) {
      if (N->kind() != prim::GetAttr && N->kind() != prim::Constant)
        Scopes.ScopeOf[N] = scopeFor(pathOfInputs(N).value_or("?"));
      for (Block *Inner : N->blocks())
        run(Inner);
      if (Graph *Forked = forkedGraph(N))
        run(Forked->block());
    }
  }

private:
  static bool hasCode(const c10::TypePtr &Type) {
    auto Class = Type->cast<c10::ClassType>();
    return Class && !Class->methods().empty();
  }

  /// The submodule whose attribute is an input of \p N: the path of the first
  /// such attribute without its last part.
  std::optional<std::string> pathOfInputs(const Node *N) const {
    if (N->kind() == prim::GetAttr)
      return std::nullopt;
    for (const Value *Input : N->inputs()) {
      if (Input->node()->kind() != prim::GetAttr)
        continue;
      std::string Path;
      const Value *V = Input->node()->input(0);
      for (; V->node()->kind() == prim::GetAttr; V = V->node()->input(0)) {
        if (Path.empty() && !hasCode(V->type()))
          continue;
        const std::string &Name = V->node()->s(attr::name);
        Path = Path.empty() ? Name : Name + "." + Path;
      }
      if (V == Self && !Path.empty())
        return Path;
    }
    return std::nullopt;
  }

  uint32_t scopeFor(const std::string &Path) {
    auto [It, IsNew] = ScopeOfPath.try_emplace(Path, 0);
    if (IsNew) {
      ManifestScope Scope;
      Scope.Parent = RootScope;
      Scope.Module = Table.intern(Path);
      It->second = static_cast<uint32_t>(Table.Scopes.size());
      Table.Scopes.push_back(Scope);
    }
    return It->second;
  }

  uint32_t RootScope;
  Manifest &Table;
  ScopeMap &Scopes;
  const Value *Self;
  std::map<std::string, uint32_t> ScopeOfPath;
};

} // namespace

void recoverPaths(const MethodGraph &Method, uint32_t RootScope,
                  Manifest &Table, ScopeMap &Scopes) {
  PathRecovery Recovery(Method, RootScope, Table, Scopes);
  Block *Body = Method.Body->block();
  if (Recovery.readsSubmodules(Body))
    Recovery.run(Body);
}

} // namespace torchprof
