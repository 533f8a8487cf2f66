//===- NewShapes.h - when which shapes came first ---------------*- C++ -*-===//
//
// A run with shapes that its method has not met before is often slow, and so
// are those that follow with the same ones: LibTorch and the libraries below
// it choose anew. Needs shapes to be recorded (SiteTable::variants).
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_NEWSHAPES_H
#define TORCHPROF_REPORT_NEWSHAPES_H

#include "Runs.h"
#include "Selection.h"
#include "Table.h"

namespace torchprof::report {

/// A row for each run in which nodes of its method met new shapes, in order of
/// time, the last \p Limit of them (0: all). Empty if there is none but the
/// methods' first ones.
Table makeNewShapes(const SiteTable &Sites, const Selection &Selected,
                    const RunLatencies &Latencies, unsigned Limit);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_NEWSHAPES_H
