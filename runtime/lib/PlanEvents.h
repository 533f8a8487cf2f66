//===- PlanEvents.h - plans that the framework has made ---------*- C++ -*-===//
//
// The events of one recording. A method's first plan is made before its first
// probe runs, so events wait in memory until there is a file; a host that
// records nothing gets none. Their number is bounded: a host that makes plans
// for ever must not fill the disk.
//
// Not thread-safe: the process lock guards it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PLANEVENTS_H
#define TORCHPROF_PLANEVENTS_H

#include "ProfileFile.h"
#include "torchprof/format/PlanEvent.h"

#include <utility>
#include <vector>

namespace torchprof {

class PlanEvents {
public:
  /// Keeps an event until there is a file. May throw std::bad_alloc.
  void wait(const format::PlanEvent &Event);

  /// Hands over the events that wait.
  std::vector<format::PlanEvent> takeWaiting() {
    return std::exchange(Waiting, {});
  }

  /// Puts an event into \p File, which exists. What does not fit is counted.
  void write(ProfileFile &File, const format::PlanEvent &Event);

private:
  std::vector<format::PlanEvent> Waiting;
  format::SegmentHeader *Segment = nullptr; ///< that has room, or null
  uint32_t Count = 0;                       ///< of all segments
};

/// Runs of \p Root on all threads that have ended since the tick \p Since, the
/// last reset's.
uint64_t endedRuns(const ProfileFile &File, format::Slot Root, uint64_t Since);

} // namespace torchprof

#endif // TORCHPROF_PLANEVENTS_H
