//===- Plans.h - the plans that LibTorch made -------------------*- C++ -*-===//
//
// Why first runs are slow, and runs with new shapes: LibTorch makes plans
// before and in them (torchprof/format/PlanEvent.h).
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_PLANS_H
#define TORCHPROF_REPORT_PLANS_H

#include "InTimeOrder.h"
#include "Selection.h"
#include "SiteTable.h"
#include "Table.h"

namespace torchprof::report {

/// A plan, in the terms of a table of sites.
struct MadePlan {
  format::PlanEvent Event;
  uint32_t Root = NoIndex;    ///< site of its method
  uint32_t RunRoot = NoIndex; ///< of the method whose run it was made for
  uint32_t First = NoIndex;   ///< site of its first node
  uint64_t BeginRealtimeNs = 0;
  uint64_t BeginSteadyNs = 0; ///< TickClock::steadyNs()
  double Ns = 0, OwnNs = 0;
  std::string Thread; ///< name of its lane, or its number
};

/// The plans of all profiles that were added, in order of time.
class PlanHistory {
public:
  /// \p Slots: what adding the profile to \p Sites gave.
  void add(const Profile &P, const SiteTable &Sites, const SlotToSite &Slots);

  llvm::ArrayRef<MadePlan> plans() const { return Plans.rows(); }

private:
  InTimeOrder<MadePlan, &MadePlan::BeginSteadyNs> Plans;
};

/// The \p Limit plans that took longest, all if it is 0, in order of time, of
/// the methods that have something selected or made for runs of these; at the
/// foot what all of them took.
Table makePlanTable(const SiteTable &Sites, const Selection &Selected,
                    const PlanHistory &History, unsigned Limit);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_PLANS_H
