//===- InstrumentModule.cpp - instrument the methods of a model -----------===//
//
// All methods are inlined first, then all are numbered, then all rewritten: a
// method that another one calls must not be rewritten in between. The code as
// it was stays in the file under a reserved name, because saving an inlined
// method loses the call stacks for good.
//
//===----------------------------------------------------------------------===//

#include "ManifestObject.h"
#include "ModuleMethods.h"
#include "torchprof/StepTimer.h"

#include <algorithm>
#include <cstring>

namespace torchprof {

using namespace torch::jit;

/// The functions to instrument, in their order. Throws if a name is unknown.
static std::vector<OwnedFunction>
chooseFunctions(const Module &Root, const std::vector<std::string> &Names) {
  std::vector<OwnedFunction> Chosen = ownFunctions(Root);
  if (Chosen.empty())
    throw InstrumentError("expected a model with at least one method, found "
                          "none: script or trace a module with a forward");
  std::string Known;
  for (const OwnedFunction &F : Chosen)
    Known += (Known.empty() ? "" : ", ") + F.Function->name();
  auto Stands = [](const std::string &Name) {
    return
        [&Name](const OwnedFunction &F) { return F.Function->name() == Name; };
  };
  for (const std::string &Name : Names)
    if (std::none_of(Chosen.begin(), Chosen.end(), Stands(Name)))
      throw InstrumentError("expected a method out of " + Known + ", found '" +
                            Name + "'");
  if (!Names.empty())
    std::erase_if(Chosen, [&](const OwnedFunction &F) {
      return std::find(Names.begin(), Names.end(), F.Function->name()) ==
             Names.end();
    });
  auto Reached = interfaceFunctions(Root, Chosen);
  Chosen.insert(Chosen.end(), Reached.begin(), Reached.end());
  return Chosen;
}

static void refuseUnfit(const Module &Root) {
  auto Class = Root.type();
  if (Class->findAttribute(ManifestAttribute) || !keptFunctions(Root).empty())
    throw InstrumentError("expected a model without probes, found one that is "
                          "instrumented already: remove them with --strip");
  if (Class->findMethod("__getstate__") || Class->findMethod("__setstate__"))
    throw InstrumentError(
        "expected a model whose root has no __getstate__ or __setstate__, "
        "found one: it cannot carry the manifest; wrap it in a module that "
        "calls it");
  for (const Module &Part : Root.modules())
    if (Part.type()->findAttribute("__backend"))
      throw InstrumentError(
          "expected a model of TorchScript code, found a module lowered to a "
          "backend (" +
          (Part.type()->name() ? Part.type()->name()->name() : "?") +
          "): instrument before lowering");
}

/// 43 bits over the code and the site table; weights do not count.
static uint64_t hashModel(const std::vector<MethodGraph> &Methods,
                          const Manifest &Table) {
  uint64_t Hash = hashText(printManifest(Table));
  for (const MethodGraph &Method : Methods)
    Hash =
        hashText(Method.Body->toString(/*print_source_locations=*/false), Hash);
  // Fold, so that no bit of the hash is without influence.
  Hash = (Hash ^ (Hash >> 43)) & ((uint64_t(1) << 43) - 1);
  return Hash ? Hash : 1;
}

static SiteNumbering numberAll(const std::vector<MethodGraph> &Methods,
                               ScopeMap Scopes, const SiteOptions &Options,
                               StepTimer &Timer) {
  Manifest Table;
  Table.Producer = "torchprof-opt " TORCHPROF_VERSION;
  Timer.begin("inline calls");
  for (const MethodGraph &Method : Methods)
    inlineCalls(Method, Table, Scopes);
  Timer.begin("number sites");
  SiteNumbering Numbering =
      numberSites(Methods, std::move(Table), Scopes, Options);
  Timer.begin("hash the model");
  Numbering.Table.ModelId = hashModel(Methods, Numbering.Table);
  return Numbering;
}

/// Keeps the code of \p F as a method of its own and returns its graph.
static std::shared_ptr<Graph> keepOriginal(const OwnedFunction &F) {
  c10::QualifiedName Name(*F.Class->name(),
                          OriginalPrefix + F.Function->name());
  auto Original = F.Function->graph()->copy();
  Function *Kept = F.Class->compilation_unit()->create_function(Name, Original);
  Kept->setSchema(F.Function->getSchema().cloneWithName(Name.name(), ""));
  F.Class->addMethod(Kept);
  return Original;
}

SiteNumbering numberModule(const Module &Root, const SiteOptions &Options,
                           const std::vector<std::string> &MethodNames) {
  refuseUnfit(Root);
  std::vector<MethodGraph> Methods;
  for (const OwnedFunction &F : chooseFunctions(Root, MethodNames))
    Methods.push_back(describeFunction(F, F.Function->graph()->copy()));
  std::vector<StepTime> Times;
  StepTimer Timer(Times);
  return numberAll(Methods, {}, Options, Timer);
}

InstrumentResult instrumentModule(Module &Root, const SiteOptions &Options,
                                  const std::vector<std::string> &MethodNames) {
  refuseUnfit(Root);
  std::vector<MethodGraph> Methods;
  ScopeMap Scopes;
  auto Functions = chooseFunctions(Root, MethodNames);
  for (const OwnedFunction &F : Functions) {
    // Methods call each other: what is inlined must be the code as it was.
    Scopes.OriginalOf[F.Function->graph().get()] = keepOriginal(F);
    Methods.push_back(describeFunction(F, F.Function->graph()));
  }
  InstrumentResult Result;
  StepTimer Timer(Result.Times);
  Result.Methods = Methods.size();
  Result.Numbering = numberAll(Methods, std::move(Scopes), Options, Timer);
  Timer.begin("write the manifest");
  setManifest(Root, carriersOf(Root), Result.Numbering.Table);
  Timer.begin("insert probes");
  insertProbes(Result.Numbering, /*WithManifest=*/true);
  Timer.finish();
  for (const OwnedFunction &F : Functions)
    F.Function->clear_optimized_graphs();
  return Result;
}

void replaceManifest(Module &Root, const Manifest &Table) {
  setManifest(Root, carriersOf(Root), Table);
}

std::vector<MethodGraph> instrumentedMethods(const Module &Root) {
  std::vector<MethodGraph> Methods;
  for (const OwnedFunction &Kept : keptFunctions(Root)) {
    std::string Name = Kept.Function->name().substr(strlen(OriginalPrefix));
    if (GraphFunction *F = findFunction(*Kept.Class, Name))
      Methods.push_back(
          describeFunction({F, Kept.Class, Kept.Instance}, F->graph()));
  }
  return Methods;
}

} // namespace torchprof
