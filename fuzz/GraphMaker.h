//===- GraphMaker.h - a well-typed graph for every input --------*- C++ -*-===//
//
// LibTorch's parser of graphs and its loader of archives crash on garbage by
// themselves, so the passes are not fuzzed through them. The bytes of an input
// decide instead what LibTorch's own functions for making graphs are asked for:
// operators on tensors, numbers, lists and tuples, control flow, forks, and
// calls of functions and of modules' methods.
//
// The graphs are also safe to run: every loop has at most three trips, and no
// operator makes a tensor that is larger than its operands. They may raise an
// exception when they run.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FUZZ_GRAPHMAKER_H
#define TORCHPROF_FUZZ_GRAPHMAKER_H

#include "Choices.h"

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <vector>

namespace torchprof::fuzz {

struct MadeGraph {
  std::shared_ptr<torch::jit::CompilationUnit> Unit; ///< owns what is called
  std::shared_ptr<torch::jit::Graph> Body;
  c10::ClassTypePtr Self; ///< of the first input; null if it is not a module
  bool HasForks = false;  ///< the parser of graphs does not know them
};

MadeGraph makeGraph(Choices &From);

/// Values for the graph's inputs, new ones each time and always the same.
std::vector<c10::IValue> makeInputs(const MadeGraph &Made);

} // namespace torchprof::fuzz

#endif // TORCHPROF_FUZZ_GRAPHMAKER_H
