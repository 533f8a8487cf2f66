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
      std::vector<RunLatency> &Runs = ByRoot[Root];
      for (const format::RunSample &S : R.Samples)
        Runs.push_back({Clock.realtimeNs(S.EndTicks),
                        Clock.toNs(static_cast<double>(S.LatencyTicks)),
                        L.name(), R.Count > R.Samples.size()});
    }
  // Rings start anywhere and lanes overlap.
  for (auto &[Root, Runs] : ByRoot)
    stable_sort(Runs, [](const RunLatency &A, const RunLatency &B) {
      return A.EndRealtimeNs < B.EndRealtimeNs;
    });
}

ArrayRef<RunLatency> RunLatencies::of(uint32_t Root) const {
  auto It = ByRoot.find(Root);
  if (It == ByRoot.end())
    return {};
  return It->second;
}

/// The smallest sample that \p Fraction of the samples do not exceed.
static double exactQuantile(ArrayRef<double> Sorted, double Fraction) {
  auto Rank = static_cast<size_t>(
      std::ceil(Fraction * static_cast<double>(Sorted.size())));
  return Sorted[std::max<size_t>(Rank, 1) - 1];
}

namespace {
struct MethodRuns {
  uint32_t Root;
  std::vector<double> Exact; ///< ns, sorted; empty unless all runs are kept

  Value quantile(const SiteTable &Sites, double Fraction) const {
    return Exact.empty()
               ? timeOf(Sites, Sites.measured(Root).quantile(Fraction))
               : Value::timeNs(exactQuantile(Exact, Fraction));
  }
};
} // namespace

Table report::makeLatencyTable(const SiteTable &Sites,
                               const Selection &Selected,
                               const RunLatencies &Latencies) {
  using Row = MethodRuns;
  static const RunColumns<Row> Columns({
      methodColumn<Row>(),
      {TableColumn::count("runs", "runs"), "",
       [](const Row &R, const SiteTable &Sites) {
         return Value::count(Sites.measured(R.Root).Count);
       }},
      {TableColumn::time("min_ns", "min"), "",
       [](const Row &R, const SiteTable &Sites) {
         return timeOf(Sites, static_cast<double>(Sites.measured(R.Root).Min));
       }},
      {TableColumn::time("mean_ns", "mean"), "",
       [](const Row &R, const SiteTable &Sites) {
         return timeOf(Sites, Sites.measured(R.Root).mean());
       }},
      {TableColumn::time("p50_ns", "p50"), "",
       [](const Row &R, const SiteTable &Sites) {
         return R.quantile(Sites, 0.5);
       }},
      {TableColumn::time("p90_ns", "p90"), "",
       [](const Row &R, const SiteTable &Sites) {
         return R.quantile(Sites, 0.9);
       }},
      {TableColumn::time("p99_ns", "p99"), "",
       [](const Row &R, const SiteTable &Sites) {
         return R.quantile(Sites, 0.99);
       }},
      {TableColumn::time("max_ns", "max"), "",
       [](const Row &R, const SiteTable &Sites) {
         return timeOf(Sites, static_cast<double>(Sites.measured(R.Root).Max));
       }},
      {TableColumn::time("std_ns", "std"), "",
       [](const Row &R, const SiteTable &Sites) {
         return timeOf(Sites, Sites.measured(R.Root).standardDeviation());
       }},
      {TableColumn::time("first_ns", "first"), "",
       [](const Row &R, const SiteTable &Sites) {
         const Aggregate &A = Sites.measured(R.Root);
         if (A.First.empty())
           return Value();
         return timeOf(Sites, static_cast<double>(A.First.front()));
       }},
  });
  std::vector<Row> Rows;
  bool Rounded = false;
  std::vector<bool> Roots = rootsOf(Sites, Selected);
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    uint64_t Count = Sites.measured(S).Count;
    if (!Roots[S] || Count == 0)
      continue;
    Row &R = Rows.emplace_back(Row{S, {}});
    if (Latencies.of(S).size() != Count) {
      Rounded = true;
      continue;
    }
    for (const RunLatency &L : Latencies.of(S))
      R.Exact.push_back(L.LatencyNs);
    llvm::sort(R.Exact);
  }
  Table T = makeRunTable<Row>("latency", "", Columns, Rows, Sites);
  if (Rounded)
    T.Notes.push_back("percentiles are within " + quantileBound() +
                      ": more runs than the file keeps one by one");
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

Table report::makeLatencyHistogram(const SiteTable &Sites,
                                   const Selection &Selected) {
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
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    const Aggregate &A = Sites.measured(S);
    if (!Roots[S] || A.Histogram.empty())
      continue;
    unsigned First = format::histogramBucket(A.Min);
    unsigned Last = format::histogramBucket(A.Max);
    unsigned Step = Last - First >= MaxLines ? format::HistogramSteps : 1;
    First -= First % Step;
    size_t OfRoot = Rows.size();
    uint64_t Most = 1;
    for (unsigned B = First; B <= Last; B += Step) {
      uint64_t Runs = 0;
      for (unsigned I = B; I < B + Step && I < A.Histogram.size(); ++I)
        Runs += A.Histogram[I];
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
