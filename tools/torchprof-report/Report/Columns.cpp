//===- Columns.cpp - the column ids ---------------------------------------===//

#include "Columns.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// A time that exists only if something was counted.
static Value counted(const Row &R, double Ticks, const RowContext &Context) {
  if (R.Measured.Count == 0)
    return Value();
  return Value::timeNs(Context.Clock.toNs(Ticks));
}

static Value quantile(const Row &R, double Fraction,
                      const RowContext &Context) {
  return counted(R, R.Measured.quantile(Fraction), Context);
}

/// A share of the runs' time, for what is part of it.
static Value share(const Row &R, double Ticks, const RowContext &Context) {
  if (R.Outside)
    return Value();
  return Value::percent(Context.All.share(Ticks));
}

// Helps the table below to stay one line per thought.
using Ctx = RowContext;
static constexpr ValueType Text = ValueType::Text;
static constexpr ValueType Time = ValueType::TimeNs;
static constexpr ValueType Share = ValueType::Percent;
static constexpr Shorten Whole = Shorten::Never;

static const Column Columns[] = {
    {"kind", "kind", "operator, prim::If, method, module or region", Text,
     Shorten::KeepStart, false,
     [](const Row &R, const Ctx &) { return Value::text(R.Kind); }},
    {"name", "name", "name of the node's first output, or of the method", Text,
     Shorten::KeepStart, false,
     [](const Row &R, const Ctx &) { return Value::text(R.Name); }},
    {"module", "module", "path of the module instance", Text, Shorten::KeepEnd,
     false, [](const Row &R, const Ctx &) { return Value::text(R.Module); }},
    {"class", "class", "class of the module", Text, Shorten::KeepEnd, false,
     [](const Row &R, const Ctx &) { return Value::text(R.Class); }},
    {"source", "source", "file:line in the author's code", Text,
     Shorten::KeepEnd, false,
     [](const Row &R, const Ctx &) { return placeValue(R.Source); }},
    {"calls", "calls", "spans counted", ValueType::Count, Whole, false,
     [](const Row &R, const Ctx &) { return Value::count(R.Measured.Count); }},
    {"total_ns", "total", "time between begin and end", Time, Whole, false,
     [](const Row &R, const Ctx &C) {
       return Value::timeNs(C.Clock.toNs(static_cast<double>(R.Total)));
     }},
    {"self_ns", "self", "total minus the children's", Time, Whole, false,
     [](const Row &R, const Ctx &C) {
       Value V = Value::timeNs(C.Clock.toNs(R.selfTicks()));
       V.Marked = R.belowZero();
       return V;
     }},
    {"mean_ns", "mean", "mean time of a call", Time, Whole, false,
     [](const Row &R, const Ctx &C) {
       return counted(R, R.Measured.mean(), C);
     }},
    {"min_ns", "min", "shortest call", Time, Whole, false,
     [](const Row &R, const Ctx &C) {
       return counted(R, static_cast<double>(R.Measured.Min), C);
     }},
    {"p50_ns", "p50", "median, within 3.6 %", Time, Whole, true,
     [](const Row &R, const Ctx &C) { return quantile(R, 0.5, C); }},
    {"p90_ns", "p90", "9 of 10 calls took at most this, within 3.6 %", Time,
     Whole, true,
     [](const Row &R, const Ctx &C) { return quantile(R, 0.9, C); }},
    {"p99_ns", "p99", "99 of 100 calls took at most this, within 3.6 %", Time,
     Whole, true,
     [](const Row &R, const Ctx &C) { return quantile(R, 0.99, C); }},
    {"max_ns", "max", "longest call", Time, Whole, false,
     [](const Row &R, const Ctx &C) {
       return counted(R, static_cast<double>(R.Measured.Max), C);
     }},
    {"std_ns", "std", "standard deviation of the calls", Time, Whole, false,
     [](const Row &R, const Ctx &C) {
       return counted(R, R.Measured.standardDeviation(), C);
     }},
    {"first_ns", "first", "first call", Time, Whole, false,
     [](const Row &R, const Ctx &C) {
       if (R.Measured.First.empty())
         return Value();
       return counted(R, static_cast<double>(R.Measured.First.front()), C);
     }},
    {"pct_total", "% total", "total in percent of the runs' time", Share, Whole,
     false,
     [](const Row &R, const Ctx &C) {
       return share(R, static_cast<double>(R.Total), C);
     }},
    {"pct_self", "% self", "self in percent of the runs' time", Share, Whole,
     false,
     [](const Row &R, const Ctx &C) { return share(R, R.selfTicks(), C); }},
};

ArrayRef<Column> report::allColumns() { return Columns; }

static const Column *findColumn(StringRef Id) {
  for (const Column &C : Columns)
    if (C.Id == Id)
      return &C;
  return nullptr;
}

static std::string listOfIds() {
  std::string Text;
  for (const Column &C : Columns)
    Text += (Text.empty() ? "" : ", ") + C.Id.str();
  return Text;
}

Expected<std::vector<const Column *>>
report::findColumns(ArrayRef<std::string> Ids, StringRef Option) {
  std::vector<const Column *> Found;
  for (const std::string &Id : Ids) {
    const Column *C = findColumn(Id);
    if (!C)
      return createStringError(inconvertibleErrorCode(),
                               Option + ": expected one of " + listOfIds() +
                                   ", found '" + Id + "'");
    Found.push_back(C);
  }
  return Found;
}

/// Below, above or equal: what sort order \p A has to \p B.
static int compare(const Value &A, const Value &B) {
  if (A.Type == ValueType::None || B.Type == ValueType::None)
    return (A.Type == ValueType::None) - (B.Type == ValueType::None);
  if (A.Type == ValueType::Text)
    return A.Text.compare(B.Text);
  if (A.Type == ValueType::Count)
    return (A.Count < B.Count) - (A.Count > B.Count);
  return (A.Number < B.Number) - (A.Number > B.Number);
}

Error report::sortRows(std::vector<Row> &Rows, ArrayRef<std::string> Keys,
                       const RowContext &Context) {
  std::vector<const Column *> Chosen;
  for (const std::string &Key : Keys) {
    if (Key == "order") // where each row has its own place
      break;
    const Column *C = findColumn(Key);
    if (!C)
      return createStringError(inconvertibleErrorCode(),
                               "--sort: expected one of order, " + listOfIds() +
                                   ", found '" + Key + "'");
    Chosen.push_back(C);
  }
  struct Sortable {
    std::vector<Value> Keys;
    uint32_t Index;
  };
  std::vector<Sortable> Order;
  for (uint32_t I = 0; I < Rows.size(); ++I) {
    Sortable &S = Order.emplace_back();
    S.Index = I;
    for (const Column *C : Chosen)
      S.Keys.push_back(C->Get(Rows[I], Context));
  }
  stable_sort(Order, [&](const Sortable &A, const Sortable &B) {
    for (size_t I = 0; I < Chosen.size(); ++I)
      if (int Result = compare(A.Keys[I], B.Keys[I]))
        return Result < 0;
    return Rows[A.Index].Order < Rows[B.Index].Order;
  });
  std::vector<Row> Sorted;
  Sorted.reserve(Rows.size());
  for (const Sortable &S : Order)
    Sorted.push_back(std::move(Rows[S.Index]));
  Rows = std::move(Sorted);
  return Error::success();
}
