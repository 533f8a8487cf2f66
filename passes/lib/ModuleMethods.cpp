//===- ModuleMethods.cpp - the functions of a model -----------------------===//

#include "ModuleMethods.h"

#include <algorithm>
#include <unordered_set>

namespace torchprof {

using namespace torch::jit;

static bool isKept(const std::string &Name) {
  return Name.starts_with(OriginalPrefix);
}

bool isStateMethod(const std::string &Name) {
  return Name == "__getstate__" || Name == "__setstate__";
}

std::vector<Function *> allFunctions(const c10::ClassType &Class) {
  std::vector<Function *> Found = Class.methods();
  for (const auto *Hooks :
       {&Class.getForwardHooks(), &Class.getForwardPreHooks()})
    Found.insert(Found.end(), Hooks->begin(), Hooks->end());
  return Found;
}

static void sortByName(std::vector<OwnedFunction> &Functions) {
  // Qualified names only break ties: they are mangled anew by every load.
  auto Key = [](const OwnedFunction &F) {
    return std::make_tuple(F.Class->name()->name(), F.Instance,
                           F.Class->name()->qualifiedName(),
                           F.Function->name());
  };
  std::sort(Functions.begin(), Functions.end(),
            [&](const OwnedFunction &A, const OwnedFunction &B) {
              return Key(A) < Key(B);
            });
  // One function can be registered as a hook more than once.
  Functions.erase(
      std::unique(Functions.begin(), Functions.end(),
                  [](const OwnedFunction &A, const OwnedFunction &B) {
                    return A.Function == B.Function;
                  }),
      Functions.end());
}

std::vector<OwnedFunction> ownFunctions(const c10::ClassTypePtr &Root) {
  std::vector<OwnedFunction> Found;
  for (Function *F : allFunctions(*Root))
    if (GraphFunction *G = asGraph(F);
        G && !isKept(F->name()) && !isStateMethod(F->name()))
      Found.push_back({G, Root, ""});
  sortByName(Found);
  return Found;
}

static bool hasCalls(const Block *Body) {
  for (const Node *N : Body->nodes()) {
    if (inlinableCallee(N))
      return true;
    for (const Block *Inner : N->blocks())
      if (hasCalls(Inner))
        return true;
    if (const Graph *Forked = forkedGraph(N);
        Forked && hasCalls(Forked->block()))
      return true;
  }
  return false;
}

bool hasCalls(const c10::ClassTypePtr &Root) {
  for (const OwnedFunction &F : ownFunctions(Root)) {
    GraphFunction *Kept = keptOriginal(*Root, F.Function->name());
    if (hasCalls((Kept ? Kept : F.Function)->graph()->block()))
      return true;
  }
  return false;
}

/// The classes of the model's modules, each once, in the modules' order.
static std::vector<c10::ClassTypePtr> classesOf(const Module &Root) {
  std::vector<c10::ClassTypePtr> Classes;
  for (const Module &Part : Root.modules())
    if (std::none_of(
            Classes.begin(), Classes.end(),
            [&](const c10::ClassTypePtr &C) { return C == Part.type(); }))
      Classes.push_back(Part.type());
  return Classes;
}

std::vector<OwnedFunction> keptFunctions(const Module &Root) {
  std::vector<OwnedFunction> Found;
  for (const c10::ClassTypePtr &Class : classesOf(Root))
    for (Function *F : Class->methods())
      if (GraphFunction *G = asGraph(F); G && isKept(F->name()))
        Found.push_back({G, Class, ""});
  sortByName(Found);
  return Found;
}

GraphFunction *findFunction(const c10::ClassType &Class,
                            const std::string &Name) {
  for (Function *F : allFunctions(Class))
    if (F->name() == Name)
      return asGraph(F);
  return nullptr;
}

GraphFunction *keptOriginal(const c10::ClassType &Class,
                            const std::string &Name) {
  return asGraph(Class.findMethod(OriginalPrefix + Name));
}

std::vector<Module> instancesOf(const Module &Root,
                                const c10::ClassTypePtr &Class) {
  std::vector<Module> Found;
  // A module comes once for each path to it.
  for (const Module &Part : Root.modules())
    if (Part.type() == Class &&
        std::none_of(Found.begin(), Found.end(), [&](const Module &Known) {
          return Known._ivalue() == Part._ivalue();
        }))
      Found.push_back(Part);
  return Found;
}

namespace {

/// Follows calls through functions and collects what is called through
/// interfaces. Every function is visited once.
class InterfaceCalls {
public:
  explicit InterfaceCalls(const std::vector<NamedClass> &Parts)
      : Parts(Parts) {}

  void visit(GraphFunction &F) {
    if (Visited.insert(&F).second)
      visit(F.graph()->block());
  }

  std::vector<OwnedFunction> Found;

private:
  void visit(Block *Body) {
    for (Node *N : Body->nodes()) {
      if (N->kind() == prim::CallMethod)
        visitCall(N);
      else if (N->kind() == prim::CallFunction)
        if (auto Type = N->input(0)->type()->cast<c10::FunctionType>())
          if (GraphFunction *F = asGraph(Type->function()))
            visit(*F);
      for (Block *Inner : N->blocks())
        visit(Inner);
      if (Graph *Forked = forkedGraph(N))
        visit(Forked->block());
    }
  }

  void visitCall(Node *N) {
    const std::string &Name = N->s(attr::name);
    c10::TypePtr Type = N->input(0)->type();
    if (auto Class = Type->cast<c10::ClassType>()) {
      if (GraphFunction *F = asGraph(Class->findMethod(Name)))
        visit(*F);
      return;
    }
    for (const NamedClass &Part : Parts)
      if (Part.Class->isSubtypeOf(*Type))
        if (GraphFunction *F = asGraph(Part.Class->findMethod(Name))) {
          add(*F, Part.Class);
          visit(*F);
        }
  }

  void add(GraphFunction &F, const c10::ClassTypePtr &Class) {
    if (!Added.insert(&F).second)
      return;
    std::string Paths("(");
    size_t Count = 0;
    for (const NamedClass &Part : Parts)
      if (Part.Class == Class)
        Paths.append(Count++ ? "|" : "").append(Part.Path);
    Found.push_back({&F, Class, Count == 1 ? Paths.substr(1) : Paths + ")"});
  }

  const std::vector<NamedClass> &Parts;
  std::unordered_set<GraphFunction *> Visited, Added;
};

} // namespace

std::vector<OwnedFunction>
interfaceFunctions(const std::vector<NamedClass> &Parts,
                   const std::vector<OwnedFunction> &From) {
  InterfaceCalls Calls(Parts);
  for (const OwnedFunction &F : From)
    Calls.visit(*F.Function);
  std::erase_if(Calls.Found, [&](const OwnedFunction &Candidate) {
    return std::any_of(From.begin(), From.end(), [&](const OwnedFunction &F) {
      return F.Function == Candidate.Function;
    });
  });
  sortByName(Calls.Found);
  return std::move(Calls.Found);
}

std::vector<NamedClass> namedClasses(const Module &Root) {
  std::vector<NamedClass> Parts;
  for (const auto &Part : Root.named_modules())
    Parts.push_back({Part.name, Part.value.type()});
  return Parts;
}

MethodGraph describeFunction(const OwnedFunction &F,
                             std::shared_ptr<Graph> Body) {
  MethodGraph Method;
  Method.Name = F.Function->name();
  const auto &Arguments = F.Function->getSchema().arguments();
  for (size_t I = 1; I < Arguments.size(); ++I)
    Method.Signature += (I > 1 ? ", " : "") + Arguments[I].name();
  if (F.Class->name())
    Method.Class = F.Class->name()->name();
  Method.Instance = F.Instance;
  Method.Owner = F.Class;
  Method.Body = std::move(Body);
  return Method;
}

} // namespace torchprof
