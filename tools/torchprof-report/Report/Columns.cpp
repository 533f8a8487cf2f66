//===- Columns.cpp - the columns of the summary ---------------------------===//

#include "Columns.h"
#include "DeviceColumns.h"
#include "WorkColumns.h"

#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

std::string report::quantileBound(unsigned Rescaled) {
  // Each time the middle of a bucket was read and put into another one.
  double Error = std::pow(1 + format::HistogramError, Rescaled + 1) - 1;
  // Rounded up to a tenth: the bound must hold.
  std::string Text;
  raw_string_ostream(Text) << llvm::format("%g %% and %u ticks",
                                           std::ceil(Error * 1000) / 10,
                                           format::HistogramErrorTicks)
                           << (Rescaled ? " of each clock" : "");
  return Text;
}

std::string report::rescaledNote(ArrayRef<std::string> ColumnIds,
                                 unsigned Rescaled) {
  auto IsPercentile = [](StringRef Id) {
    return Id.endswith("p50_ns") || Id == "p90_ns" || Id == "p99_ns";
  };
  if (!Rescaled || none_of(ColumnIds, IsPercentile))
    return "";
  return "note: percentiles are within " + quantileBound(Rescaled) +
         ": durations were brought from one clock's ticks to another's";
}

static bool hasValue(const Table &T, bool Value::*Property) {
  return any_of(T.Rows, [&](const std::vector<Value> &Row) {
    return any_of(Row, [&](const Value &V) { return V.*Property; });
  });
}

void report::explainMarks(Table &T) {
  if (hasValue(T, &Value::Marked))
    T.Notes.push_back("* what would be below 0 counts as 0: children of "
                      "spans that were cut or not finished, or that ended on a "
                      "thread that is left out, were counted");
  if (hasValue(T, &Value::Estimated))
    T.Notes.push_back(
        "~ estimated: fused kernels are split by what their nodes "
        "took before they were fused");
}

using Ctx = RowContext;

/// A time that exists only if the calls were timed one by one.
static Value timed(const Row &R, double Ticks, const Ctx &C) {
  if (R.Measured.Count == 0 || !R.CallsAreSpans)
    return Value();
  return Value::timeNs(C.Clock.toNs(Ticks));
}

/// \p V, which is one of the numbers that an estimate changes.
static Value estimable(Value V, const Row &R) {
  V.Estimated = R.Estimated;
  return V;
}

/// A time that only single calls tell.
static Value ofCalls(const Row &R, double Ticks, const Ctx &C) {
  return R.HasDistribution ? timed(R, Ticks, C) : Value();
}

/// An extreme of the calls.
static Value extreme(const Row &R, uint64_t Ticks, const Ctx &C) {
  if (R.Measured.Min > R.Measured.Max || R.Estimated)
    return Value();
  return timed(R, static_cast<double>(Ticks), C);
}

/// A share of the runs' time, for what is part of it: \p Aside is not.
static Value share(const Row &R, UInt128 Ticks, UInt128 Aside, const Ctx &C) {
  if (R.Outside || (Aside && Aside >= Ticks))
    return Value();
  return C.All.shareValue(static_cast<double>(Ticks - std::min(Aside, Ticks)));
}

Value report::backwardValue(const GradientSum &Sum, const RowContext &C) {
  return Sum.Calls ? Value::timeNs(C.Clock.toNs(static_cast<double>(Sum.Self)))
                   : Value();
}

Value report::backwardDeviceValue(const GradientSum &Sum, const RowContext &) {
  return Sum.DeviceNs ? Value::timeNs(static_cast<double>(Sum.DeviceNs))
                      : Value();
}

static RowColumns::Column text(StringRef Id, StringRef Help, Shorten Narrow,
                               std::string Row::*Field) {
  return {TableColumn::text(Id, Id, Narrow), Help.str(),
          [Field](const Row &R, const Ctx &) { return Value::text(R.*Field); }};
}

static RowColumns::Column time(StringRef Id, StringRef Title, const Twine &Help,
                               Value (*Get)(const Row &, const Ctx &),
                               bool NeedsHistogram = false) {
  return {TableColumn::time(Id, Title), Help.str(), Get, NeedsHistogram};
}

static RowColumns::Column percent(StringRef Id, StringRef Title, StringRef Help,
                                  Value (*Get)(const Row &, const Ctx &)) {
  return {TableColumn::percent(Id, Title), Help.str(), Get};
}

/// The columns of one measure. \p M: its number if the table has it.
static void addMeasureColumns(std::vector<RowColumns::Column> &Out,
                              const TableMeasure &Info,
                              const KnownMeasure *Known,
                              Optional<MeasureId> M) {
  std::string Id = measureColumnId(Info.Id, Info.Unit);
  std::string Title = Known ? Known->Title.str() : Info.Id;
  std::string Help = Known ? Known->Help.str() : "measure " + Info.Id;
  std::string Switch = Known ? " (" + Known->Switch.str() + ")" : "";
  ValueType Type = measureValueType(Info.Unit);
  auto Make =
      [&](const std::string &Id, const std::string &Title,
          const std::string &Help,
          std::function<Value(const Row &, const RowMeasure &, const Ctx &)>
              Get) {
        Out.push_back({TableColumn::make(Id, Title, Type), Help + Switch,
                       [M, Get](const Row &R, const Ctx &C) {
                         if (!M || R.Measures[*M].Count == 0)
                           return Value();
                         return Get(R, R.Measures[*M], C);
                       }});
      };
  MeasureUnit Unit = Info.Unit;
  Make(Id, Title, Help, [Unit](const Row &, const RowMeasure &RM, const Ctx &) {
    return measureValue(Unit, RM.Total);
  });
  if (Info.Fold == MeasureFold::Peak)
    return;
  Make("self_" + Id, "self " + Title, Help + ", without the children's",
       [Unit](const Row &R, const RowMeasure &RM, const Ctx &) {
         return R.Overlay ? Value() : measureValue(Unit, RM.Self);
       });
  if (!Known)
    return;
  if (!Known->CallsId.empty())
    Out.push_back({TableColumn::count(Known->CallsId, Known->CallsTitle),
                   Known->CallsHelp.str() + Switch,
                   [M](const Row &R, const Ctx &) {
                     return M && R.CallsAreSpans && R.Measures[*M].Count
                                ? Value::count(R.Measures[*M].Count)
                                : Value();
                   }});
  if (Known->RestId.empty())
    return;
  Make(measureColumnId(Known->RestId, Unit), Known->RestTitle.str(),
       Known->RestHelp.str(),
       [](const Row &, const RowMeasure &RM, const Ctx &C) {
         double Rest = C.Clock.toNs(static_cast<double>(RM.Time)) -
                       static_cast<double>(RM.Total);
         return Value::timeNs(std::max(Rest, 0.0));
       });
}

/// The columns of what two measures make; \p More and \p Less are their numbers
/// if the table has them.
static void addDerivedColumns(std::vector<RowColumns::Column> &Out,
                              const DerivedMeasure &Info,
                              Optional<MeasureId> More,
                              Optional<MeasureId> Less) {
  std::string Id = measureColumnId(Info.Id, MeasureUnit::Bytes);
  std::string Switch = " (" + Info.More.Switch.str() + ")";
  auto Make = [&](const std::string &Id, const std::string &Title,
                  const std::string &Help, UInt128 RowMeasure::*Amount,
                  Optional<uint64_t> Row::*OfParts, bool IsOwn) {
    bool IsNet = Info.Less.Of == format::MeasureId::Freed;
    Out.push_back({TableColumn::make(Id, Title, ValueType::Bytes),
                   Help + Switch, [=](const Row &R, const Ctx &) {
                     if (IsNet && More && Less && !R.IsWhole)
                       return R.*OfParts ? Value::signedBytes(*(R.*OfParts))
                                         : Value();
                     if (!More || !Less || R.Measures[*More].Count == 0 ||
                         (IsOwn && R.Overlay))
                       return Value();
                     return Value::bytesLess(
                         static_cast<uint64_t>(R.Measures[*More].*Amount),
                         static_cast<uint64_t>(R.Measures[*Less].*Amount));
                   }});
  };
  Make(Id, Info.Title.str(), Info.Help.str(), &RowMeasure::Total, &Row::Net,
       false);
  Make("self_" + Id, "self " + Info.Title.str(),
       Info.Help.str() + ", without the children's", &RowMeasure::Self,
       &Row::SelfNet, true);
}

RowColumns report::rowColumns(ArrayRef<TableMeasure> Measures) {
  std::string Within =
      ", within " + quantileBound() + " unless a note says more";
  std::vector<RowColumns::Column> Columns = {
      text("kind",
           "operator, prim::If, method, module, region, backward, reads "
           "attributes or prepares gradients",
           Shorten::KeepStart, &Row::Kind),
      text("name",
           "name of the node's first output, or of the method; of a gradient, "
           "what computes it and of which node",
           Shorten::KeepStart, &Row::Name),
      text("model", "class of the model; of several of a class with a number",
           Shorten::KeepStart, &Row::Model),
      text("model_id",
           "id of the model, as check prints it: the same in every file",
           Shorten::KeepStart, &Row::ModelId),
      text("method", "method around the node", Shorten::KeepStart,
           &Row::Method),
      text("module", "path of the module instance", Shorten::KeepEnd,
           &Row::Module),
      text("class", "class of the module", Shorten::KeepEnd, &Row::Class),
      {TableColumn::text("source", "source"), "file:line in the author's code",
       [](const Row &R, const Ctx &) { return placeValue(R.Source); }},
      text("key", "method/module/kind/number: the same in a changed model",
           Shorten::KeepEnd, &Row::Key),
  };
  addShapeColumns(Columns);
  std::vector<RowColumns::Column> Numbers = {
      {TableColumn::count("calls", "calls"),
       "spans counted; of modules, classes and methods their own calls",
       [](const Row &R, const Ctx &) {
         if (R.CallsAreSpans)
           return estimable(Value::count(R.Measured.Count), R);
         return R.Calls ? Value::count(*R.Calls) : Value();
       }},
      time("total_ns", "total", "time between begin and end",
           [](const Row &R, const Ctx &C) {
             double Ticks = static_cast<double>(R.Total);
             return estimable(Value::timeNs(C.Clock.toNs(Ticks)), R);
           }),
      time("self_ns", "self", "total minus the children's",
           [](const Row &R, const Ctx &C) {
             if (R.Overlay || !R.HasSelf)
               return Value();
             Value V = Value::timeNs(C.Clock.toNs(static_cast<double>(R.Self)));
             V.Marked = R.Clipped;
             return estimable(V, R);
           }),
      time("backward_ns", "backward",
           "time of the nodes' gradients, in backward or in aten::grad",
           [](const Row &R, const Ctx &C) {
             return backwardValue(R.Backward, C);
           }),
      {TableColumn::time("backward_device_ns", "backward device"),
       "how long the device worked for them (TORCHPROF_RECORD=device)",
       [](const Row &R, const Ctx &C) {
         return backwardDeviceValue(R.Backward, C);
       }},
      {TableColumn::count("backward_calls", "backward calls"),
       "how often gradients of the nodes were computed",
       [](const Row &R, const Ctx &) {
         return R.Backward.Calls ? Value::count(R.Backward.Calls) : Value();
       }},
      time("mean_ns", "mean", "mean time of a call",
           [](const Row &R, const Ctx &C) {
             return estimable(timed(R, R.Measured.mean(), C), R);
           }),
      time("min_ns", "min", "shortest call",
           [](const Row &R, const Ctx &C) {
             return extreme(R, R.Measured.Min, C);
           }),
      time(
          "p50_ns", "p50", "median" + Within,
          [](const Row &R, const Ctx &C) {
            return ofCalls(R, R.Measured.quantile(0.5), C);
          },
          /*NeedsHistogram=*/true),
      time(
          "p90_ns", "p90", "9 of 10 calls took at most this" + Within,
          [](const Row &R, const Ctx &C) {
            return ofCalls(R, R.Measured.quantile(0.9), C);
          },
          /*NeedsHistogram=*/true),
      time(
          "p99_ns", "p99", "99 of 100 calls took at most this" + Within,
          [](const Row &R, const Ctx &C) {
            return ofCalls(R, R.Measured.quantile(0.99), C);
          },
          /*NeedsHistogram=*/true),
      time("max_ns", "max", "longest call",
           [](const Row &R, const Ctx &C) {
             return extreme(R, R.Measured.Max, C);
           }),
      time("std_ns", "std", "standard deviation of the calls",
           [](const Row &R, const Ctx &C) {
             return ofCalls(R, R.Measured.standardDeviation(), C);
           }),
      time("first_ns", "first", "first call",
           [](const Row &R, const Ctx &C) {
             if (R.Measured.First.empty())
               return Value();
             return ofCalls(R, static_cast<double>(R.Measured.First.front()),
                            C);
           }),
      time("bias_ns", "bias",
           "what pairs of probes around nodes add to total and self, as "
           "calibrated",
           [](const Row &R, const Ctx &C) {
             return R.PairTicks ? Value::timeNs(C.Clock.toNs(*R.PairTicks))
                                : Value();
           }),
      percent("pct_total", "% total", "total in percent of the runs' time",
              [](const Row &R, const Ctx &C) {
                return share(R, R.Total, R.AsideTotal, C);
              }),
      percent("pct_self", "% self", "self in percent of the runs' time",
              [](const Row &R, const Ctx &C) {
                return R.Overlay || !R.HasSelf
                           ? Value()
                           : share(R, R.Self, R.AsideSelf, C);
              }),
  };
  std::move(Numbers.begin(), Numbers.end(), std::back_inserter(Columns));
  for (const KnownMeasure &K : knownMeasures()) {
    addMeasureColumns(Columns, {K.Id.str(), K.Unit, K.Fold}, &K,
                      numberOf(Measures, K.Id));
    for (const DerivedMeasure &D : derivedMeasures())
      if (D.Less.Of == K.Of)
        addDerivedColumns(Columns, D, numberOf(Measures, D.More.Id),
                          numberOf(Measures, D.Less.Id));
  }
  for (MeasureId M = 0; M < Measures.size(); ++M)
    if (!findKnownMeasure(Measures[M].Id))
      addMeasureColumns(Columns, Measures[M], nullptr, M);
  addDeviceColumns(Columns, Measures);
  addWorkColumns(Columns, &Row::Done);
  return RowColumns(std::move(Columns));
}

std::vector<std::string>
report::shownMeasureColumns(ArrayRef<TableMeasure> Measures) {
  std::vector<std::string> Ids;
  for (const TableMeasure &Info : Measures) {
    const KnownMeasure *K = findKnownMeasure(Info.Id);
    if (!K || K->IsShown)
      Ids.push_back(measureColumnId(Info.Id, Info.Unit));
    if (K && !K->RestId.empty())
      Ids.push_back(measureColumnId(K->RestId, K->Unit));
    for (const DerivedMeasure &D : derivedMeasures())
      if (D.Less.Id == Info.Id)
        Ids.push_back(measureColumnId(D.Id, Info.Unit));
  }
  return Ids;
}

/// Why a measure is not among \p Measures. A process that used no device has
/// none of one's memory, though it recorded that of the CPU, which has the same
/// switch.
static std::string whyMissing(const KnownMeasure &Missing,
                              ArrayRef<TableMeasure> Measures) {
  if (Missing.Id.startswith("device_"))
    for (const TableMeasure &Info : Measures)
      if (const KnownMeasure *K = findKnownMeasure(Info.Id);
          K && K->Switch == Missing.Switch)
        return "memory was, but no device reported any";
  return (Missing.Switch + " records it").str();
}

std::vector<std::string>
report::missingMeasureNotes(ArrayRef<std::string> ColumnIds,
                            ArrayRef<TableMeasure> Measures,
                            ArrayRef<std::string> Names) {
  if (Names.empty())
    Names = ColumnIds;
  std::vector<std::string> Notes;
  for (const KnownMeasure &K : knownMeasures()) {
    if (any_of(Measures, [&](const TableMeasure &I) { return K.Id == I.Id; }))
      continue;
    std::vector<std::string> Ids = {measureColumnId(K.Id, K.Unit)};
    if (!K.RestId.empty())
      Ids.push_back(measureColumnId(K.RestId, K.Unit));
    if (!K.CallsId.empty())
      Ids.push_back(K.CallsId.str());
    for (const DerivedMeasure &D : derivedMeasures())
      if (D.Less.Of == K.Of)
        Ids.push_back(measureColumnId(D.Id, K.Unit));
    for (size_t I = 0; I < ColumnIds.size(); ++I) {
      StringRef Id = ColumnIds[I];
      Id.consume_front("self_");
      if (is_contained(Ids, Id)) {
        Notes.push_back("note: " + Names[I] + " was not recorded; " +
                        whyMissing(K, Measures));
        break;
      }
    }
  }
  return Notes;
}
