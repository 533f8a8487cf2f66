//===- RootOrders.h - the nodes of methods that run -------------*- C++ -*-===//
//
// Each tag leads to the order of its method's nodes. A plan in which LibTorch
// has replaced every node has no tag; there the site of the method does.
//
// Safe from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_ROOTORDERS_H
#define TORCHPROF_ATTACH_ROOTORDERS_H

#include "Tag.h"

#include <memory>

namespace torchprof {

/// Known as long as somebody has it: the graph that the plans of \p Root are
/// made of has tags that do.
void rememberOrder(format::SiteId Root,
                   const std::shared_ptr<const NodeOrder> &Order);

/// Null if it is not known.
std::shared_ptr<const NodeOrder> orderOf(format::SiteId Root);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_ROOTORDERS_H
