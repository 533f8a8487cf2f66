//===- ColdPath.h - probes where something is rare --------------*- C++ -*-===//
//
// First touches, roots, a window's edges, runs in which more than time is
// measured, a forked child's first probe. The hot path of Probe.h leads here;
// the operator that begins a method's root calls enterRoot().
//
// Functions are for the thread whose span it is. They take the process lock
// where they need it; none throws.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_COLDPATH_H
#define TORCHPROF_COLDPATH_H

#include "Operands.h"
#include "torchprof/format/Site.h"

#include <cstdint>

namespace torchprof {

class FrameSpan;

/// A span of this many ticks or more is taken for a clock fault: at 4 GHz it
/// is half a year.
inline constexpr uint64_t AbsurdTicks = uint64_t(1) << 56;

/// In the begins of roots that begin while the gate is shut and whose ends are
/// steps: the ticks beside it tell such runs apart.
inline constexpr uint64_t ShutBegin = uint64_t(1) << 63;
/// True if a span with that begin began while the gate was shut.
constexpr bool beganShut(uint64_t Begin) {
  return Begin == 0 || Begin & ShutBegin;
}

/// Makes the recording of this process. True if the gate is open then.
bool makeRecording();
/// Makes the calling thread's lane if it has none. True if there is one and
/// spans are recorded.
bool ensureLane();
/// Begins a span for which the lane is not ready, or more is measured.
void beginCold(FrameSpan &Span, Operands Of);
/// The same for a pair of probes; returns its first tick.
uint64_t beginCold(format::SiteId Id, const Operands &Of);
/// A pair of probes begins while the gate is shut, on a thread that has frames.
/// One around a node that waits gets a frame, too: if the run is suspended
/// there and an exception ends it on another thread, nothing else tells this
/// one.
uint64_t beginShut(format::SiteId Id);
/// Ends a span that is not an ordinary one, at the tick \p Now. A pair that
/// began while the gate was shut has the begin 0; with the gate still shut, it
/// need not be ended. That of a root which is a step has to be.
void endCold(const FrameSpan &Span, uint64_t Now);
void endCold(uint64_t Begin, format::SiteId Id, const Operands &Of,
             uint64_t Now);
/// The same without a reading of the clock: the gate may be shut.
void endCold(uint64_t Begin, format::SiteId Id, const Operands &Of);
/// Leaves a span and its root by an exception: they stay unfinished.
void abandonCold(const FrameSpan &Span);

/// Begins a method's root. \p Stack is the address of the caller's native
/// frame: it tells a root that was left by an exception from one that is open.
/// \p Of: the method's inputs, if they are known.
uint64_t enterRoot(format::SiteId Site, uintptr_t Stack,
                   const Operands &Of = {});
/// A method is about to raise an exception: leaves its root, and those that
/// called it in its own native frame, \p Stack. They stay unfinished. A task
/// has no root; who waits for it goes on.
void leaveRoots(uintptr_t Stack);

} // namespace torchprof

#endif // TORCHPROF_COLDPATH_H
