//===- Measures.h - what is measured beside time ----------------*- C++ -*-===//
//
// A source is asked at the begin and at the end of a span; it knows one measure
// or several that are read together, its Group. Sources are asked only in runs
// in which they are switched on: the lane then sends its probes down the cold
// path, so that a node pays nothing for measures that are off.
//
// A source is a class of static functions, called by the lane's owner, which
// must not block or throw:
//
//   isWanted(Options)  asked for, and can be had
//   beginRun()         an outermost run begins; false if there is nothing to be
//                      read, yet or any more: the source is not asked in it
//   onBegin(Readings)  writes a reading for each of the group's measures
//   onEnd(Readings, Values)
//                      writes a span's values, by the readings at its begin
//   isBooked()         false as long as the values would say nothing
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_MEASURES_H
#define TORCHPROF_MEASURES_H

#include "CpuTime.h"
#include "Lane.h"
#include "Memory.h"
#include "Operands.h"
#include "Process.h"

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace torchprof {

/// All of them.
using MeasureSources = std::tuple<CpuTime, Memory, DeviceMemory>;
static_assert(std::tuple_size_v<MeasureSources> == MeasureSourceCount);

/// Number of a source among them.
template <typename Source> constexpr size_t sourceNumber() {
  return []<typename... All>(std::type_identity<std::tuple<All...>>) {
    size_t Number = 0;
    static_cast<void>(
        ((std::is_same_v<All, Source> || (++Number, false)) || ...));
    return Number;
  }(std::type_identity<MeasureSources>());
}

class DeviceTime;
class Ranges;

/// What beginSpan() has done.
enum class SpanMeasures {
  None,    ///< nothing: the span is not measured in this run
  Unknown, ///< nothing: the lane does not know the slot yet
  Begun,   ///< readings were made
};

/// The sources of one recording; the time of devices, which comes later than
/// spans end; and other tools that are told of the spans.
class Measures {
public:
  /// Finds the sources that \p Program asks for.
  Measures(ProfileFile &File, PageSource &Pages, const Host &Program);
  ~Measures();

  /// True if a source was asked for, and its measures can be had.
  bool exist() const { return Wanted || HasOthers; }

  /// Device time, null unless it is measured.
  DeviceTime *device() const { return Device.get(); }

  /// True if every run is measured.
  bool inEveryRun() const { return Every == 1; }

  /// Decides whether the run that begins on the lane is measured, and whether
  /// shapes are told apart in it if \p WithShapes.
  void beginRun(Lane &L, bool WithShapes);
  /// Decides the same before what begins around the run to come, which will
  /// decide as well; and again for what belongs to the last run, such as its
  /// gradients, when that has ended.
  void beginAroundRun(Lane &L, bool WithShapes);
  void endAroundRun(Lane &L, bool WithShapes);

  /// Forgets open spans that have no frame any more.
  void forgetSpans(Lane &L);

  /// True if what \p L runs now is measured.
  bool areMeasured(const Lane &L, bool IsRoot) const {
    return L.Measuring && (EverySite || IsRoot);
  }

  /// The cell of what \p Source measures at a site, if the lane has one.
  template <typename Source>
  static format::MeasureCell *knownCell(const Lane &L, format::Slot Site) {
    format::MeasureCell **Cells = cellsOf(L, Site);
    return Cells ? Cells[sourceNumber<Source>()] : nullptr;
  }

  /// Asks the sources before a span begins. \p Of: a node's operands, if they
  /// are known.
  SpanMeasures beginSpan(Lane &L, format::Slot Site, bool IsRoot,
                         SpanReadings &Readings, const Operands &Of = {});
  /// Files the tick \p Begin of a span for which readings were made.
  void spanBegan(Lane &L, format::Slot Site, SpanReadings &Readings,
                 uint64_t Begin) {
    Readings.Begin = Begin;
    if (HasOthers)
      beganElsewhere(L, Site, Begin);
  }
  /// Books the values of a span that was recorded with \p Ticks, if it was
  /// measured; else returns false. What devices did for it is nested in \p
  /// Waiting, a span of another thread, if that is one: all else is measured
  /// thread by thread.
  bool endSpan(Lane &L, format::Slot Site, const SpanReadings &Readings,
               uint64_t Begin, uint64_t Ticks, MeasureValues &Values,
               format::Slot Waiting = format::NoSlot);
  /// What was allocated on the CPU less what was freed there; 0 if that was not
  /// measured, and \p Values were 0 before.
  static int64_t netBytes(const MeasureValues &Values) {
    return Memory::netBytes(Values[sourceNumber<Memory>()]);
  }
  /// Counts a span that ends where its readings are not known.
  void missSpan(const Lane &L, bool IsRoot) const {
    if (L.Sources && areMeasured(L, IsRoot))
      count(format::Counter::MeasureMissed);
  }
  /// Forgets a span that is not recorded after all.
  void cutSpan(format::Slot Site, uint64_t Begin);
  /// Adds the values of the span that has ended last to those nested in
  /// \p Outer, a measured one.
  void addNested(Lane &L, format::Slot Outer, const MeasureValues &Values);

private:
  /// Calls \p Visit with each source of a set, and its number.
  template <typename Function>
  static void forEachSource(SourceSet Of, Function &&Visit) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      ((Of >> I & 1 ? Visit(std::tuple_element_t<I, MeasureSources>(), I)
                    : void()),
       ...);
    }
    (std::make_index_sequence<MeasureSourceCount>());
  }

  /// The cells of a slot that the lane knows, one per source; else null.
  static format::MeasureCell **cellsOf(const Lane &L, format::Slot Site) {
    return L.Measured && number(Site) < L.SlotCount
               ? &L.Measured[uint64_t(number(Site)) * MeasureSourceCount]
               : nullptr;
  }

  /// One of them, of this epoch; null without memory.
  template <typename Source>
  format::MeasureCell *cell(Lane &L, format::MeasureCell **Cells,
                            format::Slot Site, size_t Number) {
    return Source::Group::cellOf(Cells[Number], File, L.Number, Site,
                                 L.MeasureCells[Number]);
  }

  void decide(Lane &L, bool IsDue, bool WithShapes);
  NodeMeasures nodeMeasures(const Lane &L) const;
  bool makeTable(Lane &L);
  bool beginElsewhere(Lane &L, format::Slot Site, const Operands &Of);
  void beganElsewhere(Lane &L, format::Slot Site, uint64_t Begin);
  bool endElsewhere(Lane &L, format::Slot Site, uint64_t Begin, uint64_t Ticks,
                    format::Slot Waiting);

  ProfileFile &File;
  PageSource &Pages;
  SourceSet Wanted = 0;
  bool HasOthers; ///< Device or Marked
  bool EverySite;
  bool KeepsSpans; ///< the log does
  uint64_t Every;
  std::unique_ptr<DeviceTime> Device;
  std::unique_ptr<Ranges> Marked;
};

inline SpanMeasures Measures::beginSpan(Lane &L, format::Slot Site, bool IsRoot,
                                        SpanReadings &Readings,
                                        const Operands &Of) {
  if (!areMeasured(L, IsRoot))
    return SpanMeasures::None;
  Readings.Sources = L.Sources;
  if (L.Sources) {
    if (!L.Measured && !makeTable(L)) [[unlikely]]
      return SpanMeasures::None;
    if (!cellsOf(L, Site)) [[unlikely]]
      return SpanMeasures::Unknown;
    forEachSource(L.Sources, [&](auto Source, size_t Number) {
      Source.onBegin(Readings.Values[Number]);
    });
  }
  // Last: the event of a device lies next to the span's work.
  bool Begun = HasOthers && beginElsewhere(L, Site, Of);
  return L.Sources || Begun ? SpanMeasures::Begun : SpanMeasures::None;
}

inline bool Measures::endSpan(Lane &L, format::Slot Site,
                              const SpanReadings &Readings, uint64_t Begin,
                              uint64_t Ticks, MeasureValues &Values,
                              format::Slot Waiting) {
  // First, for the same reason.
  bool Measured = HasOthers && endElsewhere(L, Site, Begin, Ticks, Waiting);
  format::MeasureCell **Cells = cellsOf(L, Site);
  if (!Cells || Readings.Begin != Begin)
    return Measured;
  forEachSource(Readings.Sources, [&]<typename Source>(Source, size_t Number) {
    Source::onEnd(Readings.Values[Number], Values[Number]);
    if (!Source::isBooked())
      return;
    if (format::MeasureCell *C = cell<Source>(L, Cells, Site, Number))
      Source::Group::add(*C, Values[Number], Ticks);
  });
  return Measured || Readings.Sources;
}

} // namespace torchprof

#endif // TORCHPROF_MEASURES_H
