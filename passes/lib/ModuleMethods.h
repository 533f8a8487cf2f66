//===- ModuleMethods.h - the functions of a model ---------------*- C++ -*-===//
//
// What is instrumented and stripped: the methods of the root's class; its
// hooks, which are functions of their own that Module::operator() runs; and
// the methods of submodules that are called through an interface type, which
// cannot be inlined and so become roots of their own, one per class.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PASSES_MODULEMETHODS_H
#define TORCHPROF_PASSES_MODULEMETHODS_H

#include "Compat.h"
#include "torchprof/Passes.h"

#include <torch/csrc/jit/api/module.h>

namespace torchprof {

/// A function and the class that owns it.
struct OwnedFunction {
  torch::jit::GraphFunction *Function = nullptr;
  c10::ClassTypePtr Class;
  /// Where the class stands in the model: "" for the root, the path of its one
  /// instance, or "(a|b)" for several, because a graph does not say which one
  /// runs.
  std::string Instance;
};

/// Methods and hooks of \p Class.
std::vector<torch::jit::Function *> allFunctions(const c10::ClassType &Class);

/// Methods and hooks of the root that hold the model's own code, sorted by
/// name; state methods and kept originals are not among them.
std::vector<OwnedFunction> ownFunctions(const torch::jit::Module &Root);

/// Methods of submodules that \p From call through an interface, directly or
/// not, sorted by class and name. None of \p From is among them.
std::vector<OwnedFunction>
interfaceFunctions(const torch::jit::Module &Root,
                   const std::vector<OwnedFunction> &From);

/// The reserved methods that keep originals, in all classes of the model.
std::vector<OwnedFunction> keptFunctions(const torch::jit::Module &Root);

/// The function of \p Class, a hook perhaps, that \p Name stands for, or null.
torch::jit::GraphFunction *findFunction(const c10::ClassType &Class,
                                        const std::string &Name);

/// All module objects of the model whose class is \p Class, the root among
/// them.
std::vector<torch::jit::Module> instancesOf(const torch::jit::Module &Root,
                                            const c10::ClassTypePtr &Class);

/// \p F as a graph to work on; \p Body is its own graph or a copy of it.
MethodGraph describeFunction(const OwnedFunction &F,
                             std::shared_ptr<torch::jit::Graph> Body);

} // namespace torchprof

#endif // TORCHPROF_PASSES_MODULEMETHODS_H
