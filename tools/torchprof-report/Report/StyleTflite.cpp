//===- StyleTflite.cpp - the tables of TensorFlow Lite's benchmark --------===//
//
// Run order, top by computation time, summary by node type. Times are averages
// per run of the method, in milliseconds. An aggregate knows no start times
// and no memory, so those columns of the original are left out.
//
//===----------------------------------------------------------------------===//

#include "Summary.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

/// Self times of one node or of all nodes of a kind.
struct Entry {
  std::string Type, Name;
  uint64_t Nodes = 0;
  uint64_t Calls = 0;
  double Self = 0;  ///< ticks, all runs
  double First = 0; ///< ticks
};

} // namespace

static constexpr size_t TopRows = 10;

static Value milliseconds(const SummaryInput &In, double Ticks) {
  return Value::number(ValueType::Number, In.Sites.clock().toNs(Ticks) / 1e6);
}

static double perRun(const SummaryInput &In, double Ticks) {
  return In.All.Runs ? Ticks / static_cast<double>(In.All.Runs) : 0;
}

static Table nodeTable(const SummaryInput &In, StringRef Id, StringRef Title,
                       ArrayRef<Entry> Entries, double All) {
  Table T;
  T.Id = Id.str();
  T.Title = ("============================== " + Title +
             " ==============================")
                .str();
  T.Columns = {
      TableColumn::text("node_type", "[node type]", Shorten::KeepStart),
      TableColumn::number("first_ms", "[first]", 3),
      TableColumn::number("avg_ms", "[avg ms]", 3),
      TableColumn::percent("pct", "[%]", 3),
      TableColumn::percent("cdf_pct", "[cdf%]", 3),
      TableColumn::count("times_called", "[times called]"),
      TableColumn::text("name", "[Name]")};
  double Sum = 0;
  for (const Entry &E : Entries) {
    Sum += E.Self;
    T.Rows.push_back({Value::text(E.Type), milliseconds(In, E.First),
                      milliseconds(In, perRun(In, E.Self)),
                      Value::percent(All > 0 ? 100 * E.Self / All : 0),
                      Value::percent(All > 0 ? 100 * Sum / All : 0),
                      Value::count(E.Calls), Value::text(E.Name)});
  }
  return T;
}

static Table typeTable(const SummaryInput &In, ArrayRef<Entry> Entries,
                       double All) {
  Table T;
  T.Id = "by_node_type";
  T.Title = "============================== Summary by node type "
            "==============================";
  T.Columns = {
      TableColumn::text("node_type", "[Node type]", Shorten::KeepStart),
      TableColumn::count("count", "[count]"),
      TableColumn::number("avg_ms", "[avg ms]", 3),
      TableColumn::percent("avg_pct", "[avg %]", 3),
      TableColumn::percent("cdf_pct", "[cdf %]", 3),
      TableColumn::count("times_called", "[times called]")};
  double Sum = 0;
  for (const Entry &E : Entries) {
    Sum += E.Self;
    T.Rows.push_back({Value::text(E.Type), Value::count(E.Nodes),
                      milliseconds(In, perRun(In, E.Self)),
                      Value::percent(All > 0 ? 100 * E.Self / All : 0),
                      Value::percent(All > 0 ? 100 * Sum / All : 0),
                      Value::count(E.Calls)});
  }
  return T;
}

/// "Timings (microseconds): count=50 first=79449 min=77385 ..."
static std::string timings(const SummaryInput &In) {
  Aggregate Runs;
  for (uint32_t S = 0; S < In.Sites.size(); ++S)
    if (In.Sites[S].isRoot())
      Runs.add(In.Sites.measured(S));
  if (Runs.Count == 0)
    return "Timings (microseconds): count=0";
  auto Us = [&](double Ticks) {
    return utostr(
        static_cast<uint64_t>(In.Sites.clock().toNs(Ticks) / 1e3 + 0.5));
  };
  return "Timings (microseconds): count=" + utostr(Runs.Count) + " first=" +
         Us(Runs.First.empty() ? 0 : static_cast<double>(Runs.First.front())) +
         " min=" + Us(static_cast<double>(Runs.Min)) +
         " max=" + Us(static_cast<double>(Runs.Max)) +
         " avg=" + Us(Runs.mean()) + " std=" + Us(Runs.standardDeviation());
}

Expected<Document> report::makeTfliteDocument(const SummaryInput &In,
                                              const SummaryOptions &Options) {
  const SiteTable &Sites = In.Sites;
  std::vector<Entry> Nodes;
  std::map<std::string, Entry> ByType;
  double All = 0;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (Sites[S].isRoot() || Sites[S].isRegion() || !Sites.reached(S) ||
        !In.Selected.matches(Sites, S))
      continue;
    const Aggregate &A = Sites.measured(S);
    Entry E;
    E.Type = Sites.kind(S).str();
    std::string Module = Sites.modulePath(S);
    E.Name = Module.empty() ? Sites.name(S).str()
                            : Module + "/" + Sites.name(S).str();
    E.Nodes = 1;
    E.Calls = A.Count;
    E.Self = std::max(0.0, static_cast<double>(Sites.self(S)));
    E.First = A.First.empty() ? 0 : static_cast<double>(A.First.front());
    All += E.Self;
    Entry &Type = ByType[E.Type];
    Type.Type = E.Type;
    Type.Nodes += 1;
    Type.Calls += E.Calls;
    Type.Self += E.Self;
    Nodes.push_back(std::move(E));
  }
  auto Slower = [](const Entry &A, const Entry &B) { return A.Self > B.Self; };
  Document D;
  D.Tables.push_back(nodeTable(In, "run_order", "Run Order", Nodes, All));
  std::vector<Entry> Top = Nodes;
  stable_sort(Top, Slower);
  Top.resize(
      std::min(Top.size(), Options.Limit ? size_t(Options.Limit) : TopRows));
  D.Tables.push_back(
      nodeTable(In, "top_by_time", "Top by Computation Time", Top, All));
  D.Tables.back().Notes.push_back("\nNumber of nodes executed: " +
                                  utostr(Nodes.size()));
  std::vector<Entry> Types;
  for (auto &[Type, E] : ByType)
    Types.push_back(std::move(E));
  stable_sort(Types, Slower);
  D.Tables.push_back(typeTable(In, Types, All));
  D.Tables.back().Notes = {"\n" + timings(In),
                           utostr(Nodes.size()) + " nodes observed"};
  return D;
}
