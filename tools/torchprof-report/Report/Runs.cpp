//===- Runs.cpp - how long the runs took ----------------------------------===//

#include "Runs.h"
#include "Columns.h"
#include "RunTables.h"
#include "Totals.h"

#include <cmath>
#include <ctime>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

void RunLatencies::add(const Profile &P, const SlotToSite &Slots) {
  TickClock Clock(P);
  for (const Lane &L : P.Lanes)
    for (const RunRing &R : L.Runs) {
      uint32_t Root = Slots[R.Slot];
      if (Root == NoIndex)
        continue;
      auto &Runs = ByRoot[Root];
      for (const format::RunSample &S : R.Samples)
        Runs.add({Clock.realtimeNs(S.EndTicks), Clock.steadyNs(S.EndTicks),
                  Clock.toNs(static_cast<double>(S.LatencyTicks)), L.name(),
                  R.Count > R.Samples.size()});
    }
}

ArrayRef<RunLatency> RunLatencies::of(uint32_t Root) const {
  auto It = ByRoot.find(Root);
  if (It == ByRoot.end())
    return {};
  return It->second.rows();
}

/// The smallest sample that \p Fraction of the samples do not exceed.
static double exactQuantile(ArrayRef<double> Sorted, double Fraction) {
  auto Rank = static_cast<size_t>(
      std::ceil(Fraction * static_cast<double>(Sorted.size())));
  return Sorted[std::max<size_t>(Rank, 1) - 1];
}

namespace {
/// The runs of a method. Times are ns.
struct MethodRuns {
  uint32_t Root;
  uint64_t Runs;
  double Min, Mean, P50, P90, P99, Max, Std;
  Optional<double> First;
};
} // namespace

/// What all runs of a method took, which are in the rings.
static MethodRuns fromRings(uint32_t Root, ArrayRef<RunLatency> Runs) {
  std::vector<double> Sorted;
  double Sum = 0, Squares = 0;
  for (const RunLatency &L : Runs) {
    Sorted.push_back(L.LatencyNs);
    Sum += L.LatencyNs;
  }
  auto Count = static_cast<double>(Runs.size());
  for (double Ns : Sorted)
    Squares += (Ns - Sum / Count) * (Ns - Sum / Count);
  llvm::sort(Sorted);
  return {Root,
          Runs.size(),
          Sorted.front(),
          Sum / Count,
          exactQuantile(Sorted, 0.5),
          exactQuantile(Sorted, 0.9),
          exactQuantile(Sorted, 0.99),
          Sorted.back(),
          std::sqrt(Squares / Count),
          Runs.front().LatencyNs};
}

/// What its cells say, which count calls inside of runs, too.
static MethodRuns fromCells(uint32_t Root, uint64_t Runs,
                            const SiteTable &Sites) {
  const Aggregate &A = Sites.measured(Root);
  auto Ns = [&](double Ticks) { return Sites.clock().toNs(Ticks); };
  MethodRuns R = {Root,
                  Runs,
                  Ns(static_cast<double>(A.Min)),
                  Ns(A.mean()),
                  Ns(A.quantile(0.5)),
                  Ns(A.quantile(0.9)),
                  Ns(A.quantile(0.99)),
                  Ns(static_cast<double>(A.Max)),
                  Ns(A.standardDeviation()),
                  None};
  if (!A.First.empty())
    R.First = Ns(static_cast<double>(A.First.front()));
  return R;
}

static RunColumns<MethodRuns>::Column
latencyColumn(StringRef Id, StringRef Title, double MethodRuns::*Ns) {
  return {TableColumn::time(Id, Title), "",
          [Ns](const MethodRuns &R, const SiteTable &) {
            return Value::timeNs(R.*Ns);
          }};
}

Table report::makeLatencyTable(const SiteTable &Sites,
                               const Selection &Selected,
                               const RunLatencies &Latencies) {
  using Row = MethodRuns;
  static const RunColumns<Row> Columns({
      methodColumn<Row>(),
      {TableColumn::count("runs", "runs"), "",
       [](const Row &R, const SiteTable &) { return Value::count(R.Runs); }},
      latencyColumn("min_ns", "min", &Row::Min),
      latencyColumn("mean_ns", "mean", &Row::Mean),
      latencyColumn("p50_ns", "p50", &Row::P50),
      latencyColumn("p90_ns", "p90", &Row::P90),
      latencyColumn("p99_ns", "p99", &Row::P99),
      latencyColumn("max_ns", "max", &Row::Max),
      latencyColumn("std_ns", "std", &Row::Std),
      {TableColumn::time("first_ns", "first"), "",
       [](const Row &R, const SiteTable &) {
         return R.First ? Value::timeNs(*R.First) : Value();
       }},
  });
  std::vector<Row> Rows;
  bool Rounded = false, HasCalls = false;
  std::vector<bool> Roots = rootsOf(Sites, Selected);
  std::vector<uint64_t> Runs = runsOf(Sites);
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!Roots[S] || Runs[S] == 0)
      continue;
    ArrayRef<RunLatency> Kept = Latencies.of(S);
    if (Kept.size() == Runs[S]) {
      Rows.push_back(fromRings(S, Kept));
      continue;
    }
    Rows.push_back(fromCells(S, Runs[S], Sites));
    Rounded |= Kept.size() < Runs[S];
    HasCalls |= Runs[S] < Sites.measured(S).Count;
  }
  Table T = makeRunTable<Row>("latency", "", Columns, Rows, Sites);
  if (Rounded)
    T.Notes.push_back("percentiles are within " +
                      quantileBound(Sites.rescaled()) +
                      ": more runs than the file keeps one by one");
  if (HasCalls)
    T.Notes.push_back("note: a method is called inside of runs: its latencies "
                      "are also those of such calls");
  return T;
}

// Of a histogram for people: more lines than this become one per octave.
static constexpr unsigned MaxLines = 24;
static constexpr unsigned BarWidth = 40;

namespace {
/// The runs in a range of histogram buckets.
struct HistogramLine {
  uint32_t Root;
  unsigned First, Behind; ///< buckets
  uint64_t Runs;
  uint64_t Most; ///< runs of the root's fullest line
};
} // namespace

/// Where a bucket begins; none of what lies behind the last, which is open.
static Value boundOf(const SiteTable &Sites, unsigned Bucket) {
  if (Bucket >= format::HistogramBuckets)
    return Value();
  return timeOf(Sites,
                static_cast<double>(format::histogramLowerBound(Bucket)));
}

/// Runs of a root by bucket: from the rings if they hold all, else from its
/// cells.
static std::vector<uint64_t> bucketsOf(const SiteTable &Sites, uint32_t Root,
                                       uint64_t Runs,
                                       ArrayRef<RunLatency> Kept) {
  if (Kept.size() != Runs)
    return Sites.measured(Root).Histogram;
  std::vector<uint64_t> Buckets(format::HistogramBuckets);
  for (const RunLatency &L : Kept)
    ++Buckets[format::histogramBucket(static_cast<uint64_t>(
        std::llround(L.LatencyNs / Sites.clock().nsPerTick())))];
  return Buckets;
}

Table report::makeLatencyHistogram(const SiteTable &Sites,
                                   const Selection &Selected,
                                   const RunLatencies &Latencies) {
  using Row = HistogramLine;
  static const RunColumns<Row> Columns({
      methodColumn<Row>(),
      {TableColumn::time("from_ns", "from"), "",
       [](const Row &R, const SiteTable &Sites) {
         return boundOf(Sites, R.First);
       }},
      {TableColumn::time("below_ns", "below"), "",
       [](const Row &R, const SiteTable &Sites) {
         return boundOf(Sites, R.Behind);
       }},
      {TableColumn::count("runs", "runs"), "",
       [](const Row &R, const SiteTable &) { return Value::count(R.Runs); }},
      {TableColumn::text("bar", ""), "",
       [](const Row &R, const SiteTable &) {
         // Every run shows, however few they are beside the others.
         uint64_t Length = (R.Runs * BarWidth + R.Most - 1) / R.Most;
         return Value::text(std::string(Length, '#'));
       }},
  });
  std::vector<Row> Rows;
  std::vector<bool> Roots = rootsOf(Sites, Selected);
  std::vector<uint64_t> RunsOf = runsOf(Sites);
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!Roots[S] || RunsOf[S] == 0)
      continue;
    std::vector<uint64_t> Buckets =
        bucketsOf(Sites, S, RunsOf[S], Latencies.of(S));
    unsigned First = 0, Last = static_cast<unsigned>(Buckets.size());
    while (First < Last && Buckets[First] == 0)
      ++First;
    if (First == Last)
      continue;
    while (Buckets[--Last] == 0)
      ;
    unsigned Step = Last - First >= MaxLines ? format::HistogramSteps : 1;
    First -= First % Step;
    size_t OfRoot = Rows.size();
    uint64_t Most = 1;
    for (unsigned B = First; B <= Last; B += Step) {
      uint64_t Runs = 0;
      for (unsigned I = B; I < B + Step && I < Buckets.size(); ++I)
        Runs += Buckets[I];
      Rows.push_back({S, B, B + Step, Runs, 0});
      Most = std::max(Most, Runs);
    }
    for (size_t I = OfRoot; I < Rows.size(); ++I)
      Rows[I].Most = Most;
  }
  return makeRunTable<Row>("histogram", "latencies", Columns, Rows, Sites);
}

Value report::realtimeValue(uint64_t RealtimeNs) {
  auto Seconds = static_cast<time_t>(RealtimeNs / 1'000'000'000);
  std::tm Parts = {};
  gmtime_r(&Seconds, &Parts);
  char Text[64];
  size_t Length = std::strftime(Text, sizeof(Text), "%F %T", &Parts);
  std::snprintf(Text + Length, sizeof(Text) - Length, ".%03u",
                static_cast<unsigned>(RealtimeNs / 1'000'000 % 1000));
  Value V = Value::count(RealtimeNs);
  V.Display = Text;
  return V;
}

namespace {
struct RunOfMethod {
  uint32_t Root;
  RunLatency Run;
};
} // namespace

Table report::makeLastRuns(const SiteTable &Sites, const Selection &Selected,
                           const RunLatencies &Latencies, unsigned Count) {
  using Row = RunOfMethod;
  static const RunColumns<Row> Columns({
      methodColumn<Row>(),
      {TableColumn::text("thread", "thread"), "",
       [](const Row &R, const SiteTable &) {
         return Value::text(R.Run.Thread);
       }},
      {TableColumn::count("end_realtime_ns", "ended (UTC)"), "",
       [](const Row &R, const SiteTable &) {
         return realtimeValue(R.Run.EndRealtimeNs);
       }},
      {TableColumn::time("latency_ns", "latency"), "",
       [](const Row &R, const SiteTable &) {
         return Value::timeNs(R.Run.LatencyNs);
       }},
      {secondsColumn(), "",
       [](const Row &R, const SiteTable &) {
         return seconds(R.Run.LatencyNs);
       }},
      {forMachines(TableColumn::count("end_steady_ns", "ended")), "",
       [](const Row &R, const SiteTable &) {
         return Value::count(R.Run.EndSteadyNs);
       }},
  });
  std::vector<Row> Rows;
  std::vector<bool> Roots = rootsOf(Sites, Selected);
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!Roots[S])
      continue;
    ArrayRef<RunLatency> Runs = Latencies.of(S);
    if (Count)
      Runs = Runs.take_back(Count);
    for (const RunLatency &R : Runs)
      Rows.push_back({S, R});
  }
  return makeRunTable<Row>("last", "last runs, the newest last", Columns, Rows,
                           Sites);
}
