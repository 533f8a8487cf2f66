//===- DeviceColumns.h - what rows say of devices ---------------*- C++ -*-===//
//
// Columns and lines made from the measures "device" (time on a device's stream)
// and "starved" (nodes that began when the device had nothing to do).
//
// A row is launch-bound if the device waited for its host there: it had nothing
// to do at the begins of most of its calls, and came to their ends no later
// than the host, or by a tenth at most.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_DEVICECOLUMNS_H
#define TORCHPROF_REPORT_DEVICECOLUMNS_H

#include "Columns.h"
#include "Summary.h"

namespace torchprof::report {

/// Numbers of the two measures, if a table has both.
struct DeviceMeasures {
  llvm::Optional<MeasureId> Time, Starved;
  explicit DeviceMeasures(llvm::ArrayRef<TableMeasure> Measures);
  explicit operator bool() const { return Time && Starved; }
};

/// True if the device waited for the host there. \p Calls were measured and
/// took \p HostNs and \p DeviceNs.
bool isLaunchBound(double HostNs, double DeviceNs, uint64_t Starved,
                   uint64_t Calls);

/// Adds launch_bound.
void addDeviceColumns(std::vector<RowColumns::Column> &Out,
                      llvm::ArrayRef<TableMeasure> Measures);

/// Adds the lines of the footer: the device's time in runs, and how much of it
/// no node has.
void addDeviceLines(Table &T, const SummaryInput &In);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_DEVICECOLUMNS_H
