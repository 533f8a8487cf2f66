//===- GraphRun.h - what a graph computes -----------------------*- C++ -*-===//

#ifndef TORCHPROF_FUZZ_GRAPHRUN_H
#define TORCHPROF_FUZZ_GRAPHRUN_H

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <vector>

namespace torchprof::fuzz {

struct RunResult {
  bool Threw = false;
  std::vector<c10::IValue> Inputs; ///< after the run
  std::vector<c10::IValue> Outputs;
};

/// Interprets \p Body as it is, forks at once and on this thread. Ends the
/// process if a probe's end does not close the span that was begun last, or if
/// a span is open after a run without an exception.
RunResult runGraph(const std::shared_ptr<torch::jit::Graph> &Body,
                   std::vector<c10::IValue> Inputs);

/// True if LibTorch's interpreter may lose a value that \p Body still needs. A
/// node whose only output is used once can run in the middle of that use, after
/// inputs that come first are loaded. If its blocks use such an input, the use
/// in the block is taken for the last one, which moves the value away: in a
/// loop, the next turn finds none. With a probe between the two the node runs
/// before, and nothing is lost.
bool mayLoseValues(const torch::jit::Graph &Body);

} // namespace torchprof::fuzz

#endif // TORCHPROF_FUZZ_GRAPHRUN_H
