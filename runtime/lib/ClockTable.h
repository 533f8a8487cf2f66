//===- ClockTable.h - anchors of the tick clock in the profile --*- C++ -*-===//
//
// Writes the clock segment: readings of the tick clock beside the system's
// clocks, from which the report learns the rate and its drift. The table has a
// fixed size; when it is full it keeps every second anchor.
//
// The caller holds the process lock.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_CLOCKTABLE_H
#define TORCHPROF_CLOCKTABLE_H

#include "torchprof/format/Records.h"

namespace torchprof {

class ClockTable {
public:
  /// Anchors that fit into one page with the heads before them.
  static constexpr uint32_t Capacity =
      (format::PageBytes - sizeof(format::SegmentHeader) -
       sizeof(format::ClockRecord)) /
      sizeof(format::ClockAnchor);

  /// Begins the table in a segment of zero bytes with room for Capacity
  /// anchors, with one anchor.
  void begin(format::SegmentHeader &Segment);

  /// Appends an anchor; nothing before begin().
  void addAnchor();

private:
  void halve();

  format::ClockRecord *Record = nullptr;
  format::ClockAnchor *Anchors = nullptr;
};

} // namespace torchprof

#endif // TORCHPROF_CLOCKTABLE_H
