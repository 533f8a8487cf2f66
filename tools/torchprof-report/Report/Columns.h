//===- Columns.h - the columns of the summary -------------------*- C++ -*-===//
//
// What a row of sites can show. Each measure has columns made from its
// description; those that a profile lacks exist too and are empty, so that a
// script gets the same columns from every file.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_COLUMNS_H
#define TORCHPROF_REPORT_COLUMNS_H

#include "ColumnSet.h"
#include "Rows.h"
#include "Totals.h"

namespace torchprof::report {

/// What a column needs beside the row.
struct RowContext {
  const TickClock &Clock;
  const Totals &All;
};

/// A time of gradients; empty if none were computed.
Value backwardValue(const GradientSum &Sum, const RowContext &C);
/// The same of devices' times.
Value backwardDeviceValue(const GradientSum &Sum, const RowContext &C);

using RowColumns = ColumnSet<Row, RowContext>;

/// All columns of rows, in the order of the documentation. \p Measures: what
/// the table of the rows has.
RowColumns rowColumns(llvm::ArrayRef<TableMeasure> Measures);

/// The column ids of the measures that \p Measures has and people should see
/// without asking.
std::vector<std::string>
shownMeasureColumns(llvm::ArrayRef<TableMeasure> Measures);

/// A note for each known measure that one of the columns shows and the profile
/// does not have: how to record it, or that no device reported any. \p Names:
/// what the user calls the columns, in the same order; their ids if empty.
std::vector<std::string>
missingMeasureNotes(llvm::ArrayRef<std::string> ColumnIds,
                    llvm::ArrayRef<TableMeasure> Measures,
                    llvm::ArrayRef<std::string> Names = {});

/// How far a percentile may be from the exact value: "12.5 % and 2 ticks". \p
/// Rescaled: SiteTable::rescaled().
std::string quantileBound(unsigned Rescaled = 0);

/// The note that percentiles may be farther from it than the columns say; empty
/// if they may not, or none of the columns has any.
std::string rescaledNote(llvm::ArrayRef<std::string> ColumnIds,
                         unsigned Rescaled);

/// The note that explains "*"; added to \p T if one of its values has it.
void explainMarks(Table &T);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_COLUMNS_H
