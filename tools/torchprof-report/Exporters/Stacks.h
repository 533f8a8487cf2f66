//===- Stacks.h - sites as stacks with weights ------------------*- C++ -*-===//
//
// The stacks of flame graphs: the method, the modules that lead to the node,
// the node: "forward", "layer1(Sequential)", "0(BasicBlock)", "conv1(Conv2d)",
// "aten::conv2d". Asynchronous nodes stand under "(asynchronous)". A gradient
// stands on its node, as "backward": so each module has a forward and a
// backward part. Those of nothing in a model stand under "backward", by their
// names.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_STACKS_H
#define TORCHPROF_REPORT_STACKS_H

#include "Exporter.h"

namespace torchprof::report {

/// The sites that have a stack, in the order of execution: all but regions, a
/// node's gradients behind it, at last gradients of nothing in a model.
std::vector<uint32_t> sitesWithStacks(const ExportInput &In);

/// Frames of a site, outermost first. Just the method's for its root.
std::vector<std::string> stackOf(const SiteTable &Sites, uint32_t S);

struct WeightedStack {
  std::vector<std::string> Frames; ///< outermost first
  uint64_t Weight = 0;             ///< as ExportInput::StackWeight, more than 0
  uint32_t Site = 0;               ///< the first with this stack
};

/// The distinct stacks of these sites, in their order.
std::vector<WeightedStack> foldStacks(const ExportInput &In);

/// A stack as a tree, for viewers that take one.
struct StackTree {
  std::string Name;
  uint64_t Weight = 0; ///< with the children's
  std::vector<StackTree> Children;
};

/// All stacks under one root called \p Name.
StackTree stackTree(llvm::ArrayRef<WeightedStack> Stacks, llvm::StringRef Name);

/// The tree of what is exported, under its title; a single method needs no root
/// above it.
StackTree flameTree(const ExportInput &In);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_STACKS_H
