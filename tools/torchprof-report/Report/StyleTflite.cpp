//===- StyleTflite.cpp - the tables of TensorFlow Lite's benchmark --------===//
//
// Run order, top by computation time, summary by node type. Times are averages
// per run of the node's own method, in milliseconds; calls are as many as in
// such a run, rounded down as in the original (stats_calculator.cc); neither is
// known where no run has ended. Shares are of all runs of all methods. An
// aggregate knows no start times, so that column of the original is left out,
// and so is memory where it was not recorded.
//
//===----------------------------------------------------------------------===//

#include "Summary.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

/// Self times of one node or of all nodes of a kind.
struct Entry {
  std::string Type, Name;
  uint64_t Nodes = 0;
  bool HasRuns = true;  ///< else nothing is known per run
  uint64_t Calls = 0;   ///< per run, rounded down for each node
  UInt128 Self = 0;     ///< ticks, all runs
  double Average = 0;   ///< of Self, per run
  double First = 0;     ///< ticks
  UInt128 SoFar = 0;    ///< self of this and of all rows above
  double Allocated = 0; ///< bytes per run, without the children's
};

/// What shares of entries are of.
struct EntryContext {
  const SummaryInput &In;
  UInt128 All;                       ///< self times of all entries
  Optional<MeasureId> Memory = None; ///< the measure of what was allocated

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
          [](const Entry &E, const Ctx &C) {
            return E.HasRuns ? C.milliseconds(E.Average) : Value();
          }};
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
          [](const Entry &E, const Ctx &) {
            return E.HasRuns
                       ? Value::number(ValueType::Number, E.Allocated / 1000)
                       : Value();
          }};
}

static EntryColumns::Column callsColumn() {
  return {TableColumn::count("times_called", "[times called]"), "",
          [](const Entry &E, const Ctx &) {
            return E.HasRuns ? Value::count(E.Calls) : Value();
          }};
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

/// What \p Count runs of a root took: all of its calls, or, if some of these
/// were inside of runs, the runs that are kept one by one.
static Aggregate timesOfRuns(const SiteTable &Sites, uint32_t Root,
                             uint64_t Count, ArrayRef<RunLatency> Kept) {
  if (Count >= Sites.measured(Root).Count)
    return Sites.measured(Root);
  format::Cell C = emptyCell(format::Slot(Root), 0);
  for (const RunLatency &R : Kept)
    recordSample(C, static_cast<uint64_t>(
                        std::llround(R.LatencyNs / Sites.clock().nsPerTick())));
  Aggregate Times;
  Times.add(C, 1, /*WithHistogram=*/false);
  if (Kept.size() < Count)
    Times.First.clear();
  return Times;
}

/// "Timings (microseconds): count=50 first=79449 min=77385 ..."
static std::string timings(const SummaryInput &In, const RunLatencies &Kept) {
  Aggregate Runs, Calls;
  uint64_t Count = 0;
  std::vector<bool> Counts = rootsOf(In.Sites, In.Selected);
  std::vector<uint64_t> RunsOf = runsOf(In.Sites);
  for (uint32_t S = 0; S < In.Sites.size(); ++S) {
    if (!Counts[S])
      continue;
    Count += RunsOf[S];
    if (RunsOf[S])
      Runs.add(timesOfRuns(In.Sites, S, RunsOf[S], Kept.of(S)));
    else
      Calls.add(In.Sites.measured(S));
  }
  // Methods of which none was run by itself have calls alone.
  const Aggregate &All = Count ? Runs : Calls;
  if (!Count)
    Count = Calls.Count;
  if (All.Count == 0)
    return "Timings (microseconds): count=" + utostr(Count);
  auto Us = [&](double Ticks) {
    return utostr(
        static_cast<uint64_t>(In.Sites.clock().toNs(Ticks) / 1e3 + 0.5));
  };
  return "Timings (microseconds): count=" + utostr(Count) + " first=" +
         Us(All.First.empty() ? 0 : static_cast<double>(All.First.front())) +
         " min=" + Us(static_cast<double>(All.Min)) +
         " max=" + Us(static_cast<double>(All.Max)) + " avg=" + Us(All.mean()) +
         " std=" + Us(All.standardDeviation());
}

/// By how many runs the sums of a method's nodes are divided: its own, or all
/// runs if only other methods call it, or its calls if none of these counts. 0
/// if no call has ended.
static uint64_t runsToDivideBy(uint64_t OwnRuns, const Totals &All,
                               const Aggregate &Calls) {
  return OwnRuns ? OwnRuns : All.Runs ? All.Runs : Calls.Count;
}

Expected<Document> report::makeTfliteDocument(const SummaryInput &In,
                                              const SummaryOptions &Options,
                                              const RunLatencies &Kept) {
  const SiteTable &Sites = In.Sites;
  std::vector<uint64_t> RunsOf = runsOf(Sites);
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
    uint32_t Root = Sites[S].Root;
    uint64_t Runs = runsToDivideBy(RunsOf[Root], In.All, Sites.measured(Root));
    E.HasRuns = Runs != 0;
    Runs = std::max<uint64_t>(Runs, 1);
    auto PerRun = [Runs](UInt128 Amount) {
      return static_cast<double>(Amount) / static_cast<double>(Runs);
    };
    E.Calls = A.Count / Runs;
    E.Self = Sites.selfWithGradients(S);
    E.Average = PerRun(E.Self);
    E.First = A.First.empty() ? 0 : static_cast<double>(A.First.front());
    // It may have been measured in fewer runs than time was.
    if (uint64_t Measured =
            Context.Memory ? Sites.measured(*Context.Memory, S).Count : 0)
      E.Allocated = PerRun(Sites.self(*Context.Memory, S).Amount) *
                    static_cast<double>(A.Count) /
                    static_cast<double>(Measured);
    Context.All += E.Self;
    Entry &Type = ByType[E.Type];
    Type.Type = E.Type;
    Type.Nodes += 1;
    Type.HasRuns &= E.HasRuns;
    Type.Calls += E.Calls;
    Type.Self += E.Self;
    Type.Average += E.Average;
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
  D.Tables.back().Notes = {timings(In, Kept),
                           utostr(Nodes.size()) + " nodes observed"};
  return D;
}
