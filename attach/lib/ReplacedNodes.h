//===- ReplacedNodes.h - nodes that autodiff put in others' place -*- C++ -*-=//
//
// LibTorch differentiates some operators (layer_norm, dropout, linear, pooling)
// by scripts of its own: in a differentiable graph their nodes make room for
// the script's, which have no tags. The script names the operator, and the tags
// around say between which sites it stood.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_REPLACEDNODES_H
#define TORCHPROF_ATTACH_REPLACEDNODES_H

namespace torch::jit {
struct Graph;
struct Node;
} // namespace torch::jit

namespace torchprof {

/// True for a node that comes from one of LibTorch's scripts: in the place of
/// another one, or in addition to it, for what backward has to know.
bool isOfAutodiff(const torch::jit::Node *N);

/// Tags the nodes of \p Body that stand in the place of a tagged node.
void tagReplacedNodes(torch::jit::Graph &Body);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_REPLACEDNODES_H
