//===- Schedule.h - windows of steps ----------------------------*- C++ -*-===//
//
// The schedule of torch.profiler: skip the first steps, then repeat cycles of
// waiting, warming up (not kept) and active steps. A pure function of the
// step's number.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_SCHEDULE_H
#define TORCHPROF_SCHEDULE_H

#include <cstdint>
#include <string_view>

namespace torchprof {

struct Schedule {
  uint64_t SkipFirst = 0, Wait = 0, Warmup = 0, Active = 0;
  uint64_t Repeat = 0; ///< number of cycles, 0 for no end

  enum class Phase { Off, Warmup, Active };

  /// False for the empty schedule, which records everything.
  bool exists() const { return Active != 0; }

  /// Phase of a step; steps count from 0.
  Phase phase(uint64_t Step) const;

  /// True if what \p Step runs is recorded: if it is active, or of the first
  /// warm-up. Cells still hold the last cycle when a later one comes.
  bool isRecorded(uint64_t Step) const;

  /// True if \p Step is the last active one of its cycle.
  bool endsCycle(uint64_t Step) const;

  /// True if \p Step comes after the last cycle.
  bool isOver(uint64_t Step) const;
};

/// Reads `skip_first=10,wait=5,warmup=1,active=3,repeat=2`, keys in any order,
/// perhaps with spaces in front.
/// The empty text is the empty schedule. False, with \p Result unchanged, if
/// a key is unknown or twice there, a number is bad or active is missing.
bool parseSchedule(std::string_view Text, Schedule &Result);

} // namespace torchprof

#endif // TORCHPROF_SCHEDULE_H
