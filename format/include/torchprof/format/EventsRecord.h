//===- EventsRecord.h - events of the process -------------------*- C++ -*-===//
//
// What the framework did beside the spans of probes, and when: each kind of
// event has segments of its own, which hold it one by one.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_EVENTSRECORD_H
#define TORCHPROF_FORMAT_EVENTSRECORD_H

#include <cstdint>

namespace torchprof::format {

/// Head of a segment of events. Used grows (release) after an event is
/// complete.
struct EventsRecord {
  uint32_t Capacity;
  uint32_t Used;
};

/// Events of a kind that a profile holds; a counter has the others.
inline constexpr uint32_t MaxEvents = 4096;

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_EVENTSRECORD_H
