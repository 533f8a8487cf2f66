//===- BackwardWatch.h - which functions a backward evaluates ---*- C++ -*-===//
//
// LibTorch tells profilers of a function of autograd while it computes. What
// autograd's engine does for the function before and after that is as much a
// part of its gradient: it calls hooks, frees the tensors that the function has
// kept, and adds up what several functions pass on. All of it is in one call of
// the engine, an EvaluationScope.
//
// The time between two such calls for one backward is the engine's own, and so
// is that from the begin of a backward to the first. It is noted on a thread
// that does both; on others the engine waits.
//
// Functions of tensors on a device run on a thread that the engine has for it,
// while the thread that began the backward waits. What that one does is noted
// at the begin.
//
// What adds to a parameter's gradient was made by no node, and may be used by
// several. It counts to the node whose function has passed on the gradient.
//
// The function of a group that LibTorch differentiates as a whole is no node's.
// What the engine does behind it for one gradient is of the node in it that has
// computed it, in rows of their own: it adds it to others, in an AdditionScope,
// and frees what the forward has kept for it, in a ReleaseScope.
//
// Nothing here throws.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_BACKWARDWATCH_H
#define TORCHPROF_ATTACH_BACKWARDWATCH_H

#include "torch/Attach.h"

#include <optional>

namespace torchprof {

/// A backward begins on the calling thread. \p Task: its GraphTask.
void backwardBegins(void *Task) noexcept;

/// The evaluation of a function, which may throw.
class EvaluationScope {
public:
  /// \p Task: a shared_ptr to the backward's GraphTask, \p Function: a Node.
  EvaluationScope(const void *Task, const void *Function) noexcept;
  ~EvaluationScope();
  EvaluationScope(const EvaluationScope &) = delete;

private:
  const void *Task = nullptr; ///< null: not told
  std::optional<OpenFunction> Open;
  /// A function that is open and may pass gradients to parameters.
  const torch::autograd::Node *Passing = nullptr;
};

/// What the engine does for one gradient of a group, if it is that.
class BehindScope {
protected:
  explicit BehindScope(std::optional<OpenBehind> Open = std::nullopt) noexcept
      : Open(Open) {}
  ~BehindScope() {
    if (Open)
      closeBehind(*Open);
  }
  BehindScope(const BehindScope &) = delete;

  std::optional<OpenBehind> Open;
};

/// The engine passes on a gradient, which it may have to add to others.
class AdditionScope : BehindScope {
public:
  /// \p Buffer: the InputBuffer, \p Gradient: the Tensor that comes to
  /// \p Position in it.
  AdditionScope(void *Buffer, size_t Position, const void *Gradient) noexcept;
};

/// The engine frees a tensor that a function has kept.
class ReleaseScope : BehindScope {
public:
  ReleaseScope() noexcept : BehindScope(openFreed()) {}
};

} // namespace torchprof

#endif // TORCHPROF_ATTACH_BACKWARDWATCH_H
