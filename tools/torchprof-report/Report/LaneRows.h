//===- LaneRows.h - a row for each thread -----------------------*- C++ -*-===//
//
// GroupBy::Thread of Rows.h. A lane measured a part of many sites, so these
// rows are made of what each lane has, not of whole sites as all others.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_LANEROWS_H
#define TORCHPROF_REPORT_LANEROWS_H

#include "Rows.h"

namespace torchprof::report {

/// A row for each lane, and one for what ran on it outside of all models. Needs
/// a table that was filled with AddOptions::Lanes.
std::vector<Row> makeLaneRows(const SiteTable &Sites,
                              const Selection &Selected);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_LANEROWS_H
