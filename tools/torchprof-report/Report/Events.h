//===- Events.h - what the tables of events have in common ------*- C++ -*-===//
//
// What LibTorch did beside the spans of probes has a table of its own for each
// kind: a row per event, in order of time. For Loads.cpp and Plans.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_EVENTS_H
#define TORCHPROF_REPORT_EVENTS_H

#include "RunTables.h"

#include "llvm/ADT/STLExtras.h"

namespace torchprof::report {

/// Name of the lane of a thread of \p P, or the thread's number.
inline std::string threadName(const Profile &P, uint32_t Thread) {
  for (const Lane &L : P.Lanes)
    if (L.Record.Thread == Thread)
      return L.name();
  return "thread " + std::to_string(Thread);
}

/// The \p Limit events that took longest, all if it is 0, in the order that
/// they have.
template <typename RowT>
std::vector<RowT> longest(llvm::ArrayRef<RowT> Events, unsigned Limit) {
  if (!Limit || Events.size() <= Limit)
    return Events.vec();
  std::vector<size_t> Order(Events.size());
  for (size_t I = 0; I < Order.size(); ++I)
    Order[I] = I;
  llvm::stable_sort(
      Order, [&](size_t A, size_t B) { return Events[A].Ns > Events[B].Ns; });
  Order.resize(Limit);
  llvm::sort(Order);
  std::vector<RowT> Rows;
  for (size_t I : Order)
    Rows.push_back(Events[I]);
  return Rows;
}

/// The line at the foot that says how many events there are, of which the
/// table has \p Shown.
inline FooterLine countOfEvents(llvm::StringRef Id, llvm::StringRef Label,
                                size_t Count, size_t Shown) {
  return {Id.str(), Label.str(), Value::count(Count), Value(),
          Shown < Count
              ? "the " + std::to_string(Shown) + " longest; --limit=0 shows all"
              : ""};
}

/// A note below the table if \p Counter is not 0.
inline void noteCounter(Table &T, const SiteTable &Sites,
                        format::Counter Counter) {
  for (const CounterInfo &C : counterInfos())
    if (C.Id == Counter && Sites.counter(C.Id))
      T.Notes.push_back("note: " + std::to_string(Sites.counter(C.Id)) + " " +
                        C.Text.str());
}

template <typename RowT> typename RunColumns<RowT>::Column beganColumn() {
  return {TableColumn::count("begin_realtime_ns", "began (UTC)"), "",
          [](const RowT &R, const SiteTable &) {
            return realtimeValue(R.BeginRealtimeNs);
          }};
}

template <typename RowT> typename RunColumns<RowT>::Column timeColumn() {
  return {TableColumn::time("time_ns", "time"), "",
          [](const RowT &R, const SiteTable &) { return Value::timeNs(R.Ns); }};
}

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_EVENTS_H
