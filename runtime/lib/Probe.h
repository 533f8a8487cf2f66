//===- Probe.h - the hot path -----------------------------------*- C++ -*-===//
//
// What runs at each probe while recording: no lock, no allocation, no system
// call. Whatever is rare is in ColdPath.cpp and DynamicSpans.cpp.
//
// A span leaves a record of 16 bytes in its lane's log; cells are not touched
// here, they get the records later (Fold.h). Lines of cache that a probe of a
// timed node touches and that the node without it would not:
//
//   begin   the lane's first (loaded and stored), the log's first (stored)
//   end     these two, and the one of the record (stored; a new one for every
//           fourth record, in the order of their addresses)
//
// A pair of probes touches the lane's second line and that of its frame
// besides, a chained span the second line. Only the lane's first line has to
// come before a probe can go on.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PROBE_H
#define TORCHPROF_PROBE_H

#include "Clock.h"
#include "ColdPath.h"
#include "DynamicSpans.h"
#include "Lane.h"
#include "Lineage.h"
#include "LogPages.h"
#include "Process.h"
#include "torchprof/format/Atomics.h"

#include <utility>

namespace torchprof {

/// Lane::Since.
inline uint64_t since(const Lane &L) {
  return L.Since.load(std::memory_order_relaxed);
}

/// One comparison: neither 0 nor GateShut.
constexpr bool isOpenSince(uint64_t Since) { return Since - 1 < GateShut - 1; }

/// True if the lane records what begins now without the cold path.
inline bool isOpen(const Lane *L) { return L && isOpenSince(since(*L)); }

/// True if a span that began at \p Begin ends without the cold path, as far as
/// the lane's gate is concerned.
inline bool isOrdinary(const Lane &L, uint64_t Begin) {
  return since(L) - 1 < Begin;
}

/// Adds a record to the log of an attached lane. Owner only.
inline void append(Lane &L, uint64_t Begin, uint64_t Packed) {
  uint64_t Number = L.Written;
  format::LogEntry &E = L.Page[Number % LogPageEntries];
  format::LogRecord *Log = L.Log;
  format::storeRelease(E.BeginTicks, Begin);
  format::storeRelease(E.Packed, Packed);
  L.Written = ++Number;
  format::storeRelease(Log->Written, Number);
  if (Number % LogPageEntries == 0) [[unlikely]]
    logPageEnded(L);
}

/// True while spans are recorded. The first probe of a process, or of a forked
/// child, makes its recording.
[[gnu::always_inline]] inline bool ensureRecording() {
  Lane *L = ThisLane;
  if (isOpen(L)) [[likely]]
    return true;
  if (L && since(*L) == GateShut) [[likely]]
    return false;
  return Process.Open.load(std::memory_order_relaxed) ||
         (!Process.Current.load(std::memory_order_relaxed) && makeRecording());
}

/// A span that ends in the native frame in which it began.
class FrameSpan {
public:
  /// One on a lane that is open.
  FrameSpan(format::Slot Site, Lane &Open) : Owner(&Open), Site(Site) {
    open();
  }

  explicit FrameSpan(format::Slot Site, Operands Of = {})
      : Owner(ThisLane), Site(Site) {
    if (isOpen(Owner)) [[likely]]
      open();
    else
      beginCold(*this, Of);
  }

  void end() { endAt(now()); }

  /// True on the thread on which it began, where it must end.
  bool endsHere() const { return !Owner || Owner == ThisLane; }

  /// The span was left by an exception: it and the root it ran in stay
  /// unfinished.
  void abandon() { abandonCold(*this); }

  /// The same of a span that began on an open lane. Only a copy of it is given
  /// away, so that it need not lie in memory.
  void endHot() const { endHotAt(Owner->Clock.ticks()); }
  [[gnu::always_inline]] void abandonHot() const { abandonCold(inMemory()); }

protected:
  /// One that has not begun.
  FrameSpan(format::Slot Site, Lane *Owner) : Owner(Owner), Site(Site) {}

  void open() {
    keepOuter();
    openAt(Owner->Clock.ticks());
  }

  /// Begins on a lane that is open.
  void openAt(uint64_t Ticks) {
    Begin = Ticks;
    setCurrent(*Owner, Begin, format::packCurrent(Site, true));
  }
  uint64_t now() const { return Owner ? Owner->Clock.ticks() : clock::ticks(); }

  void keepOuter() {
    OuterTicks = Owner->CurrentTicks;
    Outer = Owner->Current;
    Clock = Owner->Clock;
  }

  /// False if it took the cold path.
  bool endAt(uint64_t Now) {
    if (Owner && closeOrdinary(Now)) [[likely]]
      return true;
    endCold(*this, Now);
    return false;
  }
  bool endHotAt(uint64_t Now) const {
    if (closeOrdinary(Now)) [[likely]]
      return true;
    endCold(inMemory(), Now);
    return false;
  }

  /// A copy of a span that began on an open lane. Field by field and inline,
  /// else the compiler puts this one into memory, too.
  [[gnu::always_inline]] FrameSpan inMemory() const {
    FrameSpan Copy(Site, Owner);
    Copy.Begin = Begin;
    Copy.OuterTicks = OuterTicks;
    Copy.Outer = Outer;
    Copy.Clock = Clock;
    return Copy;
  }

  /// True if the span is its lane's innermost one, and \p Ticks fit a record.
  bool isInnermost(uint64_t Ticks) const {
    if (Owner->CurrentTicks != Begin) [[unlikely]]
      return false;
    if (Owner->Current != format::packCurrent(Site, true)) [[unlikely]]
      return false;
    return Ticks < format::MaxLogDuration;
  }

  void close(uint64_t Ticks) const {
    setCurrent(*Owner, OuterTicks, Outer);
    append(*Owner, Begin, packEntry(Site, format::LogKind::Span, Ticks));
  }

  Lane *Owner; ///< null if it began on the cold path
  uint64_t Begin;
  format::Slot Site;
  OpenVariant OfShapes;
  SpanReadings Readings;

private:
  friend bool beginMeasured(FrameSpan &Span, const Operands &Of);
  friend bool endMeasured(const FrameSpan &Span, uint64_t Now);
  friend void beginCold(FrameSpan &Span, Operands Of);
  friend void endCold(const FrameSpan &Span, uint64_t Now);
  friend void abandonCold(const FrameSpan &Span);

  /// False if the end takes the cold path.
  bool closeOrdinary(uint64_t Now) const {
    uint64_t Ticks = Now - Begin;
    if (!isOrdinary(*Owner, Begin) || !isInnermost(Ticks)) [[unlikely]]
      return false;
    close(Ticks);
    return true;
  }

  uint64_t OuterTicks;
  uint64_t Outer;
  LaneClock Clock;
};

/// A FrameSpan that may begin where the one before it on its lane has ended,
/// for one reading of the clock instead of two. All spans that others follow
/// have to be of this class.
class ChainedSpan : public FrameSpan {
public:
  /// \p Follows: the program ended such a span just before, with nothing in
  /// between that has a span, on this thread. If that was not recorded, or its
  /// log was folded since, this begins now.
  ChainedSpan(format::Slot Site, const Operands &Of, bool Follows)
      : FrameSpan(Site, ThisLane) {
    if (isOpen(Owner)) [[likely]] {
      openAfter(Follows);
    } else {
      if (Owner)
        Owner->LastEnd = 0;
      beginCold(*this, Of);
    }
  }
  /// One on a lane that is open.
  ChainedSpan(format::Slot Site, Lane &Open, bool Follows)
      : FrameSpan(Site, &Open) {
    openAfter(Follows);
  }

  void end() {
    uint64_t Now = now();
    if (endAt(Now)) [[likely]]
      Owner->LastEnd = Now;
  }
  void endHot() const {
    uint64_t Now = Owner->Clock.ticks();
    if (endHotAt(Now)) [[likely]]
      Owner->LastEnd = Now;
  }

private:
  void openAfter(bool Follows) {
    uint64_t Last = std::exchange(Owner->LastEnd, 0);
    if (!Follows || !Last || !isOrdinary(*Owner, Last)) [[unlikely]]
      return open();
    keepOuter();
    openAt(Last);
  }
};

/// Begins a pair of probes on a lane that is open and has a hot frame left. \p
/// Pair, \p Region: OpenFrame's.
inline uint64_t openPair(Lane &L, format::Slot Site, int64_t Pair,
                         uint32_t Region = 0) {
  OpenFrame &F = L.Frames[L.Depth];
  F.Pair = Pair;
  F.OuterTicks = L.CurrentTicks;
  F.Outer = L.Current;
  F.Clock = L.Clock;
  F.Stack = 0;
  F.Site = Site;
  F.Region = Region;
  ++L.Depth;
  uint64_t Now = L.Clock.ticks();
  F.Begin = Now;
  setCurrent(L, Now, format::packCurrent(Site, false));
  append(L, Now, packEntry(Site, format::LogKind::Begin));
  return Now;
}

/// \p Of: the operands of what the pair is around, if they are known.
inline uint64_t beginSpan(format::SiteId Id, const Operands &Of = {}) {
  Lane *L = ThisLane;
  if (!isOpen(L) || Id.model() != L->ModelId || Id.index() >= L->SiteCount ||
      L->Depth >= HotFrames) [[unlikely]] {
    if (ensureRecording())
      return beginCold(Id, Of);
    return L && L->Depth ? beginShut(Id) : 0;
  }
  return openPair(*L, L->FirstSlot + Id.index(), Id.number());
}

/// Ends the pair in the innermost frame, which is hot.
inline void closePair(Lane &L, uint64_t Ticks,
                      format::LogKind Kind = format::LogKind::PairEnd) {
  const OpenFrame &F = L.Frames[--L.Depth];
  setCurrent(L, F.OuterTicks, F.Outer);
  append(L, F.Begin, packEntry(F.Site, Kind, Ticks));
}

/// \p Of as at the begin: both have operands, or none has.
inline void endSpan(uint64_t Begin, format::SiteId Id,
                    const Operands &Of = {}) {
  Lane *L = ThisLane;
  if (!L || !isOrdinary(*L, Begin) || L->Depth - 1 >= HotFrames) [[unlikely]] {
    if (Begin || Process.Open.load(std::memory_order_relaxed) ||
        Process.CountsSteps.load(std::memory_order_relaxed))
      endCold(Begin, Id, Of);
    return;
  }
  uint64_t Now = L->Clock.ticks();
  uint64_t Ticks = Now - Begin;
  const OpenFrame &F = L->Frames[L->Depth - 1];
  if (F.Pair != Id.number() || F.Begin != Begin ||
      Ticks >= format::MaxLogDuration) [[unlikely]]
    return endCold(Begin, Id, Of, Now);
  closePair(*L, Ticks);
}

/// True if a span at a site that came to be at run time may take openPair():
/// the name of the site must be in the file before its spans are.
inline bool canOpenPair(Lane *L, format::Slot Site) {
  return isOpen(L) && L->Depth < HotFrames && knownEntry(*L, Site);
}

/// True if such a span may take closePair(), with the \p Ticks that it took.
inline bool canClosePair(Lane *L, uint64_t Begin, format::Slot Site,
                         uint64_t &Ticks) {
  if (!L || !isOrdinary(*L, Begin) || L->Depth - 1 >= HotFrames) [[unlikely]]
    return false;
  Ticks = L->Clock.ticks() - Begin;
  const OpenFrame &F = L->Frames[L->Depth - 1];
  return F.Site == Site && F.Begin == Begin && Ticks < format::MaxLogDuration;
}

/// Begins a part of the span around that has a site of its own: one that came
/// to be at run time, and whose time no cell but its own has.
inline uint64_t beginPart(format::Slot Site) {
  Lane *L = ThisLane;
  if (!canOpenPair(L, Site)) [[unlikely]]
    return beginSlot(Site);
  return openPair(*L, Site, NoPair);
}

inline void endPart(uint64_t Begin, format::Slot Site) {
  Lane *L = ThisLane;
  uint64_t Ticks;
  if (!canClosePair(L, Begin, Site, Ticks)) [[unlikely]]
    return endPartCold(Begin, Site);
  closePair(*L, Ticks);
}

} // namespace torchprof

#endif // TORCHPROF_PROBE_H
