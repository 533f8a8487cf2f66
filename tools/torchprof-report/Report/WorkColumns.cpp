//===- WorkColumns.cpp - columns of shapes and of what follows ------------===//

#include "WorkColumns.h"
#include "Signature.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

using Ctx = RowContext;

static constexpr StringLiteral Switch = "TORCHPROF_RECORD=shapes";

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// A text about the signature of the members, or how many they have.
static Value shapeValue(const Row &R, std::string (*Text)(const Signature &S)) {
  if (R.Signatures.size() > 1) {
    // Those beyond the bound are no signature, and how many is not known.
    uint64_t Known = count_if(R.Signatures, [](const std::string &Text) {
      return !parseSignature(Text).isEmpty();
    });
    return Value::text("(" + utostr(Known) + " shape" +
                       (Known == 1 ? "" : "s") +
                       (Known < R.Signatures.size() ? " and others)" : ")"));
  }
  if (R.Signatures.empty())
    return Value::text("");
  Signature S = parseSignature(*R.Signatures.begin());
  if (S.isEmpty())
    return Value::text(*R.Signatures.begin());
  return Value::text(Text(S));
}

static RowColumns::Column shape(StringRef Id, const Twine &Help,
                                std::string (*Text)(const Signature &S)) {
  return {TableColumn::text(Id, Id, Shorten::KeepStart),
          (Help + " (" + Switch + ")").str(),
          [Text](const Row &R, const Ctx &) { return shapeValue(R, Text); }};
}

void report::addShapeColumns(std::vector<RowColumns::Column> &Columns) {
  Columns.push_back(
      shape("shapes", "sizes of the input tensors",
            [](const Signature &S) { return shapesText(S.Inputs); }));
  Columns.push_back(
      shape("out_shapes", "sizes of the output tensors, at the first such call",
            [](const Signature &S) { return shapesText(S.Outputs); }));
  Columns.push_back(
      shape("dtypes", "dtypes of the input tensors, each once",
            [](const Signature &S) { return dtypesText(S.Inputs); }));
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// A number that people see with three digits and a prefix, "3.63 G".
static Value prefixed(double Number) {
  constexpr StringLiteral Prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
  Value V = Value::count(static_cast<uint64_t>(std::min(Number, 1e19) + 0.5));
  size_t I = 0;
  for (; Number >= 999.5 && I + 1 < std::size(Prefixes); ++I)
    Number /= 1000;
  if (I == 0)
    return V;
  raw_string_ostream(V.Display) << llvm::format("%.*f",
                                                Number < 9.995   ? 2
                                                : Number < 99.95 ? 1
                                                                 : 0,
                                                Number)
                                << Prefixes[I];
  return V;
}

namespace {
/// A column of a row's work.
struct WorkColumn {
  StringLiteral Id, Title;
  ValueType Type;
  StringLiteral Help;
  Value (*Get)(const Work &Of, double Ns);
};
} // namespace

/// Empty if there is nothing to divide, or to divide by.
static Value ratio(double Number, double By) {
  return Number > 0 && By > 0 ? Value::number(ValueType::Number, Number / By)
                              : Value();
}

static const WorkColumn Known[] = {
    {"flops", "flops", ValueType::Count,
     "multiplications and additions of products and convolutions",
     [](const Work &W, double) { return prefixed(W.Flops); }},
    {"gflops_s", "GFLOP/s", ValueType::Number, "flops in a nanosecond",
     [](const Work &W, double Ns) { return ratio(W.Flops, Ns); }},
    {"other_ops", "other ops", ValueType::Count,
     "operations of all else: element-wise, norms, pooling, softmax",
     [](const Work &W, double) { return prefixed(W.OtherOps); }},
    {"gops_s", "Gop/s", ValueType::Number,
     "flops and other operations in a nanosecond",
     [](const Work &W, double Ns) { return ratio(W.Flops + W.OtherOps, Ns); }},
    {"bytes", "bytes", ValueType::Bytes,
     "inputs read and outputs written, each once",
     [](const Work &W, double) {
       return Value::bytes(static_cast<uint64_t>(std::min(W.Bytes, 1e19)));
     }},
    {"gbytes_s", "GB/s", ValueType::Number, "bytes in a nanosecond",
     [](const Work &W, double Ns) { return ratio(W.Bytes, Ns); }},
    {"intensity", "ops/byte", ValueType::Number,
     "flops and other operations for each byte",
     [](const Work &W, double) {
       return ratio(W.Flops + W.OtherOps, W.Bytes);
     }},
};

size_t report::workColumnCount() { return std::size(Known); }

TableColumn report::workColumnShape(size_t Column) {
  const WorkColumn &K = Known[Column];
  return TableColumn::make(K.Id, K.Title, K.Type, Shorten::Never,
                           K.Type == ValueType::Number ? 2 : -1);
}

std::string report::workColumnHelp(size_t Column) {
  return (Known[Column].Help + " (" + Switch + ")").str();
}

Value report::workValue(size_t Column, const SiteWork &Of,
                        const RowContext &C) {
  if (Of.Calls == 0)
    return Value();
  return Known[Column].Get(Of.Sum, C.Clock.toNs(static_cast<double>(Of.Time)));
}

static bool isOfWork(StringRef Id) {
  return any_of(Known, [&](const WorkColumn &K) { return K.Id == Id; });
}

static bool isOfShapes(StringRef Id) {
  return Id == "shapes" || Id == "out_shapes" || Id == "dtypes";
}

bool report::needWork(ArrayRef<std::string> ColumnIds) {
  return any_of(ColumnIds, isOfWork);
}

namespace {
/// The time of operators whose work is not known.
struct UnknownWork {
  using Times = std::map<std::string, UInt128>;
  Times WithoutFormula;
  Times Others; ///< that have one, with shapes that were not told apart
};
} // namespace

static UnknownWork unknownWork(const SiteTable &Sites,
                               const Selection &Selected) {
  UnknownWork Of;
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Selected.matches(Sites, S) && !runsOtherNodes(Sites.kind(S)))
      for (const SiteVariant &V : Sites.variants(S))
        if (!workOf(Sites.kind(S), parseSignature(V.Signature)))
          (V.IsOthers ? Of.Others : Of.WithoutFormula)[Sites.kind(S).str()] +=
              V.Sum;
  // Nothing would be known of these if all of their shapes were.
  for (auto &[Kind, Time] : Of.WithoutFormula)
    if (auto Found = Of.Others.find(Kind); Found != Of.Others.end()) {
      Time += Found->second;
      Of.Others.erase(Found);
    }
  return Of;
}

/// "aten::unique2 3.1 %, aten::sort 0.2 %", the longest first.
static std::string kindsText(const UnknownWork::Times &Times,
                             const Totals &All) {
  std::vector<std::pair<std::string, UInt128>> Sorted(Times.begin(),
                                                      Times.end());
  llvm::stable_sort(
      Sorted, [](const auto &A, const auto &B) { return A.second > B.second; });
  std::string Text;
  raw_string_ostream OS(Text);
  interleaveComma(Sorted, OS, [&](const auto &KindAndTime) {
    OS << KindAndTime.first;
    if (All.Total)
      OS << llvm::format(" %.2f%%",
                         All.share(static_cast<double>(KindAndTime.second)));
  });
  return OS.str();
}

std::vector<std::string> report::workNotes(ArrayRef<std::string> ColumnIds,
                                           const SiteTable &Sites,
                                           const Selection &Selected,
                                           const Totals &All) {
  bool IsWork = needWork(ColumnIds);
  if (!IsWork && none_of(ColumnIds, isOfShapes))
    return {};
  if (!Sites.hasVariants())
    return {
        ("note: shapes were not recorded; " + Switch + " records them").str()};
  if (!IsWork)
    return {};
  std::vector<std::string> Notes;
  UnknownWork Unknown = unknownWork(Sites, Selected);
  constexpr StringLiteral Start = "note: no flops and bytes are known of ";
  if (!Unknown.WithoutFormula.empty())
    Notes.push_back((Start + kindsText(Unknown.WithoutFormula, All)).str());
  if (!Unknown.Others.empty())
    Notes.push_back((Start + kindsText(Unknown.Others, All) +
                     " with more shapes than are told apart at a node; "
                     "TORCHPROF_SHAPE_VARIANTS=255 tells more apart")
                        .str());
  return Notes;
}
