//===- BatchedProducts.h - products that are computed at once ---*- C++ -*-===//
//
// Without grad LibTorch makes one node of many products of matrices: of those
// that have a factor in common, as the steps of a recurrent network have their
// weights, and of those that are added up. The node is new and has no tag. The
// products are the sites that its block has no node of any more. Of gradients,
// which are added up over the steps, it is one of whose factors are left.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_BATCHEDPRODUCTS_H
#define TORCHPROF_ATTACH_BATCHEDPRODUCTS_H

#include "Tag.h"

#include <memory>

namespace torchprof {

/// Tags such nodes of \p Body, whose other nodes have their tags. Several of
/// them in one block share its products in their order, by how many each has.
/// \p Order: of the method whose plan it is, null of a part of one.
void tagBatchedProducts(torch::jit::Graph &Body,
                        const std::shared_ptr<const NodeOrder> &Order);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_BATCHEDPRODUCTS_H
