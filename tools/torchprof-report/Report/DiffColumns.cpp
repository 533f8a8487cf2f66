//===- DiffColumns.cpp - the columns of differences -----------------------===//

#include "Diff.h"

#include <cmath>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
/// One side of a row.
struct SideOfRow {
  const SiteTable &Sites;
  uint32_t Site; ///< NoIndex: the side does not have it
};
} // namespace

static SideOfRow before(const DiffRow &R, const DiffContext &C) {
  return {C.A, R.A};
}

static SideOfRow after(const DiffRow &R, const DiffContext &C) {
  return {C.B, R.B};
}

/// The side that names a row: what is there now, if it still is.
static SideOfRow named(const DiffRow &R, const DiffContext &C) {
  return R.B == NoIndex ? before(R, C) : after(R, C);
}

using SideFunction = SideOfRow (*)(const DiffRow &, const DiffContext &);

/// False: a call may have begun, but has not ended, and has no time.
static bool hasTimes(const SideOfRow &Side) {
  return Side.Site != NoIndex && Side.Sites.measured(Side.Site).Count != 0;
}

static bool haveBothTimes(const DiffRow &R, const DiffContext &C) {
  return hasTimes(before(R, C)) && hasTimes(after(R, C));
}

static Value medianOf(const SideOfRow &Side) {
  if (!hasTimes(Side))
    return Value();
  return Value::timeNs(
      Side.Sites.clock().toNs(Side.Sites.measured(Side.Site).quantile(0.5)));
}

static Value callsOf(const SideOfRow &Side) {
  return Side.Site == NoIndex
             ? Value()
             : Value::count(Side.Sites.measured(Side.Site).Count);
}

/// What pairs of probes add to the site's mean.
static Value biasOf(const SideOfRow &Side) {
  if (Side.Site == NoIndex)
    return Value();
  const Aggregate &A = Side.Sites.measured(Side.Site);
  if (A.Count == 0 || (A.Pairs && !A.PairTicks))
    return Value();
  return Value::timeNs(Side.Sites.clock().toNs(A.PairTicks) /
                       static_cast<double>(A.Count));
}

/// Time of the site's gradients for each of its calls.
static Value backwardOf(const SideOfRow &Side) {
  if (Side.Site == NoIndex)
    return Value();
  GradientSum Sum = Side.Sites.backwardOf(Side.Site);
  uint64_t Calls = Side.Sites.measured(Side.Site).Count;
  if (Sum.Calls == 0 || Calls == 0)
    return Value();
  return Value::timeNs(Side.Sites.clock().toNs(static_cast<double>(Sum.Self)) /
                       static_cast<double>(Calls));
}

/// Mean of a measure over the spans measured.
static Value meanOf(const SideOfRow &Side, const TableMeasure &Info) {
  for (MeasureId M = 0; M < Side.Sites.measures().size(); ++M) {
    if (!(Side.Sites.measures()[M] == Info) || Side.Site == NoIndex)
      continue;
    const MeasureTotal &T = Side.Sites.measured(M, Side.Site);
    if (T.Count == 0)
      return Value();
    if (Info.Fold == MeasureFold::Peak)
      return measureValue(Info.Unit, T.Max);
    if (Info.Unit == MeasureUnit::Count)
      return Value::number(ValueType::Number, static_cast<double>(T.Sum) /
                                                  static_cast<double>(T.Count));
    return measureValue(Info.Unit, T.Sum / T.Count);
  }
  return Value();
}

DiffColumns report::diffColumns(const SiteTable &A, const SiteTable &B) {
  using Row = DiffRow;
  using Ctx = DiffContext;
  std::vector<DiffColumns::Column> Columns = {
      {TableColumn::text("change", "change"),
       "slower, faster, added, removed or same",
       [](const Row &R, const Ctx &) {
         return Value::text(changeName(R.What));
       }},
      {TableColumn::text("kind", "kind", Shorten::KeepStart),
       "operator, prim::If, method, module, region, backward, reads "
       "attributes or prepares gradients",
       [](const Row &R, const Ctx &C) {
         SideOfRow Side = named(R, C);
         return Value::text(Side.Sites.kind(Side.Site));
       }},
      {TableColumn::text("name", "name", Shorten::KeepStart),
       "name of the node's first output, or of the method; of a gradient, "
       "what computes it and of which node",
       [](const Row &R, const Ctx &C) {
         SideOfRow Side = named(R, C);
         return Value::text(Side.Sites.fullName(Side.Site));
       }},
      {TableColumn::text("model", "model", Shorten::KeepStart),
       "class of the model; of several of a class with a number",
       [](const Row &R, const Ctx &C) {
         SideOfRow Side = named(R, C);
         return Value::text(Side.Sites.modelNames().of(Side.Sites, Side.Site));
       }},
      {TableColumn::text("model_id", "model_id"),
       "id of the model, on the side of the name",
       [](const Row &R, const Ctx &C) {
         SideOfRow Side = named(R, C);
         return Value::text(ModelNames::idOf(Side.Sites, Side.Site));
       }},
      {TableColumn::text("method", "method", Shorten::KeepStart),
       "method around the node",
       [](const Row &R, const Ctx &C) {
         SideOfRow Side = named(R, C);
         return Value::text(ModelNames::methodAround(Side.Sites, Side.Site));
       }},
      {TableColumn::text("module", "module"), "path of the module instance",
       [](const Row &R, const Ctx &C) {
         SideOfRow Side = named(R, C);
         return Value::text(Side.Sites.modulePath(Side.Site));
       }},
      {TableColumn::text("source", "source"), "file:line in the author's code",
       [](const Row &R, const Ctx &C) {
         SideOfRow Side = named(R, C);
         return placeValue(Side.Sites.source(Side.Site));
       }},
      {TableColumn::text("key", "key"),
       "method/module/kind/number, by which the sides are matched; behind "
       "the model's class if a side has several models",
       [](const Row &R, const Ctx &C) {
         return Value::text(
             (R.B == NoIndex ? C.KeysOfA[R.A] : C.KeysOfB[R.B]).text());
       }},
      {TableColumn::count("before_calls", "calls before"),
       "spans counted before",
       [](const Row &R, const Ctx &C) { return callsOf(before(R, C)); }},
      {TableColumn::count("after_calls", "calls after"), "spans counted after",
       [](const Row &R, const Ctx &C) { return callsOf(after(R, C)); }},
      {TableColumn::time("before_mean_ns", "before"),
       "mean time before; where processes are compared, the mean of theirs",
       [](const Row &R, const Ctx &C) {
         return hasTimes(before(R, C)) ? Value::timeNs(R.MeanA) : Value();
       }},
      {TableColumn::time("after_mean_ns", "after"),
       "mean time after; where processes are compared, the mean of theirs",
       [](const Row &R, const Ctx &C) {
         return hasTimes(after(R, C)) ? Value::timeNs(R.MeanB) : Value();
       }},
      {TableColumn::time("change_ns", "difference"), "difference of the means",
       [](const Row &R, const Ctx &C) {
         return haveBothTimes(R, C) ? Value::timeNs(R.MeanB - R.MeanA)
                                    : Value();
       }},
      {TableColumn::percent("change_pct", "% change"),
       "the difference in percent of the mean before",
       [](const Row &R, const Ctx &C) {
         return haveBothTimes(R, C) && std::isfinite(R.percent())
                    ? Value::percent(R.percent())
                    : Value();
       }},
      {TableColumn::time("change_per_run_ns", "per run"),
       "change of its time in one run of the method",
       [](const Row &R, const Ctx &) {
         return R.PerRun ? Value::timeNs(*R.PerRun) : Value();
       }},
      {TableColumn::time("before_p50_ns", "p50 before"), "median before",
       [](const Row &R, const Ctx &C) { return medianOf(before(R, C)); }},
      {TableColumn::time("after_p50_ns", "p50 after"), "median after",
       [](const Row &R, const Ctx &C) { return medianOf(after(R, C)); }},
      {TableColumn::time("before_bias_ns", "bias before"),
       "what pairs of probes add to the mean before, as calibrated",
       [](const Row &R, const Ctx &C) { return biasOf(before(R, C)); }},
      {TableColumn::time("after_bias_ns", "bias after"),
       "what pairs of probes add to the mean after, as calibrated",
       [](const Row &R, const Ctx &C) { return biasOf(after(R, C)); }},
      {TableColumn::time("before_backward_ns", "backward before"),
       "gradients of the node before: time per call of the node",
       [](const Row &R, const Ctx &C) { return backwardOf(before(R, C)); }},
      {TableColumn::time("after_backward_ns", "backward after"),
       "gradients of the node after: time per call of the node",
       [](const Row &R, const Ctx &C) { return backwardOf(after(R, C)); }},
      {TableColumn::number("p_value", "p", 4),
       "probability of such a difference by noise alone",
       [](const Row &R, const Ctx &) {
         return R.IsTested ? Value::number(ValueType::Number, R.PValue)
                           : Value();
       }},
  };
  std::vector<TableMeasure> Measures = A.measures().vec();
  for (const TableMeasure &Info : B.measures())
    if (!is_contained(Measures, Info))
      Measures.push_back(Info);
  for (const TableMeasure &Info : Measures)
    for (auto [Prefix, Side] :
         {std::pair<StringRef, SideFunction>("before", before),
          std::pair<StringRef, SideFunction>("after", after)}) {
      SideFunction SideOf = Side;
      std::string Id =
          (Prefix + "_" + measureColumnId(Info.Id, Info.Unit)).str();
      std::string Title = (Info.Id + " " + Prefix).str();
      Columns.push_back(
          {Info.Unit == MeasureUnit::Count
               ? TableColumn::number(Id, Title, 2)
               : TableColumn::make(Id, Title, measureValueType(Info.Unit)),
           (Info.Fold == MeasureFold::Peak ? "largest " : "mean ") + Info.Id +
               " " + Prefix.str(),
           [SideOf, Info](const Row &R, const Ctx &C) {
             return meanOf(SideOf(R, C), Info);
           }});
    }
  return DiffColumns(std::move(Columns));
}
