//===- Summary.h - the summary's documents ----------------------*- C++ -*-===//
//
// What `torchprof-report summary` says, in the report's own style and in the
// styles of the tools that users come from.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_SUMMARY_H
#define TORCHPROF_REPORT_SUMMARY_H

#include "Columns.h"
#include "Rows.h"
#include "Runs.h"
#include "Table.h"

namespace torchprof::report {

/// What all styles look at.
struct SummaryInput {
  const SiteTable &Sites;
  const Selection &Selected;
  Totals All;

  SummaryInput(const SiteTable &Sites, const Selection &Selected)
      : Sites(Sites), Selected(Selected), All(makeTotals(Sites, Selected)) {}

  RowContext context() const { return {Sites.clock(), All}; }
};

struct SummaryOptions {
  GroupBy Group = GroupBy::Node;
  unsigned StackDepth = 0;
  bool ShowAll = false; ///< also nodes that never ran, and each name in notes
  double MinPercent = 0;
  unsigned Limit = 0;               ///< 0: no limit
  unsigned NameWidth = 0;           ///< of names for people; 0: any
  std::vector<std::string> Sort;    ///< empty: the style's default
  std::vector<std::string> Columns; ///< empty: the grouping's default
};

/// The report's own table.
llvm::Expected<Table> makeSummary(const SummaryInput &In,
                                  const SummaryOptions &Options);

/// The table of PyTorch's FX profiling interpreter: a row per call of a leaf
/// module or of an operator outside one. Averages are per run of the method.
llvm::Expected<Table> makeFxTable(const SummaryInput &In,
                                  const SummaryOptions &Options);

/// The table of torch.profiler's key_averages().
llvm::Expected<Table> makeTorchTable(const SummaryInput &In,
                                     const SummaryOptions &Options);

/// Run order, top by time and summary by node type of TensorFlow Lite's
/// benchmark tool. \p Kept: the runs of methods that are also called in runs
/// are told from these.
llvm::Expected<Document> makeTfliteDocument(const SummaryInput &In,
                                            const SummaryOptions &Options,
                                            const RunLatencies &Kept);

/// Appends the lines that account for all of the time: Sum of nodes, Total,
/// Unattributed, Plans, Excess, Probe cost, Unfinished, Cut, Lost, and notes on
/// what else was counted. \p NameAll: notes leave no name out.
void addFooter(Table &T, const SummaryInput &In, bool NameAll);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_SUMMARY_H
