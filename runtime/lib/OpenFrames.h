//===- OpenFrames.h - spans open on a lane ----------------------*- C++ -*-===//
//
// The stack of a thread's open pairs, roots and regions, in its lane. An
// exception leaves frames without an end. A root is found by its native frame:
// one that is open lies above its caller's, at a higher address. What lies
// above the frame of a span that ends was left, or goes on on another thread;
// but a label that a node opens outlives the node, up to the end of its run.
//
// Owner only.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_OPENFRAMES_H
#define TORCHPROF_OPENFRAMES_H

#include "Lane.h"

#include <optional>

namespace torchprof {

class EndedRuns;

inline OpenFrame &frameAt(Lane &L, uint32_t I) {
  return I < HotFrames ? L.Frames[I] : L.MoreFrames[I - HotFrames];
}

/// The frame of a span, null if it has none.
inline const OpenFrame *findFrame(Lane &L, uint64_t Begin, format::Slot Site) {
  for (uint32_t I = L.Depth; I-- > 0;)
    if (const OpenFrame &F = frameAt(L, I); F.Begin == Begin && F.Site == Site)
      return &F;
  return nullptr;
}
inline bool hasFrame(Lane &L, uint64_t Begin, format::Slot Site) {
  return findFrame(L, Begin, Site) != nullptr;
}

/// Adds a frame. Without memory the span has none: a root then counts as a
/// call.
void pushFrame(Lane &L, const OpenFrame &Frame);

/// Leaves the spans in the frames from \p Depth on.
void dropFrames(Lane &L, uint32_t Depth);

/// Drops roots that an exception left, with what was open in them, before a
/// root is entered. \p IsCalled: only a method that is open can call that one.
void dropDeadRoots(Lane &L, uintptr_t Stack, bool IsCalled);

/// Drops the roots that are left by an exception in the native frame \p Stack,
/// and what is open in them. A run around that frame stays: the node that runs
/// the inner one may catch the exception.
void dropLeftRoots(Lane &L, uintptr_t Stack);

/// True if the innermost span is a node that calls the method of \p Root, which
/// is to be entered or has ended: so a method is called in a task, whose body
/// has no root.
bool isCalledHere(Lane &L, format::Slot Root);

/// True if the node of the pair \p Site, which is open, waits for a task. Its
/// thread runs nothing meanwhile: what does run there comes after the wait, and
/// the wait goes on with the rest of its run on another thread, where both end.
bool isSuspended(format::Slot Site);

/// The outermost root that goes on on the lane, in whose run lies what its
/// thread does now; NoSlot if none does.
format::Slot outermostRoot(Lane &L);

/// Drops the run that is suspended, if one is, also where only \p Ended knows
/// that it was, and labels that have ended on another thread: before a root is
/// entered or the host does something else that must not lie in them.
void dropSuspendedRun(Lane &L, EndedRuns &Ended);

/// Drops pairs that lie in no root or region: they were left by an exception,
/// or suspended and ended on another thread.
void dropStrayPairs(Lane &L);

/// Drops the innermost root, those that called it in its own native frame, and
/// the pairs in them: none of them will end.
void dropRoot(Lane &L);

/// Drops the frame of a span that ends, with those above it. Nothing if this
/// thread has no such frame.
std::optional<OpenFrame> popFrame(Lane &L, uint64_t Begin, format::Slot Site);

/// Number of frames below those of what began inside a span without one.
uint32_t depthAround(Lane &L, uint64_t Begin, format::Slot Site);

/// Number of roots that are open on the lane.
unsigned openRoots(Lane &L);
inline bool hasOpenRoot(Lane &L) { return openRoots(L) > 0; }

} // namespace torchprof

#endif // TORCHPROF_OPENFRAMES_H
