//===- RunTables.h - what the tables of runs have in common -----*- C++ -*-===//
//
// Each table of the command runs is a set of columns over rows of its own, and
// all look at one SiteTable. For Runs.cpp, NodeCalls.cpp and Events.h.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_RUNTABLES_H
#define TORCHPROF_REPORT_RUNTABLES_H

#include "ColumnSet.h"
#include "SiteTable.h"

namespace torchprof::report {

template <typename RowT> using RunColumns = ColumnSet<RowT, SiteTable>;

template <typename RowT>
Table makeRunTable(llvm::StringRef Id, llvm::StringRef Title,
                   const RunColumns<RowT> &Columns, llvm::ArrayRef<RowT> Rows,
                   const SiteTable &Sites) {
  Table T;
  T.Id = Id.str();
  T.Title = Title.str();
  RunColumns<RowT>::fill(T, Rows, Columns.all(), Sites);
  return T;
}

inline Value timeOf(const SiteTable &Sites, double Ticks) {
  return Value::timeNs(Sites.clock().toNs(Ticks));
}

/// The method that a row's Root, which may be NoIndex, is of.
template <typename RowT> typename RunColumns<RowT>::Column methodColumn() {
  return {TableColumn::text("method", "method"), "",
          [](const RowT &R, const SiteTable &Sites) {
            return Value::text(R.Root == NoIndex ? ""
                                                 : Sites.methodName(R.Root));
          }};
}

/// A node by its kind and module, "aten::relu block.relu", a gradient also by
/// what computes it, "backward AddmmBackward0 block", and a region by its name,
/// "region decode"; empty for NoIndex.
inline Value nodeValue(const SiteTable &Sites, uint32_t S) {
  if (S == NoIndex)
    return Value::text("");
  std::string Text = Sites.kind(S).str();
  if (Sites[S].Gradient || Sites[S].isRegion())
    Text += " " + Sites.name(S).str();
  std::string Module = Sites.modulePath(S);
  return Value::text(Module.empty() ? Text : Text + " " + Module);
}

/// A time of day, "2026-11-20 23:59:59.123" in UTC for people.
Value realtimeValue(uint64_t RealtimeNs);

inline TableColumn forMachines(TableColumn C) {
  C.ForMachines = true;
  return C;
}

/// The latency in seconds beside the one in nanoseconds, for programs whose
/// unit that is.
inline TableColumn secondsColumn() {
  return forMachines(TableColumn::number("latency_s", "latency", 9));
}

inline Value seconds(double Ns) {
  return Value::number(ValueType::Number, Ns * 1e-9);
}

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_RUNTABLES_H
