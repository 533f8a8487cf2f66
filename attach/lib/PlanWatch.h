//===- PlanWatch.h - when LibTorch makes plans, and for what ----*- C++ -*-===//
//
// LibTorch optimizes a graph and makes its instructions in one function, which
// it leaves at once when there is a plan: a call of it is a PlanScope. In it
// comes the constructor of the instructions, a CodeScope, and there it is known
// what the plan is for. Other plans may be made inside; they have scopes of
// their own and are no part of the time of the outer one.
//
// What LibTorch makes of a part of a graph (a differentiable group, say) gets
// an executor of its own while the whole is being made. Its name is made to say
// whose part it is.
//
// Scopes are of one thread and end in the order of a stack, also when LibTorch
// throws. They throw nothing themselves.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_PLANWATCH_H
#define TORCHPROF_ATTACH_PLANWATCH_H

#include "torchprof/format/PlanEvent.h"
#include "torchprof/format/Site.h"

#include <cstddef>
#include <optional>

namespace torch::jit {
struct Graph;
}

namespace torchprof {

/// Whose plan it is.
struct PlanOwner {
  std::optional<format::SiteId> Root;
  format::PlanPart Part = format::PlanPart::Other;
};

/// What is open on a thread.
class MakingScope {
public:
  MakingScope(const MakingScope &) = delete;

  /// The owner of what the calling thread is making, as far as it is known.
  static PlanOwner ownerHere();

  /// What the calling thread did since the tick \p Since was our work, and no
  /// part of the plan that is being made. If none is, it was for the first plan
  /// of \p Root.
  static void addOwn(uint64_t Since,
                     std::optional<format::SiteId> Root = std::nullopt);

protected:
  friend class CodeScope;

  explicit MakingScope(bool IsPlan);
  ~MakingScope();

  /// The owner of what is made in the scope, as far as it is known.
  PlanOwner owner() const;

  /// True if it lies in a scope of a whole method or of a fork, which does not
  /// run before its plan is there.
  bool isBeforeRun() const;

  static thread_local MakingScope *Innermost;

  MakingScope *const Outer;
  const bool IsPlan;
  PlanOwner Owner;
  uint64_t Begin;           ///< ticks
  uint64_t OwnTicks = 0;    ///< our work since then
  uint64_t NestedTicks = 0; ///< plans inside that have events of their own
};

/// A call of the function that makes plans.
class PlanScope : MakingScope {
public:
  /// \p Executor tells plans of one graph from others. \p Depth: the bailouts
  /// that the caller allows, if it says so.
  PlanScope(const void *Executor, std::optional<size_t> Depth);
  ~PlanScope();

private:
  friend class MakingScope;
  friend class CodeScope;

  const void *const Executor;
  const uint32_t Depth;
  const uint64_t Started; ///< Begin moves when a plan is noted
  bool HasPlan = false;
};

/// A call of the constructor of instructions.
class CodeScope : MakingScope {
public:
  /// \p Named: what the name of the function says.
  explicit CodeScope(const PlanOwner &Named);

  /// From here on LibTorch works.
  void ownWorkEnds() { addOwn(Begin); }

  /// The instructions for \p Body are made: notes the plan, if they are one.
  void made(torch::jit::Graph &Body) noexcept;

private:
  PlanScope *plan() const {
    return Outer && Outer->IsPlan ? static_cast<PlanScope *>(Outer) : nullptr;
  }
};

} // namespace torchprof

#endif // TORCHPROF_ATTACH_PLANWATCH_H
