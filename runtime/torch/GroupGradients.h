//===- GroupGradients.h - what follows the gradients of a group -*- C++ -*-===//
//
// LibTorch differentiates a group of nodes as a whole: to autograd's engine it
// is one function. What the engine does behind it for one of the gradients is
// of the node that has computed it. The group's backward graph notes which
// gradient is whose and who needed what the forward kept, the engine's hooks
// tell what it does with them (attach/lib/BackwardWatch.h, Attach.h).
//
// All of it is of the function that is open on the calling thread.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_GROUPGRADIENTS_H
#define TORCHPROF_GROUPGRADIENTS_H

#include "torchprof/format/Site.h"

namespace c10 {
struct IValue;
} // namespace c10

namespace torch::autograd {
struct Node;
}

namespace torchprof {

/// The engine has taken up \p Function on the calling thread, and it is
/// recorded: until endFunction(), or until another one begins in it.
void beginFunctionOf(const torch::autograd::Node &Function) noexcept;
/// It was that of a group, and has computed its gradients. \p Needing: a list
/// with a slot for each tensor that the group's backward graph takes, which are
/// the function's inputs and then what the forward kept: GradientFreedName
/// behind the gradient that needs it last, or NoSlot.
void beginGradients(const c10::IValue &Needing) noexcept;
/// The next one of them, in their order. \p Unused: GradientUnusedName behind
/// it or, if nobody knows whose it is, NoSlot.
void noteGradient(const c10::IValue &Gradient, format::Slot Unused) noexcept;
/// Frees a tensor that the function has taken, if \p Input is all that keeps
/// it. Leaves None.
void freeInput(c10::IValue &Input, format::Slot Freed) noexcept;
/// The group's backward graph returns. The function frees the gradients that
/// nobody has asked for: until the next openFreed() it does little else, and
/// their nodes share the time by bytes.
void endGradients() noexcept;
/// The function ends.
void endFunction() noexcept;

} // namespace torchprof

#endif // TORCHPROF_GROUPGRADIENTS_H
