//===- ColdSpans.h - spans that have a frame --------------------*- C++ -*-===//
//
// What the cold paths of all kinds of spans have in common: ColdPath.cpp for
// probes, DynamicSpans.cpp for sites that come to be at run time.
//
// Functions are for the thread whose span it is. They take the process lock
// where they need it; none throws.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_COLDSPANS_H
#define TORCHPROF_COLDSPANS_H

#include "OpenFrames.h"
#include "Recording.h"

#include <cstdint>

namespace torchprof {

/// The begin of a span that could not be recorded, for want of memory or of a
/// model. Its end must not be either, even if it could: a cell holds no more
/// ends than begins.
inline constexpr uint64_t LostBegin = 1;

/// The ticks that the ends of spans return if there is nothing to book.
inline constexpr uint64_t NotRecorded = UINT64_MAX;

/// A lane of the calling thread that can record \p Site: attached, and as open
/// as the gate. Null without memory or model.
Lane *readyLane(Recording &R, format::Slot Site);

/// A frame of a span that is no pair of probes.
inline OpenFrame frameOf(format::Slot Site) {
  OpenFrame F{};
  F.Pair = NoPair;
  F.Site = Site;
  return F;
}

/// Writes down the begin of the span around, if it has no record yet: its own
/// end may never come.
void logCurrent(Lane &L);

/// Begins a span that has a frame, and asks what else is measured: before the
/// clock, so that a span does not hold the cost of its own readings. \p Of: a
/// node's operands, if they are known. Returns its first tick.
uint64_t open(Recording &R, Lane &L, OpenFrame F, const Operands &Of = {});

/// A Node is timed by one operator, a Pair by two; roots are Calls or Runs.
enum class SpanKind { Node, Pair, Call, Run, Region, Gradient };

/// True if more than time was asked for.
bool measuresMore(Recording &R);

/// Decides what is measured on a thread before it has a run at whose begin that
/// is decided: in regions around its first one, and where it runs nodes of
/// other threads' runs (forks, and what follows a wait). To be called where
/// such a span may come first.
void beginWithoutRun(Recording &R, Lane &L);

/// A span that ends.
struct EndedSpan {
  uint64_t Begin;
  format::Slot Site;
  SpanKind Kind;
  bool IsUnlogged;     ///< its begin has no record
  uint64_t ApartTicks; ///< what lay apart meanwhile
  SpanReadings Readings = {};
  bool IsElsewhere = false; ///< the frame in which it began is another lane's
  /// See endSlot().
  format::Slot Waiting = format::NoSlot;
};

/// Takes a span that ends from the lane's frames; it has none if it began on
/// another thread. \p Kind is Call for a root.
EndedSpan popSpan(Lane &L, uint64_t Begin, format::Slot Site, SpanKind Kind);

/// Books a span that a window's edge cut, or one that is lost. Does not make a
/// file for it.
void cutSpan(Recording &R, Lane &L, const EndedSpan &S);

/// Ends a span while the gate is open.
EndedTicks endOpen(Recording &R, Lane &L, const EndedSpan &S, uint64_t Now);

/// Ends a span of the lane, or one that began on another.
EndedTicks endSpanOf(Recording &R, Lane &L, const EndedSpan &S, uint64_t Now);

/// Ends a span that has a frame, or one that began on another thread. \p Kind
/// is Pair if it may be a root. \p Waiting: see endSlot().
EndedTicks endFramed(uint64_t Begin, format::Slot Site, uint64_t Now,
                     SpanKind Kind, format::Slot Waiting = format::NoSlot);

} // namespace torchprof

#endif // TORCHPROF_COLDSPANS_H
