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

#include <algorithm>

namespace torchprof {

using namespace torch::jit;

/// The functions to instrument, in their order. Throws if a name is unknown.
static std::vector<GraphFunction *>
chooseFunctions(const Module &Root, const std::vector<std::string> &Names) {
  std::vector<GraphFunction *> All = ownFunctions(Root);
  if (All.empty())
    throw InstrumentError("expected a model with at least one method, found "
                          "none: script or trace a module with a forward");
  if (Names.empty())
    return All;
  std::string Known;
  for (GraphFunction *F : All)
    Known += (Known.empty() ? "" : ", ") + F->name();
  for (const std::string &Name : Names)
    if (std::none_of(All.begin(), All.end(),
                     [&](GraphFunction *F) { return F->name() == Name; }))
      throw InstrumentError("expected a method out of " + Known + ", found '" +
                            Name + "'");
  std::erase_if(All, [&](GraphFunction *F) {
    return std::find(Names.begin(), Names.end(), F->name()) == Names.end();
  });
  return All;
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
                               const SiteOptions &Options) {
  Manifest Table;
  ScopeMap Scopes;
  Table.Producer = "torchprof-opt " TORCHPROF_VERSION;
  for (const MethodGraph &Method : Methods)
    inlineCalls(Method, Table, Scopes);
  SiteNumbering Numbering =
      numberSites(Methods, std::move(Table), Scopes, Options);
  Numbering.Table.ModelId = hashModel(Methods, Numbering.Table);
  return Numbering;
}

static void keepOriginal(GraphFunction &F, const Module &Root) {
  auto Class = Root.type();
  c10::QualifiedName Name(*Class->name(), OriginalPrefix + F.name());
  Function *Kept =
      Class->compilation_unit()->create_function(Name, F.graph()->copy());
  Kept->setSchema(F.getSchema().cloneWithName(Name.name(), ""));
  Class->addMethod(Kept);
}

SiteNumbering numberModule(const Module &Root, const SiteOptions &Options,
                           const std::vector<std::string> &MethodNames) {
  refuseUnfit(Root);
  std::vector<MethodGraph> Methods;
  for (GraphFunction *F : chooseFunctions(Root, MethodNames))
    Methods.push_back(describeFunction(*F, Root, F->graph()->copy()));
  return numberAll(Methods, Options);
}

InstrumentResult instrumentModule(Module &Root, const SiteOptions &Options,
                                  const std::vector<std::string> &MethodNames) {
  refuseUnfit(Root);
  std::vector<MethodGraph> Methods;
  auto Functions = chooseFunctions(Root, MethodNames);
  for (GraphFunction *F : Functions) {
    keepOriginal(*F, Root);
    Methods.push_back(describeFunction(*F, Root, F->graph()));
  }
  InstrumentResult Result;
  Result.Methods = Methods.size();
  Result.Numbering = numberAll(Methods, Options);
  addManifest(Root, Result.Numbering.Table);
  insertProbes(Result.Numbering, /*WithManifest=*/true);
  for (GraphFunction *F : Functions)
    F->clear_optimized_graphs();
  return Result;
}

std::vector<MethodGraph> instrumentedMethods(const Module &Root) {
  std::vector<MethodGraph> Methods;
  for (GraphFunction *F : ownFunctions(Root))
    Methods.push_back(describeFunction(*F, Root, F->graph()));
  return Methods;
}

} // namespace torchprof
