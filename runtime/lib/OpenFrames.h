//===- OpenFrames.h - roots and regions open on a lane ----------*- C++ -*-===//
//
// The stack of a thread's open roots and regions, in its lane. An exception
// leaves roots without an end; they are found by their native frame: one that
// is open lies above its caller's, at a higher address.
//
// Beyond MaxOpenFrames a span has no frame: a root then counts as a call.
// Owner only.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_OPENFRAMES_H
#define TORCHPROF_OPENFRAMES_H

#include "Lane.h"

namespace torchprof {

inline void pushFrame(Lane &L, const OpenFrame &Frame) {
  if (L.Depth < MaxOpenFrames)
    L.Frames[L.Depth++] = Frame;
}

/// Drops roots that an exception left.
inline void popDeadRoots(Lane &L, uintptr_t Stack) {
  while (L.Depth && L.Frames[L.Depth - 1].Stack &&
         L.Frames[L.Depth - 1].Stack <= Stack)
    --L.Depth;
}

/// Drops the frame of the span that ends, and those that were left open inside
/// it. False if this thread has no such frame.
inline bool popFrame(Lane &L, uint64_t Begin, format::Slot Site) {
  for (uint32_t I = L.Depth; I-- > 0;)
    if (L.Frames[I].Site == Site && L.Frames[I].Begin == Begin) {
      L.Depth = I;
      return true;
    }
  return false;
}

/// True if a root is open on the lane.
inline bool hasOpenRoot(const Lane &L) {
  for (uint32_t I = 0; I < L.Depth; ++I)
    if (L.Frames[I].Stack)
      return true;
  return false;
}

} // namespace torchprof

#endif // TORCHPROF_OPENFRAMES_H
