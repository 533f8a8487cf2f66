//===- StyleTorch.cpp - the table of torch.profiler -----------------------===//
//
// The columns of key_averages().table(): grouped by operator, or by stack when
// --group-by=stack asks for what group_by_stack_n does there.
//
//===----------------------------------------------------------------------===//

#include "MeasuredPart.h"
#include "Signature.h"
#include "Summary.h"
#include "WorkColumns.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// What torch.profiler's sort_by calls a column of ours; other names stay.
static std::string ownName(StringRef Name) {
  return StringSwitch<StringRef>(Name)
      .Case("cpu_time", "mean_ns")
      .Case("cpu_time_total", "total_ns")
      .Case("self_cpu_time_total", "self_ns")
      .Case("cpu_memory_usage", "net_bytes")
      .Case("self_cpu_memory_usage", "self_net_bytes")
      .Cases("cuda_memory_usage", "device_memory_usage", "device_net_bytes")
      .Cases("self_cuda_memory_usage", "self_device_memory_usage",
             "self_device_net_bytes")
      .Cases("self_cuda_time_total", "self_device_time_total", "self_device_ns")
      .Cases("cuda_time_total", "device_time_total", "device_ns")
      .Case("count", "calls")
      .Default(Name)
      .str();
}

/// The columns of torch.profiler, from ours. Shares are of \p SelfTotal ticks.
static RowColumns torchColumns(const SiteTable &Sites, GroupBy Group,
                               UInt128 SelfTotal) {
  ArrayRef<TableMeasure> Measures = Sites.measures();
  // Its values are those of our columns.
  const RowColumns Own = rowColumns(Measures);
  auto Get = [&](StringRef Id) { return Own.find(Id)->Get; };
  auto Share = [SelfTotal](UInt128 Ticks) {
    if (SelfTotal == 0)
      return Value();
    return Value::percent(100 * static_cast<double>(Ticks) /
                          static_cast<double>(SelfTotal));
  };
  std::vector<RowColumns::Column> Columns;
  Columns.push_back(
      {TableColumn::text("name", "Name", Shorten::KeepStart), "",
       [](const Row &R, const RowContext &) { return Value::text(R.Label); }});
  Columns.push_back({TableColumn::percent("self_cpu_pct", "Self CPU %"), "",
                     [Share](const Row &R, const RowContext &) {
                       return R.Overlay || !R.HasSelf ? Value() : Share(R.Self);
                     }});
  Columns.push_back(
      {TableColumn::time("self_cpu_ns", "Self CPU"), "", Get("self_ns")});
  Columns.push_back(
      {TableColumn::percent("cpu_total_pct", "CPU total %"), "",
       [Share](const Row &R, const RowContext &) { return Share(R.Total); }});
  Columns.push_back(
      {TableColumn::time("cpu_total_ns", "CPU total"), "", Get("total_ns")});
  Columns.push_back({TableColumn::time("cpu_time_avg_ns", "CPU time avg"), "",
                     [](const Row &R, const RowContext &C) {
                       if (R.Measured.Count == 0)
                         return Value();
                       return Value::timeNs(
                           C.Clock.toNs(static_cast<double>(R.Total)) /
                           static_cast<double>(R.Measured.Count));
                     }});
  if (Optional<MeasureId> M = numberOf(Measures, "device")) {
    Columns.push_back({TableColumn::time("self_device_ns", "Self device"), "",
                       Get("self_device_ns")});
    Columns.push_back({TableColumn::time("device_total_ns", "device total"), "",
                       Get("device_ns")});
    Columns.push_back(
        {TableColumn::time("device_time_avg_ns", "device time avg"), "",
         [M = *M](const Row &R, const RowContext &) {
           const RowMeasure &Time = R.Measures[M];
           if (Time.Count == 0)
             return Value();
           return Value::timeNs(static_cast<double>(Time.Total) /
                                static_cast<double>(Time.Count));
         }});
  }
  auto AddMemory = [&](StringRef Measure, StringRef Id, StringRef Title,
                       StringRef Own) {
    if (numberOf(Measures, Measure))
      Columns.push_back(
          {TableColumn::make(Id, Title, ValueType::Bytes), "", Get(Own)});
  };
  AddMemory("freed", "cpu_memory_bytes", "CPU Mem", "net_bytes");
  AddMemory("freed", "self_cpu_memory_bytes", "Self CPU Mem", "self_net_bytes");
  AddMemory("device_freed", "device_memory_bytes", "Device Mem",
            "device_net_bytes");
  AddMemory("device_freed", "self_device_memory_bytes", "Self Device Mem",
            "self_device_net_bytes");
  Columns.push_back(
      {TableColumn::count("calls", "# of Calls"), "", Get("calls")});
  if (Group == GroupBy::Shape) {
    Columns.push_back(
        {TableColumn::text("input_shapes", "Input Shapes", Shorten::KeepStart),
         "", [](const Row &R, const RowContext &) {
           return Value::text(torchInputsText(
               R.Signatures.empty() ? "" : *R.Signatures.begin()));
         }});
    // Not "[]", which is of who was given no tensor.
    Columns.back().Shape.WhenEmpty = "-";
  }
  // The group's own source is its stack.
  if (Group == GroupBy::Stack)
    Columns.push_back({TableColumn::text("source_location", "Source Location"),
                       "", [](const Row &R, const RowContext &) {
                         return Value::text(R.Source);
                       }});
  if (Sites.hasVariants())
    Columns.push_back(
        {TableColumn::count("total_flops", "Total FLOPs"), "", Get("flops")});
  return RowColumns(std::move(Columns));
}

Expected<Table> report::makeTorchTable(const SummaryInput &In,
                                       const SummaryOptions &Options) {
  bool Stacks = Options.Group == GroupBy::Stack;
  bool Shapes = Options.Group == GroupBy::Shape;
  // A stack or a shape splits the operators, it does not replace them.
  RowOptions Grouping = {Stacks ? GroupBy::Stack : GroupBy::Kind,
                         Options.StackDepth, Options.ShowAll,
                         /*NamesApart=*/true};
  Grouping.ShapesApart = Shapes;
  Grouping.FoldRepeats = true;
  Grouping.WithWork = In.Sites.hasVariants();
  if (Options.Group != GroupBy::Node && Options.Group != GroupBy::Kind &&
      !Stacks && !Shapes)
    return createStringError(inconvertibleErrorCode(),
                             "--group-by: expected kind, stack or shape with "
                             "--style=torch, found another");
  std::vector<Row> Rows = makeRows(In.Sites, In.Selected, Grouping);
  RowContext Context = In.context();
  std::vector<std::string> Keys;
  for (const std::string &Name : Options.Sort)
    Keys.push_back(ownName(Name));
  if (Keys.empty())
    Keys = {"self_ns"};
  if (Error E = rowColumns(In.Sites.measures()).sort(Rows, Keys, Context))
    return E;
  // The self time of a method that met several shapes is in none of their rows.
  Grouping.ShapesApart = false;
  std::vector<Row> Joined;
  if (Shapes)
    Joined = makeRows(In.Sites, In.Selected, Grouping);
  ArrayRef<Row> Whole = Shapes ? Joined : Rows;
  UInt128 SelfTotal = 0;
  for (const Row &R : Whole)
    SelfTotal += R.Self;
  RowColumns Columns = torchColumns(In.Sites, Options.Group, SelfTotal);
  RowColumns::Choice Chosen = Columns.all();
  size_t Shown = Options.Limit ? std::min<size_t>(Options.Limit, Rows.size())
                               : Rows.size();
  Table T;
  RowColumns::fill(T, ArrayRef(Rows).take_front(Shown), Chosen, Context);
  T.Columns.front().MaxWidth = Options.NameWidth;
  T.Footer.push_back(
      {"self_cpu_time_total_ns", "Self CPU time total:",
       Value::timeNs(In.Sites.clock().toNs(static_cast<double>(SelfTotal))),
       Value(), ""});
  if (Optional<MeasureId> M = numberOf(In.Sites.measures(), "device")) {
    UInt128 DeviceTotal = 0;
    for (const Row &R : Whole)
      DeviceTotal += R.Measures[*M].Self;
    T.Footer.push_back({"self_device_time_total_ns", "Self device time total:",
                        Value::timeNs(static_cast<double>(DeviceTotal)),
                        Value(), ""});
  }
  append_range(T.Notes,
               missingMeasureNotes(Keys, In.Sites.measures(), Options.Sort));
  append_range(T.Notes,
               partNotes({"net_bytes", "flops"}, In.Sites, In.Selected));
  std::vector<std::string> Asked = Keys;
  if (Shapes)
    Asked.push_back("shapes");
  if (In.Sites.hasVariants())
    Asked.push_back("flops");
  append_range(T.Notes, workNotes(Asked, In.Sites, In.Selected, In.All));
  explainMarks(T);
  return T;
}
