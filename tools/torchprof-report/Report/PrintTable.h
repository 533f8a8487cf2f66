//===- PrintTable.h - aligned text ------------------------------*- C++ -*-===//
//
// One table as aligned text for a terminal: what printDocument() uses for
// --format=table, and what it shares with Markdown.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_PRINTTABLE_H
#define TORCHPROF_REPORT_PRINTTABLE_H

#include "Table.h"

namespace torchprof::report {

/// Prints \p T. Texts of columns that allow it are shortened until a line fits
/// Options.Width.
void printTextTable(const Table &T, const PrintOptions &Options,
                    llvm::raw_ostream &OS);

/// Heading of a column for people, with the unit when the column has one unit:
/// "total (ms)".
std::string headingOf(const TableColumn &C, TimeUnit Unit);

/// The amount of a line of the foot for people, with its unit: "1.200 ms".
std::string footerAmount(const FooterLine &Line, TimeUnit Unit);

/// Shortens \p Text, which is printable, to \p Width columns of a terminal;
/// ".." stands for what is gone. A path that keeps its end loses whole
/// components first.
std::string shortened(llvm::StringRef Text, unsigned Width, Shorten How);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_PRINTTABLE_H
