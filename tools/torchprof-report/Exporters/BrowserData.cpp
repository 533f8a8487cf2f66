//===- BrowserData.cpp - profiles as data for the browser -----------------===//

#include "BrowserData.h"
#include "../../common/Printable.h"
#include "../Report/Advice.h"
#include "../Report/AliveBlocks.h"
#include "../Report/ModuleTree.h"
#include "../Report/PlaceMeasures.h"
#include "../Report/Summary.h"
#include "BrowserParts.h"
#include "Stacks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

class DataWriter {
public:
  DataWriter(const ExportInput &In, raw_ostream &OS);
  Error page();

private:
  /// Names of others must not turn the numbers around beside them.
  void text(StringRef Key, StringRef Text) {
    J.attribute(Key, printable(Text));
  }
  void time(StringRef Key, double Ticks) {
    J.attribute(Key, In.Sites.clock().toNs(Ticks));
  }
  void gradients(StringRef Key, const GradientSum &Sum) {
    if (Sum.Calls)
      time(Key, static_cast<double>(Sum.Self));
    else
      J.attribute(Key, nullptr);
  }
  void async(UInt128 Ticks) {
    if (Ticks)
      time("asynchronous_ns", static_cast<double>(Ticks));
    else
      J.attribute("asynchronous_ns", nullptr);
  }
  void share(StringRef Key, UInt128 Ticks, bool Async) {
    if (Async || !In.All.Total) // no part of the runs' time, or no run
      J.attribute(Key, nullptr);
    else
      J.attribute(Key, In.All.share(static_cast<double>(Ticks)));
  }
  void times(UInt128 Total, UInt128 Self, bool Clipped, bool Async) {
    time("total_ns", static_cast<double>(Total));
    Value V = Value::timeNs(In.Sites.clock().toNs(static_cast<double>(Self)));
    V.Marked = Clipped;
    cell(V, TableColumn::time("self_ns", "self"));
    share("pct_total", Total, Async);
    share("pct_self", Self, Async);
  }
  void card(const FooterLine &Line);
  void facts();
  void column(const TableColumn &C);
  void columns(const Table &T);
  void cell(const Value &V, const TableColumn &C);
  void rows(const Table &T);
  void measures(const PlaceMeasures &Of);
  Error roofline(ArrayRef<std::string> Told);
  void table(const Table &T);
  void memory();
  void op(const ModuleOps &Op);
  void module(const ModuleNode &Node);
  void stack(const StackTree &Node);
  void flameMembers();
  void runs();

  const ExportInput &In;
  std::vector<PlaceColumn> TreeMeasures; ///< columns of the module tree
  json::OStream J;
};

} // namespace

DataWriter::DataWriter(const ExportInput &In, raw_ostream &OS) : In(In), J(OS) {
  std::vector<std::string> Shown = shownPlaceColumns();
  for (PlaceColumn &C : placeColumns({}))
    if (is_contained(Shown, C.Shape.Id) &&
        numberOf(In.Sites.measures(), C.OfMeasure))
      TreeMeasures.push_back(std::move(C));
}

/// [label, text, what it means].
void DataWriter::card(const FooterLine &Line) {
  std::string Text = formatValue(Line.Amount, {}, TimeUnit::Auto);
  if (Line.Share.Type != ValueType::None && Line.Id != "total_ns")
    Text += " (" + formatValue(Line.Share, {}, TimeUnit::Auto) + ")";
  J.array([&] {
    J.value(Line.Title);
    J.value(Text);
    J.value(printable(Line.Note));
  });
}

void DataWriter::facts() {
  if (!In.Single)
    return;
  const format::ProcessRecord &P = In.Single->Process;
  for (StringRef Text :
       {fixedText(P.Framework), fixedText(P.Host), fixedText(P.Command)})
    if (!Text.empty())
      J.value(printable(Text));
}

static StringRef typeName(ValueType Type) {
  switch (Type) {
  case ValueType::None:
  case ValueType::Text:
    return "text";
  case ValueType::Count:
    return "count";
  case ValueType::Bytes:
    return "bytes";
  case ValueType::TimeNs:
    return "time";
  case ValueType::Percent:
    return "percent";
  case ValueType::Number:
    return "number";
  }
  return "";
}

void DataWriter::column(const TableColumn &C) {
  J.object([&] {
    text("id", C.Id);
    text("title", C.Title);
    text("type", typeName(C.Type));
  });
}

void DataWriter::columns(const Table &T) {
  for (const TableColumn &C : T.Columns)
    column(C);
}

/// Digits enough to draw with: a column's decimals are for people.
static std::string plainNumber(const Value &V, const TableColumn &C) {
  if (V.Type != ValueType::Number)
    return exactValue(V, C);
  std::string Text;
  raw_string_ostream(Text) << llvm::format("%.6g", V.Number);
  return Text;
}

/// A number or null, and what people see where the type does not tell.
void DataWriter::cell(const Value &V, const TableColumn &C) {
  J.attributeBegin(C.Id);
  if (V.Type == ValueType::None)
    J.value(nullptr);
  else
    J.rawValue(plainNumber(V, C));
  J.attributeEnd();
  if (V.Type == ValueType::Number || !V.Display.empty() || V.Marked ||
      V.Estimated)
    text(C.Id + "_text", formatValue(V, C, TimeUnit::Auto));
}

/// Of a row {"sites": [1], "total_ns": 62000000, "flops": 120766464,
/// "flops_text": "121 M"}: numbers to sort and draw by, and their texts.
void DataWriter::rows(const Table &T) {
  for (size_t R = 0; R < T.Rows.size(); ++R)
    J.object([&] {
      const std::vector<Value> &Row = T.Rows[R];
      J.attributeArray("sites", [&] {
        for (uint32_t S : T.Sites[R])
          J.value(S);
      });
      for (size_t I = 0; I < Row.size(); ++I)
        if (Row[I].Type == ValueType::Text)
          text(T.Columns[I].Id, Row[I].Text);
        else
          cell(Row[I], T.Columns[I]);
    });
}

/// The nodes under the machine's roof, or why that cannot be drawn; null if
/// shapes were not recorded. \p Told are the notes of the summary, of which
/// none is said again.
Error DataWriter::roofline(ArrayRef<std::string> Told) {
  if (!In.Sites.hasVariants()) {
    J.attribute("roofline", nullptr);
    return Error::success();
  }
  if (!In.Under.isKnown()) {
    J.attributeObject("roofline", [&] { text("missing", RoofMissing); });
    return Error::success();
  }
  RooflineOptions Options;
  Options.Columns = {"calls",    "total_ns", "pct_total", "bound",
                     "bound_ns", "pct_roof", "win_ns",    "gops_s",
                     "gbytes_s", "intensity"};
  Expected<Table> T = makeRoofline(In.Sites, In.Selected, In.Under, Options);
  if (!T)
    return T.takeError();
  J.attributeObject("roofline", [&] {
    J.attribute("gflops_s", In.Under.Flops.PerSecond / 1e9);
    J.attribute("gbytes_s", In.Under.Bytes.PerSecond / 1e9);
    text("source", In.Under.source());
    J.attributeArray("columns", [&] { columns(*T); });
    J.attributeArray("rows", [&] { rows(*T); });
    J.attributeArray("notes", [&] {
      for (const std::string &Note : T->Notes)
        if (!is_contained(Told, Note))
          J.value(printable(Note));
    });
  });
  return Error::success();
}

void DataWriter::table(const Table &T) {
  J.object([&] {
    text("title", T.Title);
    J.attributeArray("columns", [&] { columns(T); });
    J.attributeArray("rows", [&] { rows(T); });
    J.attributeArray("foot", [&] {
      for (const FooterLine &Line : T.Footer)
        if (!Line.ForMachines)
          J.value(printable(Line.Title + " " +
                            formatValue(Line.Amount, {}, TimeUnit::Auto) + " " +
                            Line.Note));
      for (const std::string &Note : T.Notes)
        J.value(printable(Note));
    });
  });
}

/// Who allocated what is alive, and what grows.
void DataWriter::memory() {
  if (!In.Single)
    return;
  for (const Optional<BlockBooks> &Books : In.Single->Books) {
    if (!Books)
      continue;
    AliveBlocks Blocks(*In.Single, *Books, *In.SlotsOfSingle);
    for (auto *Make : {makePeakTable, makeGrowthTable})
      if (Table T = Make(In.Sites, In.Selected, Blocks, /*Limit=*/0);
          !T.Rows.empty())
        table(T);
  }
}

void DataWriter::measures(const PlaceMeasures &Of) {
  for (const PlaceColumn &C : TreeMeasures)
    cell(C.Get(Of), C.Shape);
}

/// An entry of the tree for the nodes of one kind, the operators inside below
/// it.
void DataWriter::op(const ModuleOps &Op) {
  J.object([&] {
    text("name", Op.Nodes > 1 ? Op.Kind + " x" + utostr(Op.Nodes) : Op.Kind);
    text("class", Op.Async ? "asynchronous" : "");
    J.attribute("calls", Op.Calls);
    times(Op.total(), Op.Self, Op.Clipped, Op.Async);
    async(Op.asyncTotal());
    gradients("backward_ns", Op.Backward);
    gradients("total_backward_ns", Op.Backward);
    measures(Op.Measures);
    if (!Op.Inner.empty())
      J.attributeArray("children", [&] {
        for (const ModuleOps &Inner : Op.Inner)
          op(Inner);
      });
  });
}

void DataWriter::module(const ModuleNode &Node) {
  J.object([&] {
    text("name", Node.Name);
    text("class", Node.Class);
    if (Node.Calls)
      J.attribute("calls", *Node.Calls);
    else
      J.attribute("calls", nullptr);
    times(Node.Total, Node.Self, Node.Clipped, /*Async=*/false);
    async(Node.Async);
    gradients("backward_ns", Node.Backward);
    gradients("total_backward_ns", Node.TotalBackward);
    measures(Node.Measures);
    if (Node.Children.empty() && Node.Ops.empty())
      return;
    J.attributeArray("children", [&] {
      for (const ModuleNode &Child : Node.Children)
        module(Child);
      for (const ModuleOps &Op : Node.Ops)
        op(Op);
    });
  });
}

void DataWriter::stack(const StackTree &Node) {
  J.object([&] {
    text("name", Node.Name);
    J.attribute("value", Node.Weight);
    if (!Node.Children.empty())
      J.attributeArray("children", [&] {
        for (const StackTree &Child : Node.Children)
          stack(Child);
      });
  });
}

void DataWriter::flameMembers() {
  text("weight", weightName(In.StackWeight));
  text("weight_title", weightTitle(In.StackWeight));
  J.attributeBegin("flame");
  stack(flameTree(In));
  J.attributeEnd();
}

void DataWriter::runs() {
  const SiteTable &Sites = In.Sites;
  std::vector<bool> Roots = rootsOf(Sites, In.Selected);
  std::vector<uint64_t> RunsOf = runsOf(Sites);
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    const Aggregate &A = Sites.measured(S);
    if (!Roots[S] || RunsOf[S] == 0)
      continue;
    J.object([&] {
      text("method", Sites.methodName(S));
      J.attribute("count", A.Count);
      J.attributeArray("latencies", [&] {
        for (const RunLatency &R : In.Runs.of(S))
          J.value(R.LatencyNs);
      });
      J.attributeArray("histogram", [&] {
        if (A.Histogram.empty())
          return;
        for (unsigned B = format::histogramBucket(A.Min);
             B <= format::histogramBucket(A.Max); ++B)
          J.object([&] {
            auto Bound = [&](unsigned Bucket) {
              return static_cast<double>(format::histogramLowerBound(Bucket));
            };
            time("from", Bound(B));
            // The last bucket is open: no run was longer than the longest.
            time("below", B + 1 < format::HistogramBuckets
                              ? Bound(B + 1)
                              : static_cast<double>(A.Max) + 1);
            J.attribute("runs", A.Histogram[B]);
          });
      });
    });
  }
}

static bool isAlways(const SiteTable &) { return true; }
static bool hasGradients(const SiteTable &T) { return T.hasGradients(); }
static bool hasShapes(const SiteTable &T) { return T.hasVariants(); }
static bool hasModels(const SiteTable &T) { return T.modelNames().areNeeded(); }
static bool hasMethods(const SiteTable &T) {
  return T.modelNames().areMethodsNeeded();
}

/// The columns of the page's summary, and which profiles have them. What a node
/// takes stands beside its names: the others may be out of a window.
static const struct {
  StringLiteral Id;
  bool (*IsIn)(const SiteTable &);
  StringLiteral Measure = ""; ///< which they must have too
} PageColumns[] = {
    {"kind", isAlways},
    {"name", isAlways},
    {"model", hasModels},
    {"method", hasMethods},
    {"module", isAlways},
    {"source", isAlways},
    {"calls", isAlways},
    {"total_ns", isAlways},
    {"pct_total", isAlways},
    {"self_ns", isAlways},
    {"pct_self", isAlways},
    {"backward_ns", hasGradients},
    {"mean_ns", isAlways},
    {"p50_ns", isAlways},
    {"p99_ns", isAlways},
    {"shapes", hasShapes},
    {"out_shapes", hasShapes},
    {"flops", hasShapes},
    {"gflops_s", hasShapes},
    {"bytes", hasShapes},
    {"alloc_bytes", isAlways, "alloc"},
    {"peak_bytes", isAlways, "peak"},
    {"device_ns", isAlways, "device"},
    {"launch_bound", isAlways, "device"},
    {"device_alloc_bytes", isAlways, "device_alloc"},
    {"device_peak_bytes", isAlways, "device_peak"},
};

Error DataWriter::page() {
  SummaryInput Input(In.Sites, In.Selected);
  SummaryOptions Options;
  for (const auto &C : PageColumns)
    if (C.IsIn(In.Sites) &&
        (C.Measure.empty() || numberOf(In.Sites.measures(), C.Measure)))
      Options.Columns.push_back(C.Id.str());
  Expected<Table> Summary = makeSummary(Input, Options);
  if (!Summary)
    return Summary.takeError();
  Error Failure = Error::success();
  J.object([&] {
    text("title", In.Title);
    J.attributeArray("facts", [&] { facts(); });
    J.attributeArray("cards", [&] {
      for (const FooterLine &Line : Summary->Footer)
        card(Line);
    });
    J.attributeArray("notes", [&] {
      for (const std::string &Note : Summary->Notes)
        J.value(printable(Note));
    });
    J.attribute("gradients", In.Sites.hasGradients());
    J.attribute("asynchronous", In.All.Async != 0);
    J.attributeArray("advice", [&] {
      rows(makeAdvice(In.Sites, In.Selected, In.Under, AdvicePercent));
    });
    J.attributeArray("columns", [&] { columns(*Summary); });
    J.attributeArray("rows", [&] { rows(*Summary); });
    Failure = roofline(Summary->Notes);
    J.attributeArray("memory", [&] { memory(); });
    J.attributeArray("tree_columns", [&] {
      for (const PlaceColumn &C : TreeMeasures)
        column(C.Shape);
    });
    J.attributeArray("tree", [&] {
      for (const ModuleNode &Tree : makeModuleTrees(In.Sites, In.Selected))
        module(Tree);
    });
    flameMembers();
    J.attributeArray("runs", [&] { runs(); });
  });
  J.flush();
  return Failure;
}

/// JSON that does not end a script element. "<" and ">" stand in strings only.
static std::string escaped(StringRef Json) {
  std::string Out;
  for (char C : Json) {
    if (C == '<')
      Out += "\\u003c";
    else if (C == '>')
      Out += "\\u003e";
    else
      Out += C;
  }
  return Out;
}

Expected<std::string> report::pageData(const ExportInput &In) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (Error E = DataWriter(In, OS).page())
    return E;
  return escaped(OS.str());
}
