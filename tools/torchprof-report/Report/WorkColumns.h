//===- WorkColumns.h - columns of shapes and of what follows ----*- C++ -*-===//
//
// What a row of sites shows if shapes were recorded: the signature of its
// calls, and what these computed and moved (Work.h).
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_WORKCOLUMNS_H
#define TORCHPROF_REPORT_WORKCOLUMNS_H

#include "Columns.h"
#include "SiteWork.h"

namespace torchprof::report {

/// Appends the columns of a row's signature: they are names of rows.
void addShapeColumns(std::vector<RowColumns::Column> &Columns);

/// The value of a column of work, by its number.
Value workValue(size_t Column, const SiteWork &Of, const RowContext &C);
/// Number of the columns of work.
size_t workColumnCount();
/// What is shown above such a column, and what --list-columns says of it.
TableColumn workColumnShape(size_t Column);
std::string workColumnHelp(size_t Column);

/// Appends the columns of the work that \p Of, a member of a line, holds.
template <typename Line>
void addWorkColumns(std::vector<ColumnOf<Line, RowContext>> &Columns,
                    SiteWork Line::*Of) {
  for (size_t I = 0; I < workColumnCount(); ++I)
    Columns.push_back({workColumnShape(I), workColumnHelp(I),
                       [I, Of](const Line &L, const RowContext &C) {
                         return workValue(I, L.*Of, C);
                       }});
}

/// True if a column with one of these ids needs RowOptions::WithWork.
bool needWork(llvm::ArrayRef<std::string> ColumnIds);

/// Notes on what the columns with these ids do not show: shapes that were not
/// recorded, and the time of operators that have no formula and of calls whose
/// shapes are beyond the bound.
std::vector<std::string> workNotes(llvm::ArrayRef<std::string> ColumnIds,
                                   const SiteTable &Sites,
                                   const Selection &Selected,
                                   const Totals &All);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_WORKCOLUMNS_H
