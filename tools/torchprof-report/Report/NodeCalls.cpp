//===- NodeCalls.cpp - how single calls of nodes took ---------------------===//

#include "ModelNames.h"
#include "RunTables.h"
#include "Runs.h"
#include "SiteKey.h"
#include "Totals.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
/// A call of a site that a lane keeps by itself.
struct FirstCall {
  uint32_t Site;
  const TableLane *Lane;
  uint64_t Number; ///< from 1, on its lane
  uint64_t Ticks;
  std::string Key; ///< of the site
};
} // namespace

// The columns that say which site a row is about.
template <typename RowT>
static std::vector<typename RunColumns<RowT>::Column> siteColumns() {
  return {{TableColumn::text("kind", "kind"), "",
           [](const RowT &R, const SiteTable &Sites) {
             return Value::text(Sites.kind(R.Site));
           }},
          {TableColumn::text("name", "name"), "",
           [](const RowT &R, const SiteTable &Sites) {
             return Value::text(Sites.fullName(R.Site));
           }},
          {TableColumn::text("model", "model"), "",
           [](const RowT &R, const SiteTable &Sites) {
             return Value::text(Sites.modelNames().of(Sites, R.Site));
           }},
          {TableColumn::text("method", "method"), "",
           [](const RowT &R, const SiteTable &Sites) {
             return Value::text(ModelNames::methodAround(Sites, R.Site));
           }},
          {TableColumn::text("module", "module"), "",
           [](const RowT &R, const SiteTable &Sites) {
             return Value::text(Sites.modulePath(R.Site));
           }}};
}

/// \p More behind the columns that say which site a row is about.
template <typename RowT>
static RunColumns<RowT>
withSiteColumns(std::vector<typename RunColumns<RowT>::Column> More) {
  std::vector<typename RunColumns<RowT>::Column> Columns = siteColumns<RowT>();
  append_range(Columns, More);
  return RunColumns<RowT>(std::move(Columns));
}

/// As makeRunTable(), of columns that withSiteColumns() made: with model and
/// method where the summary has them.
template <typename RowT>
static Table makeNodeTable(StringRef Id, StringRef Title,
                           const RunColumns<RowT> &Columns, ArrayRef<RowT> Rows,
                           const SiteTable &Sites) {
  auto Chosen = Columns.all();
  erase_if(Chosen, [&](const auto *C) {
    return (C->id() == "model" && !Sites.modelNames().areNeeded()) ||
           (C->id() == "method" && !Sites.modelNames().areMethodsNeeded());
  });
  Table T;
  T.Id = Id.str();
  T.Title = Title.str();
  RunColumns<RowT>::fill(T, Rows, Chosen, Sites);
  return T;
}

/// True if a user who says \p Asked means this site: its name as the summary
/// has it, with its model in front or without, or \p Key.
static bool isAsked(const SiteTable &Sites, uint32_t S, StringRef Key,
                    StringRef Asked) {
  auto IsName = [&](StringRef Text) {
    return Text == Sites.name(S) || Text == Sites.fullName(S);
  };
  if (Asked == Key || IsName(Asked))
    return true;
  StringRef Model = Sites.modelNames().of(Sites, S);
  return !Model.empty() && Asked.consume_front(Model) &&
         Asked.consume_front(".") && IsName(Asked);
}

Expected<Table> report::makeFirstCalls(const SiteTable &Sites,
                                       const Selection &Selected,
                                       StringRef Name) {
  using Row = FirstCall;
  static const RunColumns<Row> Columns = withSiteColumns<Row>({
      {TableColumn::text("thread", "thread"), "",
       [](const Row &R, const SiteTable &) {
         return Value::text(R.Lane->Name);
       }},
      {TableColumn::count("call", "call"), "",
       [](const Row &R, const SiteTable &) { return Value::count(R.Number); }},
      {TableColumn::time("latency_ns", "latency"), "",
       [](const Row &R, const SiteTable &Sites) {
         return timeOf(Sites, static_cast<double>(R.Ticks));
       }},
      {secondsColumn(), "",
       [](const Row &R, const SiteTable &Sites) {
         return seconds(Sites.clock().toNs(static_cast<double>(R.Ticks)));
       }},
      {forMachines(TableColumn::text("key", "key")), "",
       [](const Row &R, const SiteTable &) { return Value::text(R.Key); }},
  });
  std::vector<Row> Rows;
  std::vector<SiteKey> Keys = siteKeys(Sites);
  std::vector<bool> Asked(Sites.size());
  std::vector<std::string> Names;
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Sites.measured(S).Count && Selected.matches(Sites, S)) {
      Asked[S] = isAsked(Sites, S, Keys[S].text(), Name);
      Names.push_back(Sites.fullName(S));
    }
  if (!is_contained(Asked, true)) {
    StringRef Nearest = nearestName(Name, Names);
    return createStringError(
        inconvertibleErrorCode(),
        "--node: no node '" + Name + "' was recorded" +
            (Nearest.empty() ? "" : "; did you mean " + Nearest + "?"));
  }
  for (const TableLane &L : Sites.lanes())
    for (const auto &[S, A] : L.Measured)
      if (Asked[S])
        for (size_t I = 0; I < A.First.size(); ++I)
          Rows.push_back({S, &L, I + 1, A.First[I], Keys[S].text()});
  return makeNodeTable<Row>("first_calls", "first calls", Columns, Rows, Sites);
}

// Nodes below this share of the total are not worth a line.
static constexpr double LeastShare = 0.1;

static bool worthALine(const SiteTable &Sites, const Selection &Selected,
                       const Totals &All, uint32_t S) {
  return !Sites[S].isRoot() && !Sites[S].Dynamic &&
         Selected.matches(Sites, S) &&
         !All.isBelow(static_cast<double>(Sites.total(S)), LeastShare);
}

template <typename RowT>
static ArrayRef<RowT> firstRows(ArrayRef<RowT> Rows, unsigned Limit) {
  return Limit ? Rows.take_front(Limit) : Rows;
}

namespace {
struct VaryingNode {
  uint32_t Site;
  double Mean, Std; ///< ticks
};
} // namespace

Table report::makeVaryingNodes(const SiteTable &Sites,
                               const Selection &Selected, unsigned Limit) {
  using Row = VaryingNode;
  static const RunColumns<Row> Columns = withSiteColumns<Row>({
      {TableColumn::count("calls", "calls"), "",
       [](const Row &R, const SiteTable &Sites) {
         return Value::count(Sites.measured(R.Site).Count);
       }},
      {TableColumn::time("mean_ns", "mean"), "",
       [](const Row &R, const SiteTable &Sites) {
         return timeOf(Sites, R.Mean);
       }},
      {TableColumn::time("std_ns", "std"), "",
       [](const Row &R, const SiteTable &Sites) {
         return timeOf(Sites, R.Std);
       }},
      {TableColumn::number("variation", "std/mean", 2), "",
       [](const Row &R, const SiteTable &) {
         return Value::number(ValueType::Number, R.Std / R.Mean);
       }},
      {TableColumn::time("max_ns", "max"), "",
       [](const Row &R, const SiteTable &Sites) {
         return timeOf(Sites, static_cast<double>(Sites.measured(R.Site).Max));
       }},
  });
  Totals All = makeTotals(Sites, Selected);
  std::vector<Row> Rows;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    const Aggregate &A = Sites.measured(S);
    if (worthALine(Sites, Selected, All, S) && A.Count >= 2 && A.Sum)
      Rows.push_back({S, A.mean(), A.standardDeviation()});
  }
  stable_sort(Rows, [](const Row &A, const Row &B) {
    return A.Std / A.Mean > B.Std / B.Mean;
  });
  return makeNodeTable<Row>("varying", "nodes that vary most from call to call",
                            Columns, firstRows<Row>(Rows, Limit), Sites);
}

// A first call this many times slower than the others is warm-up.
static constexpr double SlowFirst = 2;

namespace {
struct SlowFirstCall {
  uint32_t Site;
  double First, Second, Steady; ///< ticks
};
} // namespace

namespace {
struct CallSum {
  uint64_t Count = 0;
  double Ticks = 0;
};
} // namespace

/// The calls that took more than \p Ticks, less those in the histogram's bucket
/// that these lie in.
static CallSum callsBeyond(const Aggregate &A, double Ticks) {
  CallSum Calls;
  for (unsigned I = 0; I < A.Histogram.size(); ++I)
    if (static_cast<double>(format::histogramLowerBound(I)) > Ticks) {
      auto Count = static_cast<double>(A.Histogram[I]);
      Calls.Count += A.Histogram[I];
      Calls.Ticks += Count * format::histogramMiddle(I);
    }
  return Calls;
}

Table report::makeSlowFirstCalls(const SiteTable &Sites,
                                 const Selection &Selected, unsigned Limit) {
  using Row = SlowFirstCall;
  static const RunColumns<Row> Columns = withSiteColumns<Row>({
      {TableColumn::time("first_ns", "first"), "",
       [](const Row &R, const SiteTable &Sites) {
         return timeOf(Sites, R.First);
       }},
      {TableColumn::time("second_ns", "second"), "",
       [](const Row &R, const SiteTable &Sites) {
         return timeOf(Sites, R.Second);
       }},
      {TableColumn::time("steady_ns", "steady"), "",
       [](const Row &R, const SiteTable &Sites) {
         return timeOf(Sites, R.Steady);
       }},
      {TableColumn::number("first_to_steady", "first/steady", 2), "",
       [](const Row &R, const SiteTable &) {
         return Value::number(ValueType::Number, R.First / R.Steady);
       }},
  });
  Totals All = makeTotals(Sites, Selected);
  std::vector<Row> Rows;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    const Aggregate &A = Sites.measured(S);
    if (!worthALine(Sites, Selected, All, S) || A.Count < 3 ||
        A.First.size() < 2)
      continue;
    auto First = static_cast<double>(A.First.front());
    // As many may be first ones as there are processes, of which one is known.
    CallSum Slow = callsBeyond(A, First / SlowFirst);
    if (Slow.Count > Sites.processes() || Slow.Count >= A.Count)
      continue;
    CallSum Others;
    if (Slow.Count > 1)
      Others = {Slow.Count - 1,
                Slow.Ticks - format::histogramMiddle(
                                 format::histogramBucket(A.First.front()))};
    // Without these, the mean is that of the steady calls.
    double Steady = (static_cast<double>(A.Sum) - First - Others.Ticks) /
                    static_cast<double>(A.Count - 1 - Others.Count);
    if (Steady > 0 && First >= SlowFirst * Steady)
      Rows.push_back({S, First, static_cast<double>(A.First[1]), Steady});
  }
  stable_sort(Rows, [](const Row &A, const Row &B) {
    return A.First - A.Steady > B.First - B.Steady;
  });
  return makeNodeTable<Row>("slow_first",
                            "nodes that were slow only in their first call",
                            Columns, firstRows<Row>(Rows, Limit), Sites);
}
