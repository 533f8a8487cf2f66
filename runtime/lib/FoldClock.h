//===- FoldClock.h - the clock as a lane reads it ---------------*- C++ -*-===//
//
// What a probe has to know of the clock besides the clock itself: whether it is
// the processor's counter, and how much of the time went into folding, which is
// part of no span. Both lie in one word of the line that every probe touches:
// clock::UseCounter lies in a line that a node that streams megabytes has
// pushed out.
//
// A word of zeros, as in a wiped lane, reads the slow clock.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FOLDCLOCK_H
#define TORCHPROF_FOLDCLOCK_H

#include "Clock.h"

#include <cstdint>

namespace torchprof {

/// Of one thread. A copy tells how much was folded up to then.
class FoldClock {
public:
  /// As clock::ticks().
  uint64_t ticks() const {
    if constexpr (processor::HasCounter)
      if (Word & ReadsCounter) [[likely]]
        return processor::readCounter();
    return clock::slowTicks();
  }

  /// Reads the clock that is chosen now. The cold path calls this: a clock is
  /// changed only while no probe runs.
  void followChoice() { Word = (Word & ~ReadsCounter) | clock::UseCounter; }

  /// Ticks spent in folding.
  uint64_t folding() const { return Word >> 1; }
  uint64_t foldingSince(FoldClock Then) const {
    return folding() - Then.folding();
  }
  void addFolding(uint64_t Ticks) { Word += Ticks << 1; }

private:
  static constexpr uint64_t ReadsCounter = 1;
  uint64_t Word = 0;
};

} // namespace torchprof

#endif // TORCHPROF_FOLDCLOCK_H
