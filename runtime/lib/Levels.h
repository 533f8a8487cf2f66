//===- Levels.h - what threads held when spans ended ------------*- C++ -*-===//
//
// Keeps the levels of a recording (format/Level.h), while memory is measured.
// Called by the lane's owner, at the end of spans that were recorded.
//
// A level of a span has what was allocated and freed in spans of the lane's
// threads. What threads did while no span was open on them, also those that
// never run a model, is in the next such level of whatever lane, once: so the
// last levels of all lanes add up to what the process holds. A level of a run
// says what the lane's threads hold, as they allocated and freed it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_LEVELS_H
#define TORCHPROF_LEVELS_H

#include "Lane.h"

namespace torchprof {

class Levels {
public:
  Levels(ProfileFile &File, const Host &Program);

  /// True if memory is measured.
  bool exist() const { return Kept; }

  /// The outermost run of \p Site ended at \p Now.
  void runEnded(Lane &L, format::Slot Site, uint64_t Now);

  /// A span ended; does nothing unless the log keeps spans.
  void spanEnded(Lane &L, format::Slot Site, uint64_t Now) {
    if (SpanKeep != format::LogKeep::None)
      addSpan(L, Site, Now);
  }

private:
  void addSpan(Lane &L, format::Slot Site, uint64_t Now);
  /// Adds a level of each place that is used to its ring, which the first
  /// makes.
  void addEach(Lane &L,
               format::SegmentHeader *(&Rings)[format::MemoryPlaceCount],
               uint32_t Capacity, format::LogKeep Keep, bool OfRuns,
               format::Slot Site, uint64_t Now);
  format::SegmentHeader *make(const Lane &L, uint32_t Capacity,
                              format::LogKeep Keep, bool OfRuns,
                              format::MemoryPlace Place);

  ProfileFile &File;
  bool Kept;
  format::LogKeep SpanKeep;
  uint32_t SpanCount; ///< that each lane keeps
};

} // namespace torchprof

#endif // TORCHPROF_LEVELS_H
