//===- ModuleCalls.cpp - how often modules were called --------------------===//

#include "ModuleCalls.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
/// What the sites of a scope say about its calls.
struct ScopeCalls {
  uint64_t Calls = 0;
  bool Known = false;   ///< a site that ran stands in its straight line
  bool Exact = false;   ///< a site measures the call itself
  bool Reached = false; ///< a site in it, or in what it calls, ran
};
} // namespace

/// The innermost block around a site that does not run exactly once whenever
/// the code around it does: an if, a loop, a fork. NoIndex if there is none.
static uint32_t conditionOf(const SiteTable &Sites, uint32_t S) {
  for (uint32_t I = S; Sites[I].Parent != NoIndex; I = Sites[I].Parent) {
    uint32_t Parent = Sites[I].Parent;
    if ((Sites[Parent].Flags & SF_Control) || (Sites[I].Flags & SF_Async))
      return Parent;
  }
  return NoIndex;
}

/// Calls of the method that a site without a condition around it lies in, 0 if
/// they are not known.
static uint64_t callsOfMethod(const SiteTable &Sites, uint32_t S) {
  while (Sites[S].Parent != NoIndex)
    S = Sites[S].Parent;
  return Sites[S].isRoot() ? Sites.measured(S).Count : 0;
}

/// True if \p Outer is \p Scope or calls it, directly or not.
static bool contains(const Manifest &M, uint32_t Outer, uint32_t Scope) {
  while (Scope != NoIndex && Scope != Outer)
    Scope = M.Scopes[Scope].Parent;
  return Scope == Outer;
}

void ModuleCalls::addModel(const SiteTable &Sites, uint32_t First,
                           const Manifest &M) {
  std::vector<ScopeCalls> Scopes(M.Scopes.size());
  for (uint32_t I = 0; I < M.Sites.size(); ++I) {
    uint32_t S = First + I;
    if (!Sites.reached(S))
      continue;
    uint32_t Own = Sites.scope(S);
    for (uint32_t Z = Own; Z != NoIndex && !Scopes[Z].Reached;
         Z = M.Scopes[Z].Parent)
      Scopes[Z].Reached = true;
    uint64_t Count = Sites.measured(S).Count;
    if (Sites[S].isRoot() || Sites[S].isModule()) {
      Scopes[Own].Calls = Scopes[Own].Exact ? Scopes[Own].Calls + Count : Count;
      Scopes[Own].Known = Scopes[Own].Exact = true;
    }
    uint32_t Condition = conditionOf(Sites, S);
    uint32_t Limit = Condition == NoIndex ? NoIndex : Sites.scope(Condition);
    // Under grad LibTorch may run a node again outside of the group that it put
    // it in.
    if (uint64_t Most = Condition == NoIndex ? callsOfMethod(Sites, S) : 0)
      Count = std::min(Count, Most);
    // The code up to the condition's own runs through this site.
    for (uint32_t Z = Own; Z != NoIndex; Z = M.Scopes[Z].Parent) {
      if (Limit != NoIndex && contains(M, Z, Limit))
        break;
      if (Scopes[Z].Exact)
        continue;
      // An optimization may have dropped some of the probes.
      Scopes[Z].Calls = std::max(Scopes[Z].Calls, Count);
      Scopes[Z].Known = true;
    }
  }
  for (uint32_t Z = 0; Z < Scopes.size(); ++Z) {
    // Functions and own methods that a module calls are no calls of it.
    bool Enters = M.Scopes[Z].Module || M.Scopes[Z].Parent == NoIndex;
    if (!Enters || !Scopes[Z].Reached)
      continue;
    Instance &I = Instances[{&M, M.modulePath(Z)}];
    I.Calls += Scopes[Z].Calls;
    I.Known &= Scopes[Z].Known;
  }
}

ModuleCalls::ModuleCalls(const SiteTable &Sites) {
  for (const auto &[First, Table] : Sites.models())
    addModel(Sites, First, *Table);
}

Optional<uint64_t> ModuleCalls::of(const Manifest *M, StringRef Path) const {
  auto It = Instances.find({M, Path.str()});
  if (It == Instances.end() || !It->second.Known)
    return None;
  return It->second.Calls;
}
