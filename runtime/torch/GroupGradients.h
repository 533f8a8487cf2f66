//===- GroupGradients.h - what follows the gradients of a group -*- C++ -*-===//
//
// LibTorch differentiates a group of nodes as a whole: to autograd's engine it
// is one function. What the engine does behind it for one of the gradients is
// of the node that has computed it. The group's backward graph notes which
// gradient is whose, the engine's hooks tell what it does with them
// (attach/lib/BackwardWatch.h, Attach.h).
//
// All of it is of the function that is open on the calling thread.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_GROUPGRADIENTS_H
#define TORCHPROF_GROUPGRADIENTS_H

#include "torchprof/format/Site.h"

namespace c10 {
struct TensorImpl;
}

namespace torchprof {

/// A group of nodes has computed its gradients on the calling thread. Kept
/// until its function ends or another group's gradients come.
void beginGradients() noexcept;
/// One of them is \p Gradient, at \p Site.
void noteGradient(const c10::TensorImpl *Gradient, format::Slot Site) noexcept;
/// The function begins or ends: there are no gradients of a group.
void forgetGradients() noexcept;

} // namespace torchprof

#endif // TORCHPROF_GROUPGRADIENTS_H
