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

} // namespace torchprof::fuzz

#endif // TORCHPROF_FUZZ_GRAPHRUN_H
