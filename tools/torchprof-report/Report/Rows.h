//===- Rows.h - sites grouped into rows -------------------------*- C++ -*-===//
//
// A row is one site or a group of them. Its numbers:
//
//   total  time between begin and end. Of a group: the sum over its outermost
//          members, so that a node inside another member is not counted twice.
//   self   total minus the synchronous children's, summed over the members.
//   calls, mean, percentiles: over the spans of all members.
//
// Shares are of the sum of the totals of outermost roots (method calls that
// are not inside another one) whose methods have a selected site. Ticks.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_ROWS_H
#define TORCHPROF_REPORT_ROWS_H

#include "Selection.h"
#include "SiteTable.h"

namespace torchprof::report {

enum class GroupBy { Node, Kind, Module, Class, Source, Stack, Thread, Method };

struct Row {
  uint32_t Order = 0; ///< site number of the first member
  // What all members agree on; empty where they do not.
  std::string Kind, Name, Module, Class, Source;
  Aggregate Measured;
  UInt128 Total = 0;
  __int128 Self = 0;
  uint32_t Members = 0;
  bool Outside = true; ///< no member is part of the runs' time

  /// Self for people: never below 0. See belowZero().
  double selfTicks() const { return Self > 0 ? static_cast<double>(Self) : 0; }
  /// Children were counted whose parents were cut or not finished.
  bool belowZero() const { return Self < 0; }
};

/// What the whole selection adds up to. Ticks.
struct Totals {
  UInt128 Total = 0;        ///< outermost roots
  __int128 Nodes = 0;       ///< self times of selected sites but roots
  __int128 NotSelected = 0; ///< self times of the others
  __int128 Async = 0;       ///< self times of what ran beside its parent
  uint64_t Runs = 0;        ///< counted calls of the roots
  uint64_t Unfinished = 0;
  uint64_t Cut = 0;

  __int128 unattributed() const {
    return static_cast<__int128>(Total) - Nodes - NotSelected;
  }
  double share(double Ticks) const {
    return Total ? 100 * Ticks / static_cast<double>(Total) : 0;
  }
};

struct RowOptions {
  GroupBy Group = GroupBy::Node;
  unsigned StackDepth = 0; ///< frames of GroupBy::Stack; 0: all
  bool Unreached = false;  ///< also sites that no run came to
  /// GroupBy::Kind and Stack: a group for each method and each region.
  bool NamesApart = false;
};

/// One row per group, in the order of their first members. GroupBy::Thread
/// needs the lanes and is made by the caller with one table per lane.
std::vector<Row> makeRows(const SiteTable &Sites, const Selection &Selected,
                          const RowOptions &Options);

Totals makeTotals(const SiteTable &Sites, const Selection &Selected);

/// The sites' totals as one row, for GroupBy::Thread.
Row makeThreadRow(const SiteTable &Sites, const Selection &Selected,
                  llvm::StringRef Name, uint32_t Order);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_ROWS_H
