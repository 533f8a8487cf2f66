//===- StyleTorch.cpp - the table of torch.profiler -----------------------===//
//
// The columns of key_averages().table(): grouped by operator, or by stack when
// --group-by=stack asks for what group_by_stack_n does there.
//
//===----------------------------------------------------------------------===//

#include "Summary.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

Expected<Table> report::makeTorchTable(const SummaryInput &In,
                                       const SummaryOptions &Options) {
  bool Stacks = Options.Group == GroupBy::Stack;
  // A stack splits the operators, it does not replace them; the group's own
  // source is its stack.
  RowOptions Grouping = {Stacks ? GroupBy::Stack : GroupBy::Kind,
                         Options.StackDepth, Options.Unreached,
                         /*NamesApart=*/true};
  if (Options.Group != GroupBy::Node && Options.Group != GroupBy::Kind &&
      !Stacks)
    return createStringError(inconvertibleErrorCode(),
                             "--group-by: expected kind or stack with "
                             "--style=torch, found another");
  std::vector<Row> Rows = makeRows(In.Sites, In.Selected, Grouping);
  RowContext Context = In.context();
  std::vector<std::string> Keys = Options.Sort;
  if (Keys.empty())
    Keys = {"self_ns"};
  if (Error E = sortRows(Rows, Keys, Context))
    return E;

  Table T;
  T.Columns = {TableColumn::text("name", "Name", Shorten::KeepStart),
               TableColumn::percent("self_cpu_pct", "Self CPU %"),
               TableColumn::time("self_cpu_ns", "Self CPU"),
               TableColumn::percent("cpu_total_pct", "CPU total %"),
               TableColumn::time("cpu_total_ns", "CPU total"),
               TableColumn::time("cpu_time_avg_ns", "CPU time avg"),
               TableColumn::count("calls", "# of Calls")};
  if (Stacks)
    T.Columns.push_back(
        TableColumn::text("source_location", "Source Location"));
  size_t Shown = Options.Limit ? std::min<size_t>(Options.Limit, Rows.size())
                               : Rows.size();
  const TickClock &Clock = In.Sites.clock();
  auto Share = [&](const Row &R, double Ticks) {
    return R.Outside ? Value() : Value::percent(In.All.share(Ticks));
  };
  double SelfTotal = 0;
  for (const Row &R : Rows)
    SelfTotal += R.selfTicks();
  for (const Row &R : ArrayRef(Rows).take_front(Shown)) {
    auto Total = static_cast<double>(R.Total);
    // torch.profiler calls the outermost function by its own name.
    bool Named = R.Kind == "method" || R.Kind == "region";
    std::string Name = Named ? R.Name : R.Kind;
    uint64_t Calls = R.Measured.Count;
    T.Rows.push_back(
        {Value::text(Name), Share(R, R.selfTicks()),
         Value::timeNs(Clock.toNs(R.selfTicks())), Share(R, Total),
         Value::timeNs(Clock.toNs(Total)),
         Calls ? Value::timeNs(Clock.toNs(Total / static_cast<double>(Calls)))
               : Value(),
         Value::count(Calls)});
    if (Stacks)
      T.Rows.back().push_back(Value::text(R.Source));
  }
  T.Footer.push_back({"self_cpu_time_total_ns", "Self CPU time total:",
                      Value::timeNs(Clock.toNs(SelfTotal)), Value(), ""});
  return T;
}
