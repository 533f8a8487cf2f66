//===- DeviceColumns.cpp - what rows say of devices -----------------------===//

#include "DeviceColumns.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

DeviceMeasures::DeviceMeasures(ArrayRef<TableMeasure> Measures)
    : Time(numberOf(Measures, "device")),
      Starved(numberOf(Measures, "starved")) {}

bool report::isLaunchBound(double HostNs, double DeviceNs, uint64_t Starved,
                           uint64_t Calls) {
  return Calls && 2 * Starved > Calls && DeviceNs <= 1.1 * HostNs;
}

void report::addDeviceColumns(std::vector<RowColumns::Column> &Out,
                              ArrayRef<TableMeasure> Measures) {
  DeviceMeasures Of(Measures);
  Out.push_back(
      {TableColumn::text("launch_bound", "launch-bound"),
       "yes: the device had nothing to do and waited for the host there "
       "(TORCHPROF_RECORD=device)",
       [Of](const Row &R, const RowContext &C) {
         if (!Of || R.Overlay || !R.CallsAreSpans)
           return Value();
         const RowMeasure &Time = R.Measures[*Of.Time];
         auto Starved = static_cast<uint64_t>(R.Measures[*Of.Starved].Self);
         bool Is = isLaunchBound(C.Clock.toNs(static_cast<double>(Time.Time)),
                                 static_cast<double>(Time.Total), Starved,
                                 Time.Count);
         return Is ? Value::text("yes") : Value();
       }});
}

void report::addDeviceLines(Table &T, const SummaryInput &In) {
  const SiteTable &Sites = In.Sites;
  DeviceMeasures Of(Sites.measures());
  if (!Of)
    return;
  // Runs are as in Totals: methods that are not inside another one.
  std::vector<bool> Counts = sitesOfTotals(Sites, In.Selected);
  std::vector<uint64_t> RunsOf = runsOf(Sites);
  UInt128 OfRuns = 0, OfCalls = 0, Between = 0;
  uint64_t Runs = 0, Calls = 0;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!Sites[S].isRoot() || !Counts[S])
      continue;
    const MeasureTotal &All = Sites.measured(*Of.Time, S);
    OfCalls += All.Sum;
    Calls += All.Count;
    RunMeasure Part = measureOfRuns(Sites, *Of.Time, S, RunsOf[S]);
    OfRuns += Part.Sum;
    Runs += Part.Count;
    Between += Sites.self(*Of.Time, S).Amount;
  }
  UInt128 Backward = 0;
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Sites[S].Gradient && Counts[S])
      Backward += Sites.self(*Of.Time, S).Amount;
  if (!Calls)
    return;
  // Methods of which none was run by itself have calls alone.
  auto Ns = static_cast<double>(Runs ? OfRuns : OfCalls);
  std::string Note;
  if (Runs)
    Note = std::to_string(Runs) + (Runs == 1 ? " run" : " runs") + ", mean " +
           formatTime(Ns / static_cast<double>(Runs));
  T.Footer.push_back({"device_ns", "Device", Value::timeNs(Ns), Value(), Note});
  auto Idle = static_cast<double>(Between);
  T.Footer.push_back({"device_between_ns", "Device between",
                      Value::timeNs(Idle),
                      Ns > 0 ? Value::percent(100 * Idle / Ns) : Value(),
                      "of that between its nodes, where it waited for the "
                      "host"});
  if (Backward)
    T.Footer.push_back({"device_backward_ns", "Device backward",
                        Value::timeNs(static_cast<double>(Backward)), Value(),
                        "gradients, also those that runs computed"});
}
