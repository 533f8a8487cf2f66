//===- Columns.h - the column ids -------------------------------*- C++ -*-===//
//
// One row per column id of the report: what --columns, --list-columns, --sort,
// CSV and JSON call it, what people see, and how a row gives its value.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_COLUMNS_H
#define TORCHPROF_REPORT_COLUMNS_H

#include "Rows.h"
#include "Table.h"

#include "llvm/Support/Error.h"

namespace torchprof::report {

/// What a column needs beside the row.
struct RowContext {
  const TickClock &Clock;
  const Totals &All;
};

struct Column {
  llvm::StringLiteral Id;
  llvm::StringLiteral Title;
  llvm::StringLiteral Help;
  ValueType Type;
  Shorten Narrow;
  bool NeedsHistogram;
  Value (*Get)(const Row &R, const RowContext &Context);

  TableColumn describe() const {
    return TableColumn::make(Id, Title, Type, Narrow);
  }
};

/// All columns, in the order of the documentation.
llvm::ArrayRef<Column> allColumns();

/// Finds columns by their ids. The error lists the ids that exist.
llvm::Expected<std::vector<const Column *>>
findColumns(llvm::ArrayRef<std::string> Ids, llvm::StringRef Option);

/// Sorts rows: by each key in turn, numbers from the largest, texts from the
/// first; the key "order" and all ties by place in the source. The error lists
/// the keys that exist.
llvm::Error sortRows(std::vector<Row> &Rows, llvm::ArrayRef<std::string> Keys,
                     const RowContext &Context);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_COLUMNS_H
