//===- Roofline.cpp - how far nodes are from the machine's limits ---------===//

#include "Roofline.h"
#include "ColumnSet.h"
#include "MeasuredPart.h"
#include "WorkColumns.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static void raisePeak(PeakRate &To, uint64_t PerSecond, uint32_t Threads) {
  auto Measured = static_cast<double>(PerSecond);
  if (!Threads || Measured <= To.PerSecond)
    return;
  To = {Measured,
        "measured with " + std::to_string(Threads) +
            (Threads == 1 ? " thread" : " threads"),
        /*IsOfCpu=*/true};
}

void Roof::raise(const Profile &P) {
  raisePeak(Flops, P.Machine.FlopsPerSecond, P.Machine.Threads);
  raisePeak(Bytes, P.Machine.BytesPerSecond, P.Machine.Threads);
}

std::string Roof::source() const {
  return Flops.Source == Bytes.Source
             ? Flops.Source
             : "arithmetic " + Flops.Source + ", memory " + Bytes.Source;
}

Optional<Bound> report::boundOf(const Work &Of, const Roof &Under) {
  double Arithmetic = (Of.Flops + Of.OtherOps) / Under.Flops.PerSecond * 1e9;
  double Memory = Of.Bytes / Under.Bytes.PerSecond * 1e9;
  if (Arithmetic <= 0 && Memory <= 0)
    return None;
  return Bound{Memory > Arithmetic, std::max(Memory, Arithmetic)};
}

Optional<Bound> report::boundOf(const SiteWork &Of, const Roof &Under) {
  double Arithmetic = 0, Memory = 0;
  for (const SiteWork::Part &Part : Of.Parts) {
    if (Part.OnDevice && Under.isOfCpu())
      return None;
    if (Optional<Bound> Limit = boundOf(Part.Of, Under))
      (Limit->IsMemory ? Memory : Arithmetic) += Limit->Ns;
  }
  if (Arithmetic + Memory <= 0)
    return None;
  return Bound{Memory > Arithmetic, Memory + Arithmetic};
}

namespace {

/// A row of sites under the roof.
struct BoundRow {
  Row Of;
  Bound Limit;
  double Ns = 0; ///< time of the calls whose work is known

  /// Time above the bound; 0 of what is faster than the machine seemed to be.
  double couldWin() const { return std::max(Ns - Limit.Ns, 0.0); }
  /// How much of the time is part of the runs'.
  double partInRuns() const {
    return 1 - static_cast<double>(Of.Done.AsideTime) /
                   static_cast<double>(std::max<UInt128>(Of.Done.Time, 1));
  }
};

using BoundColumns = ColumnSet<BoundRow, RowContext>;

} // namespace

/// A column of the summary, of the row inside.
static BoundColumns::Column ofRow(const RowColumns &Known, StringRef Id) {
  const RowColumns::Column *C = Known.find(Id);
  return {C->Shape, C->Help,
          [Get = C->Get](const BoundRow &R, const RowContext &Context) {
            return Get(R.Of, Context);
          }};
}

static BoundColumns boundColumns() {
  RowColumns Known = rowColumns({});
  std::vector<BoundColumns::Column> Columns;
  for (StringRef Id :
       {"kind", "name", "model", "method", "module", "class", "source",
        "shapes", "calls", "total_ns", "mean_ns", "pct_total"})
    Columns.push_back(ofRow(Known, Id));
  using Row = BoundRow;
  Columns.push_back({TableColumn::text("bound", "bound"),
                     "memory or compute: which of the two limits it",
                     [](const Row &R, const RowContext &) {
                       return Value::text(R.Limit.IsMemory ? "memory"
                                                           : "compute");
                     }});
  Columns.push_back({TableColumn::time("bound_ns", "at least"),
                     "what its calls take at least under that limit",
                     [](const Row &R, const RowContext &) {
                       return Value::timeNs(R.Limit.Ns);
                     }});
  Columns.push_back({TableColumn::percent("pct_roof", "% roof"),
                     "that in percent of what they took",
                     [](const Row &R, const RowContext &) {
                       return R.Ns > 0 ? Value::percent(100 * R.Limit.Ns / R.Ns)
                                       : Value();
                     }});
  Columns.push_back({TableColumn::time("win_ns", "could win"),
                     "what they took above it",
                     [](const Row &R, const RowContext &) {
                       return Value::timeNs(R.couldWin());
                     }});
  for (StringRef Id : {"flops", "gflops_s", "other_ops", "gops_s", "bytes",
                       "gbytes_s", "intensity"})
    Columns.push_back(ofRow(Known, Id));
  return BoundColumns(std::move(Columns));
}

Table report::rooflineColumns() { return boundColumns().list(); }

/// The rows that have a bound, by the time that could be won.
static std::vector<BoundRow> boundRows(const SiteTable &Sites,
                                       const Selection &Selected,
                                       const Roof &Under, bool ByKind,
                                       bool &LacksDevice) {
  RowOptions Grouping;
  Grouping.Group = ByKind ? GroupBy::Kind : GroupBy::Node;
  Grouping.WithWork = true;
  std::vector<BoundRow> Bounds;
  for (Row &R : makeRows(Sites, Selected, Grouping)) {
    if (R.Done.Calls == 0 || R.Kind == "method")
      continue;
    Optional<Bound> Limit = boundOf(R.Done, Under);
    LacksDevice |= !Limit && any_of(R.Done.Parts, [](const auto &Part) {
      return Part.OnDevice;
    });
    if (!Limit)
      continue;
    double Ns = Sites.clock().toNs(static_cast<double>(R.Done.Time));
    Bounds.push_back({std::move(R), *Limit, Ns});
  }
  llvm::stable_sort(Bounds, [](const BoundRow &A, const BoundRow &B) {
    return A.couldWin() > B.couldWin();
  });
  return Bounds;
}

static FooterLine timeLine(StringRef Id, StringRef Title, double Ns,
                           double Share, const Twine &Note) {
  return {Id.str(), Title.str(), Value::timeNs(Ns), Value::percent(Share),
          Note.str()};
}

Expected<Table> report::makeRoofline(const SiteTable &Sites,
                                     const Selection &Selected,
                                     const Roof &Under,
                                     const RooflineOptions &Options) {
  BoundColumns Known = boundColumns();
  std::vector<std::string> Ids = Options.Columns;
  if (Ids.empty()) {
    Ids = {"kind", "name", "module", "calls"};
    if (Options.ByKind)
      Ids = {"kind", "calls"};
    for (const char *Id : {"total_ns", "bound", "bound_ns", "pct_roof",
                           "win_ns", "gflops_s", "gbytes_s", "intensity"})
      Ids.push_back(Id);
    Sites.modelNames().addColumns(Ids);
  }
  auto Chosen = Known.choose(Ids, "--columns");
  if (!Chosen)
    return Chosen.takeError();
  bool LacksDevice = false;
  std::vector<BoundRow> Rows =
      boundRows(Sites, Selected, Under, Options.ByKind, LacksDevice);
  Totals All = makeTotals(Sites, Selected);
  RowContext Context = {Sites.clock(), All};
  size_t Shown = Options.Limit ? std::min<size_t>(Options.Limit, Rows.size())
                               : Rows.size();
  Table T;
  BoundColumns::fill(T, ArrayRef(Rows).take_front(Shown), *Chosen, Context);
  if (!Options.ByKind)
    for (const BoundRow &R : ArrayRef(Rows).take_front(Shown))
      T.Sites.push_back({R.Of.Order});
  double Ns = 0, NsInRuns = 0, Win = 0, WinInRuns = 0;
  for (const BoundRow &R : Rows) {
    Ns += R.Ns;
    NsInRuns += R.Ns * R.partInRuns();
    Win += R.couldWin();
    WinInRuns += R.couldWin() * R.partInRuns();
  }
  double TotalNs = Sites.clock().toNs(static_cast<double>(All.Total));
  auto Share = [&](double Part) { return TotalNs ? 100 * Part / TotalNs : 0; };
  T.Footer.push_back(timeLine("under_roof_ns", "Under the roof", Ns,
                              Share(NsInRuns),
                              "time of calls whose work is known"));
  T.Footer.push_back(timeLine("win_ns", "Could win", Win, Share(WinInRuns),
                              "if each ran at its bound"));
  double Gflops = Under.Flops.PerSecond / 1e9;
  Value Peak = Value::number(ValueType::Number, Gflops);
  Peak.Display = utostr(static_cast<uint64_t>(Gflops + 0.5)) + " GFLOP/s";
  T.Footer.push_back(
      {"peak_gflops_s", "Peak", Peak, Value(), Under.Flops.Source});
  Peak = Value::number(ValueType::Number, Under.Bytes.PerSecond / 1e9);
  Peak.Display =
      formatValue(Peak, TableColumn::number("", "", 1), TimeUnit::Auto) +
      " GB/s";
  T.Footer.push_back(
      {"peak_gbytes_s", "Peak", Peak, Value(), Under.Bytes.Source});
  if (Shown < Rows.size())
    T.Notes.push_back(utostr(Rows.size() - Shown) +
                      " more rows; --limit=0 shows them");
  if (LacksDevice)
    T.Notes.push_back(
        "note: nodes on devices are not here: it is the CPU that was "
        "measured; --peak-gflops and --peak-gbytes tell what a "
        "device does at most");
  for (std::string &Note : partNotes({"flops"}, Sites, Selected))
    T.Notes.push_back(std::move(Note));
  for (std::string &Note : workNotes({"flops"}, Sites, Selected, All))
    T.Notes.push_back(std::move(Note));
  return T;
}
