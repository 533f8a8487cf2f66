//===- LaneClock.h - the clock as a lane reads it ---------------*- C++ -*-===//
//
// What a probe has to know of the clock besides the clock itself: whether it is
// the processor's counter, and how much of the time lies apart, in no span:
// that of folding, and of telling a device to stamp events. Both lie in one
// word of the line that every probe touches: clock::UseCounter lies in a line
// that a node that streams megabytes has pushed out.
//
// A word of zeros, as in a wiped lane, reads the slow clock.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_LANECLOCK_H
#define TORCHPROF_LANECLOCK_H

#include "Clock.h"

#include <cstdint>

namespace torchprof {

/// Of one thread. A copy tells how much lay apart up to then.
class LaneClock {
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

  /// Ticks that are part of no span.
  uint64_t apart() const { return Word >> 1; }
  uint64_t apartSince(LaneClock Then) const { return apart() - Then.apart(); }
  void addApart(uint64_t Ticks) { Word += Ticks << 1; }

private:
  static constexpr uint64_t ReadsCounter = 1;
  uint64_t Word = 0;
};

} // namespace torchprof

#endif // TORCHPROF_LANECLOCK_H
