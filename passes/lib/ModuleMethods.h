//===- ModuleMethods.h - the functions of a model ---------------*- C++ -*-===//
//
// Finds the functions to instrument and to strip: the methods of the root's
// class; its hooks, which only Module::operator() runs; and the methods of
// submodules that are called through an interface type, which cannot be inlined
// and become roots of their own, one per class.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PASSES_MODULEMETHODS_H
#define TORCHPROF_PASSES_MODULEMETHODS_H

#include "torchprof/GraphAccess.h"
#include "torchprof/Passes.h"

#include <torch/csrc/jit/api/module.h>

namespace torchprof {

/// A function and the class that owns it.
struct OwnedFunction {
  torch::jit::GraphFunction *Function = nullptr;
  c10::ClassTypePtr Class;
  /// Path of the instance in the model: "" for the root, or "(a|b)" if the
  /// class has several and the graph does not say which one runs.
  std::string Instance;
};

/// Methods and hooks of \p Class.
std::vector<torch::jit::Function *> allFunctions(const c10::ClassType &Class);

/// Methods and hooks of the root's class, sorted by name, without state methods
/// and kept originals.
std::vector<OwnedFunction> ownFunctions(const c10::ClassTypePtr &Root);

/// Methods of the modules \p Parts of a model that \p From call through an
/// interface, directly or not, without those in \p From; sorted by class and
/// name.
std::vector<OwnedFunction>
interfaceFunctions(const std::vector<NamedClass> &Parts,
                   const std::vector<OwnedFunction> &From);

/// True if one of these calls something that can be inlined, or did before it
/// was instrumented.
bool hasCalls(const c10::ClassTypePtr &Root);

/// The reserved methods that keep the originals, in all classes of the model.
std::vector<OwnedFunction> keptFunctions(const torch::jit::Module &Root);

/// The original that \p Class keeps of a method or hook, or null.
torch::jit::GraphFunction *keptOriginal(const c10::ClassType &Class,
                                        const std::string &Name);

/// The method or hook of \p Class with this name, or null.
torch::jit::GraphFunction *findFunction(const c10::ClassType &Class,
                                        const std::string &Name);

/// All modules of the model, root included, whose class is \p Class.
std::vector<torch::jit::Module> instancesOf(const torch::jit::Module &Root,
                                            const c10::ClassTypePtr &Class);

/// \p F as a graph to work on; \p Body is its own graph or a copy of it.
MethodGraph describeFunction(const OwnedFunction &F,
                             std::shared_ptr<torch::jit::Graph> Body);

} // namespace torchprof

#endif // TORCHPROF_PASSES_MODULEMETHODS_H
