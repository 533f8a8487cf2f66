//===- MeasureCells.h - what slots measured, in the file --------*- C++ -*-===//
//
// The cells of a measure on a lane, segment by segment. Who calls for a lane
// is its owner, or holds the lock that stands for the owner of these cells.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_MEASURECELLS_H
#define TORCHPROF_MEASURECELLS_H

#include "torchprof/format/Atomics.h"
#include "torchprof/format/Measure.h"
#include "torchprof/format/Records.h"

#include <algorithm>
#include <cstdint>

namespace torchprof {

class ProfileFile;

/// A row of Measures.def.
struct MeasureInfo {
  format::MeasureId Id;
  const char *Name;
  format::MeasureUnit Unit;
  format::MeasureSum Sum;
};

const MeasureInfo &measureInfo(format::MeasureId Id);

/// A new cell of lane number \p Lane in the segment \p Head, or in one that
/// takes its place if there is none or it is full. Null without memory. Takes
/// the process lock.
format::MeasureCell *newMeasureCell(ProfileFile &File, uint32_t Lane,
                                    format::Slot Site, const MeasureInfo &Of,
                                    format::SegmentHeader *&Head);

/// Makes a cell of an older epoch one of \p Epoch.
void emptyMeasureCell(format::MeasureCell &C, uint32_t Epoch);

/// Adds the value of a span that took \p Ticks.
inline void addToMeasureCell(format::MeasureCell &C, bool Adds, uint64_t Value,
                             uint64_t Ticks) {
  uint64_t Word = C.Word;
  format::storeRelaxed(C.Word, Word + 1);
  format::storeRelease(C.Sum, Adds ? C.Sum + Value : std::max(C.Sum, Value));
  if (Value > C.Max)
    format::storeRelease(C.Max, Value);
  format::storeRelease(C.Time, C.Time + Ticks);
  format::storeRelease(C.Word, Word + 2);
}

} // namespace torchprof

#endif // TORCHPROF_MEASURECELLS_H
