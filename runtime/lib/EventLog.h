//===- EventLog.h - events of one kind --------------------------*- C++ -*-===//
//
// What the framework did before runs and in them, in one recording. Events wait
// in memory until there is a file. Their number is bounded: what goes on for
// ever must not fill the disk.
//
// Not thread-safe: the process lock guards it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_EVENTLOG_H
#define TORCHPROF_EVENTLOG_H

#include "ProfileFile.h"
#include "WaitingEvents.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

namespace torchprof {

/// \p Type: the segments that hold the events. \p Dropped counts those that do
/// not fit.
template <format::SegmentType Type, format::Counter Dropped> class EventLog {
  using EventsSegment = format::SegmentOf<Type>;

  /// Events of a segment: as many as fill a page.
  static constexpr uint32_t SegmentEvents =
      (format::PageBytes - sizeof(format::SegmentHeader) -
       EventsSegment::payloadBytes()) /
      sizeof(typename EventsSegment::Entry);

public:
  using Event = typename EventsSegment::Entry;

  using WaitingList = WaitingEvents<Event, Dropped>;

  explicit EventLog(WaitingList Early = {}) : Waiting(std::move(Early)) {}

  /// Keeps an event until there is a file.
  void wait(const Event &E) { Waiting.add(E); }

  /// Hands over the events that wait.
  std::vector<Event> takeWaiting() { return Waiting.take(); }

  /// Puts an event into \p File, which exists. What does not fit is counted.
  void write(ProfileFile &File, const Event &E) {
    if (Count == format::MaxEvents)
      return count(Dropped);
    if (!Segment) {
      format::SegmentHeader *Head =
          File.add(Type, EventsSegment::payloadBytes(SegmentEvents));
      if (!Head)
        return count(Dropped);
      EventsSegment(Head).record().Capacity = SegmentEvents;
      File.publish();
      Segment = Head;
    }
    EventsSegment Events(Segment);
    uint32_t Used = Events.record().Used;
    Events.entries()[Used] = E;
    format::storeRelease(Events.record().Used, Used + 1);
    ++Count;
    if (Used + 1 == SegmentEvents)
      Segment = nullptr;
  }

private:
  WaitingList Waiting;
  format::SegmentHeader *Segment = nullptr; ///< that has room, or null
  uint32_t Count = 0;                       ///< of all segments
};

using PlanLog =
    EventLog<format::SegmentType::Plans, format::Counter::DroppedPlans>;
using LoadLog =
    EventLog<format::SegmentType::Loads, format::Counter::DroppedLoads>;

} // namespace torchprof

#endif // TORCHPROF_EVENTLOG_H
