//===- Runs.h - how long the runs took --------------------------*- C++ -*-===//
//
// Tables about whole runs of a method, about nodes that differ from run to
// run, and about the single calls of nodes that a profile keeps.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_RUNS_H
#define TORCHPROF_REPORT_RUNS_H

#include "InTimeOrder.h"
#include "Selection.h"
#include "SiteTable.h"
#include "Table.h"

namespace torchprof::report {

/// One of the last runs of a root.
struct RunLatency {
  uint64_t EndRealtimeNs = 0; ///< CLOCK_REALTIME, as far as the anchors know
  uint64_t EndSteadyNs = 0;   ///< TickClock::steadyNs()
  double LatencyNs = 0;
  std::string Thread;        ///< name of the lane
  bool LacksEarlier = false; ///< the ring does not hold the thread's first runs
};

/// The runs that the profiles' rings still hold, by root, in order of time.
class RunLatencies {
public:
  /// Adds the rings of a profile. \p Slots: what adding it to a table gave.
  void add(const Profile &P, const SlotToSite &Slots);

  /// Latencies of a root's last runs; empty if none are known.
  llvm::ArrayRef<RunLatency> of(uint32_t Root) const;

private:
  std::map<uint32_t, InTimeOrder<RunLatency, &RunLatency::EndSteadyNs>> ByRoot;
};

/// The tables of runs are of the methods that have something selected, as
/// rootsOf() has them.
///
/// Minimum, mean, percentiles, maximum and first of each method. Percentiles
/// are exact when the rings still hold every run; else they come from the
/// histogram.
Table makeLatencyTable(const SiteTable &Sites, const Selection &Selected,
                       const RunLatencies &Latencies);

/// Number of runs per range of latencies, with bars for people.
Table makeLatencyHistogram(const SiteTable &Sites, const Selection &Selected,
                           const RunLatencies &Latencies);

/// The last \p Count runs of each method, all that are kept if it is 0.
Table makeLastRuns(const SiteTable &Sites, const Selection &Selected,
                   const RunLatencies &Latencies, unsigned Count);

/// The first calls, thread by thread, of the sites named \p Name: those that
/// their cells keep one by one. Needs a table filled with AddOptions::Lanes.
/// The error says what names exist that are similar.
llvm::Expected<Table> makeFirstCalls(const SiteTable &Sites,
                                     const Selection &Selected,
                                     llvm::StringRef Name);

/// Nodes by std / mean, the most varying first, of those that matter: at least
/// 0.1 % of the total.
Table makeVaryingNodes(const SiteTable &Sites, const Selection &Selected,
                       unsigned Limit);

/// Nodes whose first call took at least twice their steady time, by the time
/// lost.
Table makeSlowFirstCalls(const SiteTable &Sites, const Selection &Selected,
                         unsigned Limit);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_RUNS_H
