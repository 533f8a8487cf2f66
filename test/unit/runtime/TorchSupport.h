//===- TorchSupport.h - graphs with probes, run in children -----*- C++ -*-===//

#ifndef TORCHPROF_TORCHSUPPORT_H
#define TORCHPROF_TORCHSUPPORT_H

#include "TestSupport.h"

#include <torch/csrc/jit/ir/ir.h>

#include <functional>
#include <memory>
#include <string>

namespace torchprof::test {

/// Runs \p Body in a child with its profile in \p File and no grad mode.
void recordTorch(const std::string &File, const std::function<void()> &Body);

/// Makes a torchprof.Manifest object as loading a model does.
c10::IValue makeManifest(const std::string &Text);

/// Reads a graph's text, in which `@N` stands for a constant with the number
/// of site N of model 7: "  begin %b1 @1", "  end %b1 @1" are a pair, "  enter"
/// and "  leave" the pair of site 0.
std::shared_ptr<torch::jit::Graph> probed(const std::string &Text);

/// A graph of model 7 whose one node, aten::relu, has a pair of site 1. Its
/// inputs are a manifest and a tensor.
std::shared_ptr<torch::jit::Graph> probedRelu();

/// The text of a graph of one input and one output with this body.
std::string graphText(const std::string &Body, const std::string &Result);

/// Runs LibTorch's registered post passes, ours among them.
void runPostPasses(std::shared_ptr<torch::jit::Graph> &G);

/// Number of nodes of a kind, in all blocks.
unsigned countKind(const torch::jit::Graph &G, const std::string &Kind);

/// Runs the graph as it is, without an executor's optimizations.
std::vector<c10::IValue> interpret(const std::shared_ptr<torch::jit::Graph> &G,
                                   std::vector<c10::IValue> Inputs);

} // namespace torchprof::test

#endif // TORCHPROF_TORCHSUPPORT_H
