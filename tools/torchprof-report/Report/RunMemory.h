//===- RunMemory.h - what the runs took -------------------------*- C++ -*-===//
//
// The peaks of the last runs, and at which node they were: format/Level.h.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_RUNMEMORY_H
#define TORCHPROF_REPORT_RUNMEMORY_H

#include "InTimeOrder.h"
#include "Selection.h"
#include "SiteTable.h"
#include "Table.h"

namespace torchprof::report {

struct RunPeak {
  format::MemoryPlace Place = format::MemoryPlace::Cpu;
  uint32_t Root = NoIndex;
  uint64_t EndRealtimeNs = 0;
  uint64_t EndSteadyNs = 0; ///< TickClock::steadyNs()
  uint64_t Peak = 0;        ///< bytes above what was held at the run's begin
  int64_t Held = 0;         ///< bytes, by the lane's threads at its end
  uint32_t PeakSite = NoIndex;
  std::string Thread; ///< name of the lane
};

/// A run of a profile with memory that was kept.
struct MeasuredRun {
  uint32_t Root = NoIndex;
  uint64_t EndSteadyNs = 0;
  bool HasPeak = false;
};

/// The peaks of all profiles that were added, in order of time.
class RunMemory {
public:
  /// \p Slots: what adding the profile to a table gave.
  void add(const Profile &P, const SlotToSite &Slots);

  llvm::ArrayRef<RunPeak> runs() const { return Runs.rows(); }
  /// Those of which a peak would be kept, if it was known.
  llvm::ArrayRef<MeasuredRun> ended() const { return Ended.rows(); }

private:
  void addEnded(const Profile &P, const SlotToSite &Slots);

  InTimeOrder<RunPeak, &RunPeak::EndSteadyNs> Runs;
  InTimeOrder<MeasuredRun, &MeasuredRun::EndSteadyNs> Ended;
};

/// What the last \p Count runs of each method that has something selected took
/// in \p Place, of all that are kept if it is 0.
Table makeRunPeaks(const SiteTable &Sites, const Selection &Selected,
                   const RunMemory &Memory, format::MemoryPlace Place,
                   unsigned Count);

/// Says of how many of the same runs the memory of the CPU is not known; empty
/// if that is known of all, or memory was not recorded.
std::string noteRunsWithoutMemory(const SiteTable &Sites,
                                  const Selection &Selected,
                                  const RunMemory &Memory, unsigned Count);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_RUNMEMORY_H
