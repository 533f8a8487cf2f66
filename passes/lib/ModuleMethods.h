//===- ModuleMethods.h - the functions of a module's root -------*- C++ -*-===//
//
// What is instrumented and stripped: the methods of the root's class, and its
// hooks, which are functions of their own that Module::operator() runs.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PASSES_MODULEMETHODS_H
#define TORCHPROF_PASSES_MODULEMETHODS_H

#include "Compat.h"
#include "torchprof/Passes.h"

#include <torch/csrc/jit/api/module.h>

namespace torchprof {

/// Methods and hooks of \p Root that hold the model's own code, sorted by
/// name; state methods and the kept originals are not among them.
std::vector<torch::jit::GraphFunction *>
ownFunctions(const torch::jit::Module &Root);

/// The reserved methods that keep originals, sorted by name.
std::vector<torch::jit::GraphFunction *>
keptFunctions(const torch::jit::Module &Root);

/// \p F as a graph to work on; \p Body is \p F's own graph or a copy of it.
MethodGraph describeFunction(torch::jit::GraphFunction &F,
                             const torch::jit::Module &Root,
                             std::shared_ptr<torch::jit::Graph> Body);

} // namespace torchprof

#endif // TORCHPROF_PASSES_MODULEMETHODS_H
