//===- BrowserData.h - profiles as data for the browser ---------*- C++ -*-===//
//
// The JSON that the scripts of the html export read.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_BROWSERDATA_H
#define TORCHPROF_REPORT_BROWSERDATA_H

#include "Exporter.h"

namespace torchprof::report {

/// Everything the page shows: {"title", "facts", "cards", "notes", "gradients",
/// "advice", "columns", "rows", "roofline", "memory", "tree_columns", "tree",
/// "weight", "weight_title", "flame", "runs"}. Safe inside a script element.
llvm::Expected<std::string> pageData(const ExportInput &In);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_BROWSERDATA_H
