//===- MeasureCells.h - what slots measured, in the file --------*- C++ -*-===//
//
// The cells of measures on a lane, segment by segment. Who calls for a lane is
// its owner, or holds the lock that stands for the owner of these cells.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_MEASURECELLS_H
#define TORCHPROF_MEASURECELLS_H

#include "Process.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Measure.h"
#include "torchprof/format/Records.h"

#include <cstdint>

namespace torchprof {

class ProfileFile;

/// A new cell of \p Count measures of lane number \p Lane in the segment
/// \p Head, or in one that takes its place if there is none or it is full. Null
/// without memory. Takes the process lock.
format::MeasureCell *newMeasureCell(ProfileFile &File, uint32_t Lane,
                                    format::Slot Site,
                                    const format::MeasureId *Ids,
                                    unsigned Count,
                                    format::SegmentHeader *&Head);

/// Makes a cell of an older epoch one of \p Epoch.
void emptyMeasureCell(format::MeasureCell &C, uint32_t Epoch);

/// Measures that share cells. Arrays of values are in the order of Ids.
template <format::MeasureId... Ids> struct MeasureGroup {
  static constexpr unsigned Count = sizeof...(Ids);
  static_assert(Count <= format::MeasuresPerCell);
  static constexpr format::MeasureId All[] = {Ids...};

  /// A slot's cell \p Known, made if it is null, and of this epoch. Null
  /// without memory.
  static format::MeasureCell *cellOf(format::MeasureCell *&Known,
                                     ProfileFile &File, uint32_t Lane,
                                     format::Slot Site,
                                     format::SegmentHeader *&Head) {
    if (!Known) [[unlikely]]
      Known = newMeasureCell(File, Lane, Site, All, Count, Head);
    uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
    if (Known && Known->Epoch != Epoch) [[unlikely]]
      emptyMeasureCell(*Known, Epoch);
    return Known;
  }

  /// Adds the values of a span that took \p Ticks.
  [[gnu::always_inline]] static void
  add(format::MeasureCell &C, const uint64_t *Values, uint64_t Ticks) {
    uint64_t Word = C.Word;
    format::storeRelaxed(C.Word, Word + 1);
    unsigned I = 0;
    (addOne(C, I++, Values, format::sumOf(Ids)), ...);
    format::storeRelease(C.Time, C.Time + Ticks);
    format::storeRelease(C.Word, Word + 2);
  }

  /// Adds the values of a run that started directly inside.
  static void addNested(format::MeasureCell &C, const uint64_t *Values) {
    for (unsigned I = 0; I < Count; ++I)
      format::storeRelaxed(C.Nested[I], C.Nested[I] + Values[I]);
  }

private:
  [[gnu::always_inline]] static void addOne(format::MeasureCell &C, unsigned I,
                                            const uint64_t *Values,
                                            format::MeasureSum How) {
    if (How == format::MeasureSum::Sum)
      format::storeRelease(C.Sum[I], C.Sum[I] + Values[I]);
    if (Values[I] > C.Max[I]) [[unlikely]] {
      if (How != format::MeasureSum::Sum)
        format::storeRelease(C.Sum[I], Values[I]);
      format::storeRelease(C.Max[I], Values[I]);
    }
  }
};

} // namespace torchprof

#endif // TORCHPROF_MEASURECELLS_H
