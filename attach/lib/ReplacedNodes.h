//===- ReplacedNodes.h - nodes of scripts in others' place ------*- C++ -*-===//
//
// LibTorch differentiates some operators (layer_norm, dropout, linear, pooling)
// by scripts of its own, and decomposes some (addmm) by others: their nodes
// make room for the script's, which have no tags. The script names the
// operator, and the tags around say between which sites it stood.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_REPLACEDNODES_H
#define TORCHPROF_ATTACH_REPLACEDNODES_H

#include "Tag.h"

#include <memory>

namespace torchprof {

/// True for a node that comes from one of LibTorch's scripts for backward: in
/// the place of another one, or in addition to it, for what backward has to
/// know.
bool isOfAutodiff(const torch::jit::Node *N);

/// Tags the nodes of \p Body that stand in the place of a tagged node. \p
/// Order: of the method whose plan it is, null of a part of one.
void tagReplacedNodes(torch::jit::Graph &Body,
                      const std::shared_ptr<const NodeOrder> &Order);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_REPLACEDNODES_H
