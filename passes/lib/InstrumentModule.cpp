//===- InstrumentModule.cpp - instrument the methods of a model -----------===//
//
// All methods are inlined first, then all are numbered, then all rewritten: a
// method that another one calls must not be rewritten in between. The original
// code stays in the file under a reserved name, because saving an inlined
// method loses the call stacks for good.
//
// LibTorch's importer simplifies the code that it reads and can remove a node
// from between its probes. Which ones is known only after saving and loading.
//
//===----------------------------------------------------------------------===//

#include "LostNames.h"
#include "ManifestObject.h"
#include "ModelIdentity.h"
#include "ModuleMethods.h"
#include "ProbeOps.h"
#include "torchprof/StepTimer.h"

#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cstring>
#include <sstream>

namespace torchprof {

using namespace torch::jit;

/// The functions to instrument, in the order of their sites, of a model with
/// the modules \p Parts. Throws if a name is unknown.
static std::vector<OwnedFunction>
chooseFunctions(const c10::ClassTypePtr &Class,
                const std::vector<NamedClass> &Parts,
                const std::vector<std::string> &Names) {
  std::vector<OwnedFunction> Chosen = ownFunctions(Class);
  if (Chosen.empty())
    throw InstrumentError("the model has no method to instrument: script or "
                          "trace a module with a forward");
  std::string Known;
  for (const OwnedFunction &F : Chosen)
    Known += (Known.empty() ? "" : ", ") + F.Function->name();
  auto Stands = [](const std::string &Name) {
    return
        [&Name](const OwnedFunction &F) { return F.Function->name() == Name; };
  };
  for (const std::string &Name : Names)
    if (std::none_of(Chosen.begin(), Chosen.end(), Stands(Name)))
      throw InstrumentError("there is no method '" + Name +
                            "'; the model has " + Known);
  if (!Names.empty())
    std::erase_if(Chosen, [&](const OwnedFunction &F) {
      return std::find(Names.begin(), Names.end(), F.Function->name()) ==
             Names.end();
    });
  auto Reached = interfaceFunctions(Parts, Chosen);
  Chosen.insert(Chosen.end(), Reached.begin(), Reached.end());
  return Chosen;
}

static bool hasStateMethod(const c10::ClassType &Class) {
  return Class.findMethod("__getstate__") || Class.findMethod("__setstate__");
}

static std::string nameOf(const c10::ClassType &Class) {
  return Class.name() ? Class.name()->name() : std::string();
}

/// The class of each of \p Functions gets the manifest as an attribute, which
/// state methods would neither save nor load.
static void refuseUnfit(const std::vector<OwnedFunction> &Functions) {
  for (const OwnedFunction &F : Functions)
    if (hasStateMethod(*F.Class))
      throw InstrumentError("the module " + nameOf(*F.Class) +
                            " is called through an interface and has "
                            "__getstate__ or __setstate__, so it cannot carry "
                            "the manifest; wrap it in a module that calls it");
}

/// A wrapper's part has its manifest, which the wrapper has not.
static void refuseInstrumentedParts(const Module &Root) {
  if (Root.hasattr(ManifestAttribute))
    return;
  for (const auto &Part : Root.named_modules())
    if (Part.value.hasattr(ManifestAttribute))
      throw InstrumentError("the submodule '" + Part.name +
                            "' was instrumented before it was wrapped; wrap "
                            "its original, or strip its file first");
}

void refuseStrayProbes(const Module &Root) {
  refuseInstrumentedParts(Root);
  std::vector<OwnedFunction> Own = ownFunctions(Root.type());
  if (keptFunctions(Root).empty() &&
      std::any_of(Own.begin(), Own.end(), [](const OwnedFunction &F) {
        return ops::hasProbes(F.Function->graph()->block());
      }))
    throw InstrumentError("the model was instrumented and then frozen, which "
                          "removed its original; use the file from before");
}

static void refuseUnfit(const Module &Root) {
  refuseStrayProbes(Root);
  auto Class = Root.type();
  if (Class->findAttribute(ManifestAttribute) || !keptFunctions(Root).empty())
    throw InstrumentError("the model is instrumented already; torchprof-opt "
                          "--strip removes the probes");
  if (hasStateMethod(*Class))
    throw InstrumentError("a root with __getstate__ or __setstate__ cannot "
                          "carry the manifest; wrap it in a module that calls "
                          "it");
  for (const Module &Part : Root.modules())
    if (Part.type()->findAttribute("__backend"))
      throw InstrumentError("the module " + nameOf(*Part.type()) +
                            " was lowered to a backend; instrument before "
                            "lowering");
}

/// \p FallbackName is the model's name if the options give none.
static SiteNumbering numberAll(const std::vector<MethodGraph> &Methods,
                               ScopeMap Scopes,
                               const InstrumentOptions &Options,
                               const std::string &FallbackName,
                               StepTimer &Timer) {
  Manifest Table;
  Table.Producer = "torchprof " TORCHPROF_VERSION;
  Table.Options = manifestOptions(Options);
  Table.ModelName =
      Options.ModelName.empty() ? FallbackName : Options.ModelName;
  Timer.begin("inline calls");
  for (const MethodGraph &Method : Methods)
    inlineCalls(Method, Table, Scopes);
  Timer.begin("number sites");
  SiteNumbering Numbering =
      numberSites(Methods, std::move(Table), Scopes, Options);
  Timer.begin("hash the model");
  Numbering.Table.ModelId = modelIdentity(Methods, Numbering.Table, Options);
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

static NumberedMethods numberMethods(std::vector<MethodGraph> Methods,
                                     ScopeMap Scopes,
                                     const InstrumentOptions &Options,
                                     const std::string &FallbackName) {
  std::vector<StepTime> Times;
  StepTimer Timer(Times);
  NumberedMethods Result;
  Result.Methods = std::move(Methods);
  Result.Numbering = numberAll(Result.Methods, std::move(Scopes), Options,
                               FallbackName, Timer);
  return Result;
}

NumberedMethods numberMethods(std::vector<MethodGraph> Methods,
                              const InstrumentOptions &Options,
                              const std::string &FallbackName) {
  return numberMethods(std::move(Methods), ScopeMap(), Options, FallbackName);
}

/// Numbers the functions of a class. \p BodyOf gives the graph of one, null if
/// it is left out.
template <typename GraphOfFunction>
static NumberedMethods numberFunctions(const c10::ClassTypePtr &Class,
                                       const std::vector<NamedClass> &Parts,
                                       const InstrumentOptions &Options,
                                       GraphOfFunction BodyOf) {
  std::vector<MethodGraph> Methods;
  ScopeMap Scopes;
  Scopes.HasCalls = hasCalls(Class);
  for (const OwnedFunction &F : chooseFunctions(Class, Parts, Options.Methods))
    if (std::shared_ptr<Graph> Body = BodyOf(F, Scopes))
      Methods.push_back(describeFunction(F, Body->copy()));
  return numberMethods(std::move(Methods), std::move(Scopes), Options,
                       nameOf(*Class));
}

NumberedMethods numberClass(const std::shared_ptr<c10::ClassType> &Class,
                            const std::vector<NamedClass> &Parts,
                            const InstrumentOptions &Options) {
  return numberFunctions(
      Class, Parts, Options,
      [](const OwnedFunction &F, ScopeMap &) { return F.Function->graph(); });
}

NumberedMethods numberOriginals(const c10::ClassTypePtr &Class,
                                const std::vector<NamedClass> &Parts,
                                const InstrumentOptions &Options) {
  return numberFunctions(
      Class, Parts, Options,
      [](const OwnedFunction &F, ScopeMap &Scopes) -> std::shared_ptr<Graph> {
        GraphFunction *Kept = keptOriginal(*F.Class, F.Function->name());
        if (!Kept)
          return nullptr;
        Scopes.OriginalOf[F.Function->graph().get()] = Kept->graph();
        return Kept->graph();
      });
}

SiteNumbering numberModule(const Module &Root,
                           const InstrumentOptions &Options) {
  refuseUnfit(Root);
  return numberClass(Root.type(), namedClasses(Root), Options).Numbering;
}

/// Rewrites the methods of \p Root. Its manifest stays blank, because the
/// runtime registers the first text that it sees.
static InstrumentResult rewrite(Module &Root,
                                const InstrumentOptions &Options) {
  refuseUnfit(Root);
  std::vector<MethodGraph> Methods;
  ScopeMap Scopes;
  Scopes.HasCalls = hasCalls(Root.type());
  auto Functions =
      chooseFunctions(Root.type(), namedClasses(Root), Options.Methods);
  refuseUnfit(Functions);
  for (const OwnedFunction &F : Functions) {
    // Methods call each other: calls are inlined from the original code.
    Scopes.OriginalOf[F.Function->graph().get()] = keepOriginal(F);
    Methods.push_back(describeFunction(F, F.Function->graph()));
  }
  InstrumentResult Result;
  StepTimer Timer(Result.Times);
  Result.Methods = Methods.size();
  Result.Numbering = numberAll(Methods, std::move(Scopes), Options,
                               nameOf(*Root.type()), Timer);
  Timer.begin("insert probes");
  setManifest(Root, carriersOf(Root), "");
  insertProbes(Result.Numbering, /*WithManifest=*/true);
  for (const OwnedFunction &F : Functions)
    F.Function->clear_optimized_graphs();
  return Result;
}

/// Flags the sites of \p Table that \p Reloaded lost. Returns their number.
static uint64_t flagVanished(const std::vector<MethodGraph> &Reloaded,
                             Manifest &Table) {
  std::vector<bool> Present(Table.Sites.size());
  for (uint32_t Index : sitesIn(Reloaded))
    if (Index < Present.size())
      Present[Index] = true;
  uint64_t Vanished = 0;
  for (size_t I = 0; I < Present.size(); ++I)
    if (!Present[I]) {
      Table.Sites[I].Flags |= SF_Vanished;
      ++Vanished;
    }
  return Vanished;
}

InstrumentResult instrumentAndReload(Module &Root,
                                     const InstrumentOptions &Options,
                                     Module &Reloaded) {
  InstrumentResult Result = rewrite(Root, Options);
  Manifest &Table = Result.Numbering.Table;
  StepTimer Timer(Result.Times);
  Timer.begin("save");
  std::stringstream Archive;
  Root.save(Archive);
  Timer.begin("load again");
  Reloaded = load(Archive);
  Timer.begin("look for what vanished");
  std::vector<MethodGraph> Methods = instrumentedMethods(Reloaded);
  Result.Vanished = flagVanished(Methods, Table);
  addLostNames(Root, Reloaded, Table);
  std::string Text = printManifest(Table);
  setManifest(Root, carriersOf(Root), Text);
  setManifest(Reloaded, carriersOf(Reloaded), Text);
  Timer.begin("verify probes");
  Result.Problems = verifyProbes(Methods, &Table);
  Timer.finish();
  return Result;
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
