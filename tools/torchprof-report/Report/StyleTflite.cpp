//===- StyleTflite.cpp - the tables of TensorFlow Lite's benchmark --------===//
//
// Run order, top by computation time, summary by node type. Times are averages
// per run of the method, in milliseconds. An aggregate knows no start times, so
// that column of the original is left out, and so is memory where it was not
// recorded.
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
  UInt128 Self = 0;      ///< ticks, all runs
  double First = 0;      ///< ticks
  UInt128 SoFar = 0;     ///< self of this and of all rows above
  UInt128 Allocated = 0; ///< bytes, all runs, without the children's
};

/// What shares and averages of entries are of.
struct EntryContext {
  const SummaryInput &In;
  UInt128 All;                       ///< self times of all entries
  Optional<MeasureId> Memory = None; ///< the measure of what was allocated

  double perRun(UInt128 Amount) const {
    return In.All.Runs
               ? static_cast<double>(Amount) / static_cast<double>(In.All.Runs)
               : 0;
  }
  Value averageMs(UInt128 Ticks) const { return milliseconds(perRun(Ticks)); }
  Value milliseconds(double Ticks) const {
    return Value::number(ValueType::Number, In.Sites.clock().toNs(Ticks) / 1e6);
  }
  Value share(UInt128 Ticks) const {
    return Value::percent(
        All ? 100 * static_cast<double>(Ticks) / static_cast<double>(All) : 0);
  }
};

using EntryColumns = ColumnSet<Entry, EntryContext>;

} // namespace

static constexpr size_t TopRows = 10;

using Ctx = EntryContext;

// The two kinds of tables spell their headings differently.
static EntryColumns::Column typeColumn(StringRef Title) {
  return {TableColumn::text("node_type", Title, Shorten::KeepStart), "",
          [](const Entry &E, const Ctx &) { return Value::text(E.Type); }};
}

static EntryColumns::Column averageColumn() {
  return {TableColumn::number("avg_ms", "[avg ms]", 3), "",
          [](const Entry &E, const Ctx &C) { return C.averageMs(E.Self); }};
}

static EntryColumns::Column shareColumn(StringRef Id, StringRef Title) {
  return {TableColumn::percent(Id, Title, 3), "",
          [](const Entry &E, const Ctx &C) { return C.share(E.Self); }};
}

static EntryColumns::Column soFarColumn(StringRef Title) {
  return {TableColumn::percent("cdf_pct", Title, 3), "",
          [](const Entry &E, const Ctx &C) { return C.share(E.SoFar); }};
}

// In thousands of bytes, as the original has it.
static EntryColumns::Column memoryColumn() {
  return {TableColumn::number("mem_kb", "[mem KB]", 3), "",
          [](const Entry &E, const Ctx &C) {
            return Value::number(ValueType::Number,
                                 C.perRun(E.Allocated) / 1000);
          }};
}

static EntryColumns::Column callsColumn() {
  return {TableColumn::count("times_called", "[times called]"), "",
          [](const Entry &E, const Ctx &) { return Value::count(E.Calls); }};
}

static EntryColumns nodeColumns(bool HasMemory) {
  std::vector<EntryColumns::Column> Columns = {
      typeColumn("[node type]"),
      {TableColumn::number("first_ms", "[first]", 3), "",
       [](const Entry &E, const Ctx &C) { return C.milliseconds(E.First); }},
      averageColumn(),
      shareColumn("pct", "[%]"),
      soFarColumn("[cdf%]")};
  if (HasMemory)
    Columns.push_back(memoryColumn());
  Columns.push_back(callsColumn());
  Columns.push_back(
      {TableColumn::text("name", "[Name]"), "",
       [](const Entry &E, const Ctx &) { return Value::text(E.Name); }});
  return EntryColumns(std::move(Columns));
}

static EntryColumns kindColumns(bool HasMemory) {
  std::vector<EntryColumns::Column> Columns = {
      typeColumn("[Node type]"),
      {TableColumn::count("count", "[count]"), "",
       [](const Entry &E, const Ctx &) { return Value::count(E.Nodes); }},
      averageColumn(),
      shareColumn("avg_pct", "[avg %]"),
      soFarColumn("[cdf %]")};
  if (HasMemory)
    Columns.push_back(memoryColumn());
  Columns.push_back(callsColumn());
  return EntryColumns(std::move(Columns));
}

static Table makeTable(StringRef Id, StringRef Title,
                       const EntryColumns &Columns, std::vector<Entry> Entries,
                       const EntryContext &Context) {
  Table T;
  T.Id = Id.str();
  T.Title = ("============================== " + Title +
             " ==============================")
                .str();
  UInt128 SoFar = 0;
  for (Entry &E : Entries)
    E.SoFar = SoFar += E.Self;
  EntryColumns::fill(T, Entries, Columns.all(), Context);
  return T;
}

/// "Timings (microseconds): count=50 first=79449 min=77385 ..."
static std::string timings(const SummaryInput &In) {
  Aggregate Runs;
  std::vector<bool> Counts = rootsOf(In.Sites, In.Selected);
  std::vector<uint64_t> RunsOf = runsOf(In.Sites);
  for (uint32_t S = 0; S < In.Sites.size(); ++S)
    if (Counts[S] && RunsOf[S])
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
  EntryContext Context = {In, 0};
  Context.Memory = numberOf(Sites.measures(), "alloc");
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (Sites[S].isRoot() || Sites[S].Dynamic || !Sites.reached(S) ||
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
    E.Self = Sites.selfWithGradients(S);
    E.First = A.First.empty() ? 0 : static_cast<double>(A.First.front());
    if (Context.Memory)
      E.Allocated = Sites.self(*Context.Memory, S).Amount;
    Context.All += E.Self;
    Entry &Type = ByType[E.Type];
    Type.Type = E.Type;
    Type.Nodes += 1;
    Type.Calls += E.Calls;
    Type.Self += E.Self;
    Type.Allocated += E.Allocated;
    Nodes.push_back(std::move(E));
  }
  auto Slower = [](const Entry &A, const Entry &B) { return A.Self > B.Self; };
  EntryColumns OfNodes = nodeColumns(Context.Memory.hasValue());
  Document D;
  D.Tables.push_back(
      makeTable("run_order", "Run Order", OfNodes, Nodes, Context));
  std::vector<Entry> Top = Nodes;
  stable_sort(Top, Slower);
  Top.resize(
      std::min(Top.size(), Options.Limit ? size_t(Options.Limit) : TopRows));
  D.Tables.push_back(makeTable("top_by_time", "Top by Computation Time",
                               OfNodes, Top, Context));
  D.Tables.back().Notes.push_back("Number of nodes executed: " +
                                  utostr(Nodes.size()));
  std::vector<Entry> Types;
  for (auto &[Type, E] : ByType)
    Types.push_back(std::move(E));
  stable_sort(Types, Slower);
  D.Tables.push_back(makeTable("by_node_type", "Summary by node type",
                               kindColumns(Context.Memory.hasValue()), Types,
                               Context));
  D.Tables.back().Notes = {timings(In),
                           utostr(Nodes.size()) + " nodes observed"};
  return D;
}
