//===- MeasuredSpan.h - a node where more is measured -----------*- C++ -*-===//
//
// What the cold path does for the ordinary node of a run in which more than
// time is measured, or shapes are told apart; inline, for the operation of a
// timed node. Whatever else is rare is the cold path's, as ever.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_MEASUREDSPAN_H
#define TORCHPROF_MEASUREDSPAN_H

#include "Probe.h"
#include "Recording.h"

namespace torchprof {

/// Lane::MeasuredSince.
inline uint64_t measuredSince(const Lane &L) {
  return L.MeasuredSince.load(std::memory_order_relaxed);
}

/// Begins a span on a lane that would be open, were not more measured: it needs
/// no frame of ours. False if the cold path must.
inline bool beginMeasured(FrameSpan &Span, const Operands &Of) {
  Lane *L = Span.Owner;
  if (!L || !measuredSince(*L)) [[unlikely]]
    return false;
  Recording &R = *Recording::existing();
  Span.OfShapes = R.variants().begin(*L, Span.Site, Of);
  if (!L->Measuring) {
    Span.open();
    return true;
  }
  SpanMeasures Begun = R.measures().beginSpan(*L, Span.Site, /*IsRoot=*/false,
                                              Span.Readings, Of);
  if (Begun == SpanMeasures::Unknown) [[unlikely]]
    return false;
  Span.open();
  if (Begun == SpanMeasures::Begun)
    R.measures().spanBegan(*L, Span.Site, Span.Readings, Span.Begin);
  return true;
}

/// Ends it at the tick \p Now. False if the cold path must.
inline bool endMeasured(const FrameSpan &Span, uint64_t Now) {
  Lane *L = Span.Owner;
  if (!L) [[unlikely]]
    return false;
  uint64_t Ticks = Now - Span.Begin - L->Clock.apartSince(Span.Clock);
  if (measuredSince(*L) - 1 >= Span.Begin || !Span.isInnermost(Ticks))
      [[unlikely]]
    return false;
  Recording &R = *Recording::existing();
  MeasureValues Values = {}; // those of a node are not nested in others
  bool IsMeasured =
      L->Measuring && R.measures().endSpan(*L, Span.Site, Span.Readings,
                                           Span.Begin, Ticks, Values);
  Span.close(Ticks);
  if (IsMeasured)
    R.levels().spanEnded(*L, Span.Site, Now);
  if (Span.OfShapes)
    R.variants().end(R, *L, Span.Site, Span.OfShapes, Span.Begin,
                     {Ticks, Measures::netBytes(Values)});
  return true;
}

/// A FrameSpan for lanes on which that is the rule.
class MeasuredSpan : public FrameSpan {
public:
  MeasuredSpan(format::Slot Site, Lane &L, const Operands &Of)
      : FrameSpan(Site, &L) {
    L.LastEnd = 0;
    if (!beginMeasured(*this, Of)) [[unlikely]]
      beginCold(*this, Of);
  }

  void end() {
    uint64_t Now = now();
    if (!endMeasured(*this, Now)) [[unlikely]]
      endCold(*this, Now);
  }
};

/// The same of a node that measures what there is a way of its own for
/// (NodeMeasures). As a FrameSpan on a lane that is open it need not lie in
/// memory.
template <bool WithMemory, bool WithShapes> class LeanSpan : public FrameSpan {
public:
  /// Where the values of a span go.
  struct Places {
    format::MeasureCell *Cell = nullptr;
    Variant *Shapes = nullptr;
  };

  /// \p KeyOf() is the key of the node's signature. False if it has to be a
  /// MeasuredSpan.
  template <typename Function>
  static bool findPlaces(Lane &L, format::Slot Site, Function &&KeyOf,
                         Places &Found) {
    if (!measuredSince(L)) [[unlikely]]
      return false;
    if constexpr (WithMemory) {
      Found.Cell = Measures::knownCell<Memory>(L, Site);
      if (!Found.Cell) [[unlikely]]
        return false;
    }
    if constexpr (WithShapes) {
      Found.Shapes = Variants::met(L, Site, KeyOf());
      if (!Found.Shapes) [[unlikely]]
        return false;
    }
    return true;
  }

  LeanSpan(format::Slot Site, Lane &L, const Places &At)
      : FrameSpan(Site, &L), At(At) {
    L.LastEnd = 0;
    if constexpr (WithMemory)
      Memory::onBegin(Begun);
    open();
  }

  void endHot() const {
    uint64_t Now = Owner->Clock.ticks();
    uint64_t Ticks = Now - Begin;
    if (!endsOrdinary(Ticks)) [[unlikely]]
      return endCold(inMemory(), Now);
    int64_t NetBytes = 0;
    if constexpr (WithMemory) {
      uint64_t Values[Memory::Group::Count];
      Memory::onEnd(Begun, Values);
      Memory::Group::add(*At.Cell, Values, Ticks);
      NetBytes = Memory::netBytes(Values);
    }
    close(Ticks);
    if constexpr (WithShapes)
      Variants::addSpan(*At.Shapes->Data, Begin, {Ticks, NetBytes});
  }

  [[gnu::always_inline]] void abandonHot() const { abandonCold(inMemory()); }

private:
  /// False if the end takes the cold path. One condition after the other: of
  /// several at once the compiler does not take each to be rare.
  bool endsOrdinary(uint64_t Ticks) const {
    if (measuredSince(*Owner) - 1 >= Begin) [[unlikely]]
      return false;
    if (!isInnermost(Ticks)) [[unlikely]]
      return false;
    if constexpr (WithMemory)
      return At.Cell->Epoch == Process.Epoch.load(std::memory_order_relaxed);
    return true;
  }

  [[gnu::always_inline]] FrameSpan inMemory() const {
    LeanSpan Copy(FrameSpan::inMemory(), At);
    if constexpr (WithMemory) {
      constexpr size_t Source = sourceNumber<Memory>();
      Copy.Readings.Begin = Begin;
      Copy.Readings.Sources = SourceSet(1) << Source;
#pragma GCC unroll 4
      for (unsigned I = 0; I < Memory::Group::Count; ++I)
        Copy.Readings.Values[Source][I] = Begun[I];
    }
    if constexpr (WithShapes)
      Copy.OfShapes = OpenVariant(At.Shapes);
    return Copy;
  }
  LeanSpan(const FrameSpan &Span, const Places &At) : FrameSpan(Span), At(At) {}

  Places At;
  uint64_t Begun[Memory::Group::Count];
};

} // namespace torchprof

#endif // TORCHPROF_MEASUREDSPAN_H
