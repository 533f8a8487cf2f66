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
}

namespace torchprof {

/// Tags the nodes of \p Body that stand in the place of a tagged node.
void tagReplacedNodes(torch::jit::Graph &Body);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_REPLACEDNODES_H
