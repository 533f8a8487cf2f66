//===- Runs.cpp - how long the runs took ----------------------------------===//

#include "Runs.h"
#include "Rows.h"

#include <cmath>
#include <ctime>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

using Column = TableColumn;

void RunLatencies::add(const Profile &P, const SiteTable &Sites) {
  TickClock Clock(P);
  for (const Lane &L : P.Lanes)
    for (const RunRing &R : L.Runs) {
      uint32_t Root = Sites.siteOfSlot(R.Slot);
      if (Root == NoIndex)
        continue;
      std::vector<RunLatency> &Runs = ByRoot[Root];
      for (const format::RunSample &S : R.Samples)
        Runs.push_back({Clock.realtimeNs(S.EndTicks),
                        Clock.toNs(static_cast<double>(S.LatencyTicks))});
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
static double exactQuantile(std::vector<double> Sorted, double Fraction) {
  auto Rank = static_cast<size_t>(
      std::ceil(Fraction * static_cast<double>(Sorted.size())));
  return Sorted[std::max<size_t>(Rank, 1) - 1];
}

Table report::makeLatencyTable(const SiteTable &Sites,
                               const RunLatencies &Latencies) {
  Table T;
  T.Id = "latency";
  T.Columns = {
      Column::text("method", "method"), Column::count("runs", "runs"),
      Column::time("min_ns", "min"),    Column::time("mean_ns", "mean"),
      Column::time("p50_ns", "p50"),    Column::time("p90_ns", "p90"),
      Column::time("p99_ns", "p99"),    Column::time("max_ns", "max"),
      Column::time("std_ns", "std"),    Column::time("first_ns", "first")};
  const TickClock &Clock = Sites.clock();
  bool Rounded = false;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    const Aggregate &A = Sites.measured(S);
    if (!Sites[S].isRoot() || A.Count == 0)
      continue;
    std::vector<double> Exact;
    for (const RunLatency &R : Latencies.of(S))
      Exact.push_back(R.LatencyNs);
    llvm::sort(Exact);
    bool Complete = Exact.size() == A.Count;
    Rounded |= !Complete;
    auto Quantile = [&](double Fraction) {
      return Value::timeNs(Complete ? exactQuantile(Exact, Fraction)
                                    : Clock.toNs(A.quantile(Fraction)));
    };
    auto Time = [&](double Ticks) { return Value::timeNs(Clock.toNs(Ticks)); };
    T.Rows.push_back(
        {Value::text(Sites.name(S)), Value::count(A.Count),
         Time(static_cast<double>(A.Min)), Time(A.mean()), Quantile(0.5),
         Quantile(0.9), Quantile(0.99), Time(static_cast<double>(A.Max)),
         Time(A.standardDeviation()),
         A.First.empty() ? Value()
                         : Time(static_cast<double>(A.First.front()))});
  }
  if (Rounded)
    T.Notes.push_back("percentiles are within 3.6 %: more runs than the file "
                      "keeps one by one");
  return T;
}

// Of a histogram for people: more lines than this become one per octave.
static constexpr unsigned MaxLines = 24;
static constexpr unsigned BarWidth = 40;

Table report::makeLatencyHistogram(const SiteTable &Sites) {
  Table T;
  T.Id = "histogram";
  T.Title = "latencies";
  T.Columns = {Column::text("method", "method"),
               Column::time("from_ns", "from"),
               Column::time("below_ns", "below"), Column::count("runs", "runs"),
               Column::text("bar", "")};
  const TickClock &Clock = Sites.clock();
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    const Aggregate &A = Sites.measured(S);
    if (!Sites[S].isRoot() || A.Histogram.empty())
      continue;
    unsigned First = format::histogramBucket(A.Min);
    unsigned Last = format::histogramBucket(A.Max);
    unsigned Step = Last - First >= MaxLines ? format::HistogramSteps : 1;
    First -= First % Step;
    std::vector<std::pair<unsigned, uint64_t>> Lines;
    uint64_t Most = 1;
    for (unsigned B = First; B <= Last; B += Step) {
      uint64_t Runs = 0;
      for (unsigned I = B; I < B + Step && I < A.Histogram.size(); ++I)
        Runs += A.Histogram[I];
      Lines.emplace_back(B, Runs);
      Most = std::max(Most, Runs);
    }
    for (auto [Bucket, Runs] : Lines) {
      auto Bound = [&](unsigned B) {
        return Value::timeNs(
            Clock.toNs(static_cast<double>(format::histogramLowerBound(B))));
      };
      // Every run shows, however few they are beside the others.
      uint64_t Length = (Runs * BarWidth + Most - 1) / Most;
      T.Rows.push_back({Value::text(Sites.name(S)), Bound(Bucket),
                        Bound(Bucket + Step), Value::count(Runs),
                        Value::text(std::string(Length, '#'))});
    }
  }
  return T;
}

/// "2026-11-20 23:59:59.123" in UTC.
static std::string clockText(uint64_t RealtimeNs) {
  auto Seconds = static_cast<time_t>(RealtimeNs / 1'000'000'000);
  std::tm Parts = {};
  gmtime_r(&Seconds, &Parts);
  char Text[64];
  size_t Length = std::strftime(Text, sizeof(Text), "%F %T", &Parts);
  std::snprintf(Text + Length, sizeof(Text) - Length, ".%03u",
                static_cast<unsigned>(RealtimeNs / 1'000'000 % 1000));
  return Text;
}

Table report::makeLastRuns(const SiteTable &Sites,
                           const RunLatencies &Latencies, unsigned Count) {
  Table T;
  T.Id = "last";
  T.Title = "last runs, the newest last";
  T.Columns = {Column::text("method", "method"),
               Column::count("end_realtime_ns", "ended (UTC)"),
               Column::time("latency_ns", "latency")};
  for (uint32_t S = 0; S < Sites.size(); ++S)
    for (const RunLatency &R : Latencies.of(S).take_back(Count)) {
      Value Ended = Value::count(R.EndRealtimeNs);
      Ended.Display = clockText(R.EndRealtimeNs);
      T.Rows.push_back(
          {Value::text(Sites.name(S)), Ended, Value::timeNs(R.LatencyNs)});
    }
  return T;
}

// Nodes below this share of the total are not worth a line.
static constexpr double LeastShare = 0.1;

static bool worthALine(const SiteTable &Sites, const Selection &Selected,
                       const Totals &All, uint32_t S) {
  return !Sites[S].isRoot() && !Sites[S].isRegion() &&
         Selected.matches(Sites, S) &&
         All.share(static_cast<double>(Sites.total(S))) >= LeastShare;
}

static void keepFirst(Table &T, unsigned Limit) {
  if (Limit && T.Rows.size() > Limit)
    T.Rows.resize(Limit);
}

Table report::makeVaryingNodes(const SiteTable &Sites,
                               const Selection &Selected, unsigned Limit) {
  Table T;
  T.Id = "varying";
  T.Title = "nodes that vary most from call to call";
  T.Columns = {Column::text("kind", "kind"),
               Column::text("name", "name"),
               Column::text("module", "module"),
               Column::count("calls", "calls"),
               Column::time("mean_ns", "mean"),
               Column::time("std_ns", "std"),
               Column::number("variation", "std/mean", 2),
               Column::time("max_ns", "max")};
  Totals All = makeTotals(Sites, Selected);
  const TickClock &Clock = Sites.clock();
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    const Aggregate &A = Sites.measured(S);
    if (!worthALine(Sites, Selected, All, S) || A.Count < 2 || A.Sum == 0)
      continue;
    double Std = A.standardDeviation();
    T.Rows.push_back({Value::text(Sites.kind(S)), Value::text(Sites.name(S)),
                      Value::text(Sites.modulePath(S)), Value::count(A.Count),
                      Value::timeNs(Clock.toNs(A.mean())),
                      Value::timeNs(Clock.toNs(Std)),
                      Value::number(ValueType::Number, Std / A.mean()),
                      Value::timeNs(Clock.toNs(static_cast<double>(A.Max)))});
  }
  stable_sort(T.Rows, [](const auto &A, const auto &B) {
    return A[6].Number > B[6].Number;
  });
  keepFirst(T, Limit);
  return T;
}

// A first call this many times slower than the others is warm-up.
static constexpr double SlowFirst = 2;

Table report::makeSlowFirstCalls(const SiteTable &Sites,
                                 const Selection &Selected, unsigned Limit) {
  Table T;
  T.Id = "slow_first";
  T.Title = "nodes that were slow only in their first call";
  T.Columns = {Column::text("kind", "kind"),
               Column::text("name", "name"),
               Column::text("module", "module"),
               Column::time("first_ns", "first"),
               Column::time("second_ns", "second"),
               Column::time("steady_ns", "steady"),
               Column::number("first_to_steady", "first/steady", 2)};
  Totals All = makeTotals(Sites, Selected);
  const TickClock &Clock = Sites.clock();
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    const Aggregate &A = Sites.measured(S);
    if (!worthALine(Sites, Selected, All, S) || A.Count < 3 ||
        A.First.size() < 2)
      continue;
    // Without the first, the mean is that of the steady calls.
    auto First = static_cast<double>(A.First.front());
    double Steady =
        (static_cast<double>(A.Sum) - First) / static_cast<double>(A.Count - 1);
    if (Steady <= 0 || First < SlowFirst * Steady)
      continue;
    T.Rows.push_back(
        {Value::text(Sites.kind(S)), Value::text(Sites.name(S)),
         Value::text(Sites.modulePath(S)), Value::timeNs(Clock.toNs(First)),
         Value::timeNs(Clock.toNs(static_cast<double>(A.First[1]))),
         Value::timeNs(Clock.toNs(Steady)),
         Value::number(ValueType::Number, First / Steady)});
  }
  stable_sort(T.Rows, [](const auto &A, const auto &B) {
    return A[3].Number - A[5].Number > B[3].Number - B[5].Number;
  });
  keepFirst(T, Limit);
  return T;
}
