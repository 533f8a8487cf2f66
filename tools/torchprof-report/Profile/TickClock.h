//===- TickClock.h - from clock ticks to nanoseconds ------------*- C++ -*-===//
//
// A profile's times are ticks. The rate comes from the first and the last
// anchor when they are far enough apart, else from the runtime's calibration;
// a clock that ticks in nanoseconds needs neither. What CLOCK_REALTIME was set
// by meanwhile, all anchors tell. Values only, thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_TICKCLOCK_H
#define TORCHPROF_REPORT_TICKCLOCK_H

#include "Profile.h"

#include <vector>

namespace torchprof::report {

class TickClock {
public:
  /// One tick is one nanosecond.
  TickClock() = default;

  /// The clock of a profile. A profile without a usable rate gets one tick per
  /// nanosecond, and rateKnown() says so.
  explicit TickClock(const Profile &P);

  double nsPerTick() const { return Rate; }
  bool rateKnown() const { return Known; }

  /// Nanoseconds of a number of ticks.
  double toNs(double Ticks) const { return Ticks * Rate; }

  /// Nanoseconds since the first anchor, or since the process's start.
  double sinceStart(uint64_t Ticks) const {
    return static_cast<double>(static_cast<int64_t>(Ticks - Origin)) * Rate;
  }

  /// CLOCK_REALTIME, in nanoseconds, of a tick, had it not been set since the
  /// first anchor: a later tick has a later time, so rows are sorted by this.
  uint64_t steadyNs(uint64_t Ticks) const {
    return OriginRealtimeNs + static_cast<int64_t>(sinceStart(Ticks));
  }

  /// CLOCK_REALTIME, in nanoseconds, of a tick. One that lies between two
  /// anchors between which that was set is told as the first of them has it.
  uint64_t realtimeNs(uint64_t Ticks) const {
    return steadyNs(Ticks) + setBy(Ticks);
  }

  /// The tick of this clock at the time of a tick of \p Other, by
  /// CLOCK_REALTIME: clocks of two machines have nothing else in common. A time
  /// that this one was set beyond is the last one before that; of one that came
  /// twice it is the later one.
  uint64_t tickOf(const TickClock &Other, uint64_t Ticks) const;

  /// CLOCK_MONOTONIC, in ns, of a tick: what other processes of the machine
  /// read now. Negative if no anchor tells it.
  double monotonicNs(uint64_t Ticks) const {
    return OriginMonotonicNs < 0 ? -1 : OriginMonotonicNs + sinceStart(Ticks);
  }

  /// Largest distance, in ns, of an anchor's monotonic time from the straight
  /// line: how far the clock drifted.
  double driftNs() const { return Drift; }

  bool operator==(const TickClock &Other) const {
    return Rate == Other.Rate && Steps == Other.Steps;
  }

private:
  /// CLOCK_REALTIME was set: from a tick on, by so many nanoseconds in all.
  struct Step {
    int64_t Since; ///< ticks from Origin on
    int64_t Ns;
    bool operator==(const Step &) const = default;
  };

  void addStep(const format::ClockAnchor &First, const format::ClockAnchor &A);
  int64_t setBy(uint64_t Ticks) const;

  double Rate = 1;
  bool Known = true;
  uint64_t Origin = 0;
  uint64_t OriginRealtimeNs = 0;
  double OriginMonotonicNs = -1;
  double Drift = 0;
  std::vector<Step> Steps; ///< in the order of time
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_TICKCLOCK_H
