//===- DeviceSpan.h - what a device did, span by span -----------*- C++ -*-===//
//
// In trace mode a lane keeps the device times of its last or first spans in the
// order in which they became known. Each of the lane's streams has a clock of
// its own. A span begins there after it did on the host, and at once if the
// stream had nothing to do: so the largest difference between HostTicks and
// BeginNs, in one unit, is how late the stream's clock began.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_DEVICESPAN_H
#define TORCHPROF_FORMAT_DEVICESPAN_H

#include "torchprof/format/LogRecord.h"

namespace torchprof::format {

/// Head of a DeviceSpans segment, a ring as that of levels (Level.h).
struct DeviceSpansRecord {
  uint32_t Capacity;
  LogKeep Keep;
  uint64_t Count; ///< spans offered in Epoch
  uint32_t Epoch; ///< as in Cell
  uint32_t Reserved;
};
static_assert(sizeof(DeviceSpansRecord) == 24);

struct DeviceSpan {
  uint64_t HostTicks; ///< the span's begin on the host
  uint64_t BeginNs;   ///< by the stream's clock
  uint64_t Ns;        ///< how long it took there
  Slot Site;
  uint16_t Device; ///< index of the device
  uint16_t Stream; ///< the framework's number, its lower bits
};
static_assert(sizeof(DeviceSpan) == 32);

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_DEVICESPAN_H
