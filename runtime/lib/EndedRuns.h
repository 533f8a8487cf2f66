//===- EndedRuns.h - runs that ended on another thread ----------*- C++ -*-===//
//
// A run that waits for a task may go on and end on another thread than it began
// on. The first one, where its frame stays, cannot tell by itself: what it does
// next may come from a deeper native frame and would count as a call in that
// run. So an end that finds no frame leaves a note for whoever has it. So does
// the end of a label, in which all that its first thread does next would lie.
//
// A thread that has ended takes no note. Room is for 256 notes, and a new one
// takes the place of an older one if need be: who has lost its note lets its
// frame go when it enters a root from no deeper a native frame.
//
// Any thread; no locks.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ENDEDRUNS_H
#define TORCHPROF_ENDEDRUNS_H

#include "torchprof/format/Site.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace torchprof {

class EndedRuns {
public:
  /// Notes that the run of \p Root, or the label, that began at \p Begin has
  /// ended.
  void add(uint64_t Begin, format::Slot Root);

  /// True if that was noted. The note is gone then.
  bool take(uint64_t Begin, format::Slot Root);

  bool empty() const { return !Count.load(std::memory_order_relaxed); }

private:
  /// 0 where there is no note. A run is looked for in one group only.
  using Group = std::array<std::atomic<uint64_t>, 8>;
  Group &groupOf(uint64_t Key) { return Groups[Key >> 59]; }

  std::array<Group, 32> Groups = {};
  std::atomic<uint32_t> Count{0};
};

} // namespace torchprof

#endif // TORCHPROF_ENDEDRUNS_H
