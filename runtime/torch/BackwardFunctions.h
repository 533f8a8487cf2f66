//===- BackwardFunctions.h - whose gradient autograd computes ---*- C++ -*-===//
//
// Probes file the autograd functions that are made between them under the span
// that is the innermost one (FunctionRings.h). When a function runs in
// backward, the time is that node's. The hooks tell of it
// (attach/lib/BackwardWatch.h), with what the engine does around it. Where
// there are none, LibTorch calls us before and after the function itself.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_BACKWARDFUNCTIONS_H
#define TORCHPROF_BACKWARDFUNCTIONS_H

#include "Lane.h"

#include <string_view>

namespace torchprof {

/// Files what was made since the last call under \p Site. The calling thread is
/// the lane's, which makes functions.
void claimMade(Lane &L, format::Slot Site) noexcept;
/// The same, under the innermost span.
void claimMadeInCurrent(Lane &L) noexcept;

/// Before a span begins or ends: what was made since the last probe is of the
/// innermost one. Costs a load where nothing can be made.
inline void claimFunctions() {
  Lane *L = ThisLane;
  if (L && L->Functions) [[unlikely]]
    claimMadeInCurrent(*L);
}

/// After a span of \p Site that is not the innermost one any more.
inline void claimFunctions(format::Slot Site) {
  Lane *L = ThisLane;
  if (L && L->Functions) [[unlikely]]
    claimMade(*L, Site);
}

/// A root or a task has just begun, another thread may go on with a run behind
/// a wait, or gradients were switched on or off. Probes look for functions from
/// now on if LibTorch makes any, and else no longer.
void followGradMode() noexcept;

/// A root has begun while the gate is shut: it may be open when the backward of
/// what this run makes comes, so that its functions are to be seen.
void expectBackward() noexcept;

/// The method or node that a span lies over, or the span's own site.
format::Slot siteBelow(format::Slot Site);

/// The method or node of which a span waits, on whatever thread, for the
/// function of autograd that is open on this one; NoSlot if none does.
format::Slot nodeWaiting() noexcept;

/// The site of what autograd does for a node that a span of \p Maker lies over.
/// May throw std::bad_alloc.
format::Slot functionSite(format::Slot Maker, std::string_view Name);

} // namespace torchprof

#endif // TORCHPROF_BACKWARDFUNCTIONS_H
