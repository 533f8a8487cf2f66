//===- WorkColumns.h - columns of shapes and of what follows ----*- C++ -*-===//
//
// What a row of sites shows if shapes were recorded: the signature of its
// calls, and what these computed and moved (Work.h).
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_WORKCOLUMNS_H
#define TORCHPROF_REPORT_WORKCOLUMNS_H

#include "Columns.h"

namespace torchprof::report {

/// Appends the columns of a row's signature: they are names of rows.
void addShapeColumns(std::vector<RowColumns::Column> &Columns);

/// Appends the columns of a row's work, which RowOptions::WithWork fills.
void addWorkColumns(std::vector<RowColumns::Column> &Columns);

/// True if a column with one of these ids needs RowOptions::Work.
bool needWork(llvm::ArrayRef<std::string> ColumnIds);

/// Notes on what the columns with these ids do not show: shapes that were not
/// recorded, and the time of operators that have no formula.
std::vector<std::string> workNotes(llvm::ArrayRef<std::string> ColumnIds,
                                   const SiteTable &Sites,
                                   const Selection &Selected,
                                   const Totals &All);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_WORKCOLUMNS_H
