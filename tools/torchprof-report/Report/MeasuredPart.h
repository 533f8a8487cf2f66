//===- MeasuredPart.h - how many of the calls were measured -----*- C++ -*-===//
//
// Time is recorded in all calls, what is measured beside it perhaps in a part
// of them (TORCHPROF_RECORD_EVERY, or what was switched on or off meanwhile).
// Sums are of that part, and nothing in a row says so.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_MEASUREDPART_H
#define TORCHPROF_REPORT_MEASUREDPART_H

#include "Selection.h"

namespace torchprof::report {

/// Notes on what of the columns with these ids was recorded in a part of the
/// calls of what is selected. Not of devices: what gives them nothing to do is
/// not measured, and "device_calls" has the number. \p Meaning: what numbers
/// are made of that part.
std::vector<std::string>
partNotes(llvm::ArrayRef<std::string> ColumnIds, const SiteTable &Sites,
          const Selection &Selected,
          llvm::StringRef Meaning = "sums are of these");

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_MEASUREDPART_H
