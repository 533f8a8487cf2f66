//===- MeasuredSlot.h - one measure of one slot -----------------*- C++ -*-===//
//
// A profile's cells hold measures that were read together; the report takes
// each by itself.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_MEASUREDSLOT_H
#define TORCHPROF_REPORT_MEASUREDSLOT_H

#include "torchprof/format/Site.h"

#include <cstdint>

namespace torchprof::report {

/// What a slot measured of one measure on one lane, as in its
/// format::MeasureCell.
struct MeasuredSlot {
  format::Slot Site;
  uint32_t Epoch;
  uint64_t Word; ///< odd: torn, see readCell()
  uint64_t Sum;
  uint64_t Max;
  uint64_t Time;
  uint64_t Nested;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_MEASUREDSLOT_H
