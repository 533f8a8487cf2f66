//===- Totals.h - what all that is selected adds up to ----------*- C++ -*-===//
//
// Shares are of the sum of the totals of outermost roots (method calls that
// are not inside another one) whose methods have a selected site. Ticks.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_TOTALS_H
#define TORCHPROF_REPORT_TOTALS_H

#include "Selection.h"
#include "SiteTable.h"
#include "Table.h"

namespace torchprof::report {

/// What the whole selection adds up to: Total = Nodes + Gradients +
/// NotSelected + Unattributed - Excess. Ticks.
struct Totals {
  UInt128 Total = 0;        ///< outermost roots
  UInt128 Nodes = 0;        ///< self times of selected sites but roots
  UInt128 Gradients = 0;    ///< selected ones that runs computed
  UInt128 NotSelected = 0;  ///< self times of the others, gradients among them,
                            ///< and what runs called of roots that do not count
  UInt128 Unattributed = 0; ///< self times of the roots
  UInt128 Excess = 0;       ///< what lies beyond its parent, or in no run
  UInt128 CalledAside = 0;  ///< methods that tasks called: a part of Excess
  UInt128 Async = 0;        ///< self times of what ran beside its parent
  UInt128 Backward = 0;     ///< gradients that the host had computed
  double Plans = 0;         ///< LibTorch's, of parts of methods, in runs
  double Probes = 0;        ///< cost of the probes
  double Apart = 0;  ///< of that, what is part of no time: of a whole process
  uint64_t Runs = 0; ///< of the roots
  uint64_t Unfinished = 0;
  uint64_t Cut = 0;

  /// Percent of the total; 0 if there is none, as no run has ended.
  double share(double Ticks) const {
    return Total ? 100 * Ticks / static_cast<double>(Total) : 0;
  }
  /// None if there is no total.
  Value shareValue(double Ticks) const {
    return Total ? Value::percent(share(Ticks)) : Value();
  }
  /// True if \p Ticks are known to be a smaller share than \p Percent.
  bool isBelow(double Ticks, double Percent) const {
    return Total && share(Ticks) < Percent;
  }
};

/// How often each root was run, by site: its calls, but for those inside of
/// other runs if the profiles tell them apart.
std::vector<uint64_t> runsOf(const SiteTable &Sites);

/// What runs of a root measured, and how many of them did.
struct RunMeasure {
  UInt128 Sum = 0;
  uint64_t Count = 0;
};

/// The part of what the calls of \p Root measured that its \p Runs have: what
/// runs inside of others measured is a part of those.
RunMeasure measureOfRuns(const SiteTable &Sites, MeasureId M, uint32_t Root,
                         uint64_t Runs);

Totals makeTotals(const SiteTable &Sites, const Selection &Selected);

/// The roots whose runs these totals are of, by site: those of everything that
/// is selected, or all if nothing that is lies in one.
std::vector<bool> rootsOf(const SiteTable &Sites, const Selection &Selected);

/// All sites that these totals are of: those of the roots, and outside of
/// models what is selected, or all if no root that ran is left out.
std::vector<bool> sitesOfTotals(const SiteTable &Sites,
                                const Selection &Selected);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_TOTALS_H
