//===- ReplacedNodes.h - nodes of scripts in others' place ------*- C++ -*-===//
//
// Where LibTorch differentiates or decomposes an operator by a script of its
// own (Scripts.h), the operator's node makes room for the script's, which have
// no tags. The script names the operator, and the tags around say between which
// sites it stood.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_REPLACEDNODES_H
#define TORCHPROF_ATTACH_REPLACEDNODES_H

#include "Tag.h"

#include <memory>

namespace torchprof {

/// Tags the nodes of \p Body that stand in the place of a tagged node. \p
/// Order: of the method whose plan it is, null of a part of one.
void tagReplacedNodes(torch::jit::Graph &Body,
                      const std::shared_ptr<const NodeOrder> &Order);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_REPLACEDNODES_H
