//===- Tree.cpp - the module hierarchy with times -------------------------===//

#include "../Report/ModuleTree.h"
#include "../Report/WorkColumns.h"
#include "LineTable.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace tree_command {

namespace {
cl::SubCommand Command("tree", "Print the module hierarchy with times");
LineTableOptions Options(Command);
cl::opt<unsigned> Depth("depth", cl::desc("Levels below the root (0: all)"),
                        cl::value_desc("n"), cl::sub(Command));
LeastShareOption MinPercent(Command, "Hide modules below this share");
cl::list<std::string>
    Sort("sort", cl::CommaSeparated,
         cl::desc("Sort siblings by order, total_ns, self_ns,\n"
                  "asynchronous_ns, calls, name, backward_ns,\n"
                  "total_backward_ns, flops, bytes or a measure such as\n"
                  "alloc_bytes; repeatable"),
         cl::value_desc("key,..."), cl::sub(Command));
cl::opt<bool> Ops("ops",
                  cl::desc("Show the nodes under each module, and the\n"
                           "operators inside of them"),
                  cl::sub(Command));

/// A line of the tree: a module, or the nodes of one kind in it.
struct TreeLine {
  std::string Path, Display, Class, Model, ModelId;
  Optional<uint64_t> Calls;
  UInt128 Total = 0, Self = 0;
  UInt128 Async = 0;
  bool IsAside = false; ///< the former are no part of the runs' time
  bool Clipped = false;
  GradientSum Backward, TotalBackward;
  PlaceMeasures Measures;
  SiteWork Done;
};

using TreeColumns = ColumnSet<TreeLine, RowContext>;

/// Puts a tree into lines, as far as the options want it.
class TreeWriter {
public:
  TreeWriter(std::vector<TreeLine> &Lines, const Totals &All,
             const ModuleNode &Root, double LeastShare)
      : Lines(Lines), All(All), Root(Root), LeastShare(LeastShare) {}

  void write(const ModuleNode &Node, const std::string &Lead,
             const std::string &Branch, unsigned Level);

private:
  void writeOps(ArrayRef<ModuleOps> Ops, const std::string &Path,
                const std::string &Lead);

  bool visible(UInt128 Ticks) const {
    return !All.isBelow(static_cast<double>(Ticks), LeastShare);
  }

  std::vector<TreeLine> &Lines;
  const Totals &All;
  const ModuleNode &Root;
  const double LeastShare;
};
} // namespace

void TreeWriter::writeOps(ArrayRef<ModuleOps> Ops, const std::string &Path,
                          const std::string &Lead) {
  for (const ModuleOps &Op : Ops) {
    UInt128 Total = Op.total();
    if (!visible(Total))
      continue;
    StringRef Async = Op.Async ? " (asynchronous)" : "";
    std::string Text = Op.Kind;
    if (Op.Nodes > 1)
      Text += " x" + std::to_string(Op.Nodes);
    Text += Async;
    std::string Place = (Path.empty() ? "" : Path + "/") + Op.Kind;
    Place += Async;
    Lines.push_back({Place, Lead + Text, "", Root.Model, Root.ModelId, Op.Calls,
                     Total, Op.Self, Op.asyncTotal(), Op.Async, Op.Clipped,
                     Op.Backward, Op.Backward, Op.Measures, Op.Done});
    writeOps(Op.Inner, Place, Lead + "  ");
  }
}

void TreeWriter::write(const ModuleNode &Node, const std::string &Lead,
                       const std::string &Branch, unsigned Level) {
  Lines.push_back({Node.Path, Lead + Branch + Node.Name, Node.Class, Root.Model,
                   Root.ModelId, Node.Calls, Node.Total, Node.Self, Node.Async,
                   /*IsAside=*/false, Node.Clipped, Node.Backward,
                   Node.TotalBackward, Node.Measures, Node.Done});
  std::string Inner = Lead;
  if (!Branch.empty())
    Inner += Branch == "`- " ? "   " : "|  ";
  std::vector<const ModuleNode *> Children;
  if (Depth == 0 || Level < Depth)
    for (const ModuleNode &Child : Node.Children)
      if (visible(Child.Total + Child.Async))
        Children.push_back(&Child);
  if (Ops)
    writeOps(Node.Ops, Node.Path, Inner + (Children.empty() ? "   " : "|  "));
  for (const ModuleNode *Child : Children)
    write(*Child, Inner, Child == Children.back() ? "`- " : "|- ", Level + 1);
}

/// The columns that nobody has to ask for, as far as the profile has them.
static std::vector<StringRef> shownColumns() {
  static const std::vector<std::string> OfMeasures = shownPlaceColumns();
  std::vector<StringRef> Ids = {"module",      "class",
                                "calls",       "total_ns",
                                "pct_total",   "self_ns",
                                "pct_self",    "asynchronous_ns",
                                "backward_ns", "total_backward_ns"};
  Ids.insert(Ids.end(), OfMeasures.begin(), OfMeasures.end());
  // People see it at the root of each tree.
  TableFormat Format = Options.Output.Format;
  if (Format == TableFormat::Csv || Format == TableFormat::Json)
    Ids.insert(Ids.begin(), "model");
  return Ids;
}

static TreeColumns treeColumns() {
  using Line = TreeLine;
  using Ctx = RowContext;
  auto Time = [](UInt128 Ticks, const Ctx &C) {
    return Value::timeNs(C.Clock.toNs(static_cast<double>(Ticks)));
  };
  auto Share = [](const Line &L, UInt128 Ticks, const Ctx &C) {
    return L.IsAside ? Value() : C.All.shareValue(static_cast<double>(Ticks));
  };
  std::vector<TreeColumns::Column> Columns = {
      {TableColumn::text("module", "module", Shorten::KeepStart),
       "path of the module instance, or of the kind of nodes in it",
       [](const Line &L, const Ctx &) {
         Value Name = Value::text(L.Path);
         Name.Display = L.Display;
         return Name;
       }},
      {TableColumn::text("class", "class"), "class of the module",
       [](const Line &L, const Ctx &) { return Value::text(L.Class); }},
      {TableColumn::text("model", "model", Shorten::KeepStart),
       "class of the model; of several of a class with a number",
       [](const Line &L, const Ctx &) { return Value::text(L.Model); }},
      {TableColumn::text("model_id", "model_id"), "id of the model",
       [](const Line &L, const Ctx &) { return Value::text(L.ModelId); }},
      {TableColumn::count("calls", "calls"),
       "calls of the module, as far as a node tells",
       [](const Line &L, const Ctx &) {
         return L.Calls ? Value::count(*L.Calls) : Value();
       }},
      {TableColumn::time("total_ns", "total"), "all nodes inside",
       [Time](const Line &L, const Ctx &C) { return Time(L.Total, C); }},
      {TableColumn::percent("pct_total", "% total"),
       "total in percent of the runs' time",
       [Share](const Line &L, const Ctx &C) { return Share(L, L.Total, C); }},
      {TableColumn::time("self_ns", "self"), "the nodes written in it directly",
       [Time](const Line &L, const Ctx &C) {
         Value Self = Time(L.Self, C);
         Self.Marked = L.Clipped;
         return Self;
       }},
      {TableColumn::percent("pct_self", "% self"),
       "self in percent of the runs' time",
       [Share](const Line &L, const Ctx &C) { return Share(L, L.Self, C); }},
      asyncColumn<Line>("all nodes inside that ran beside their parents",
                        [](const Line &L) { return L.Async; }),
      backwardColumn<Line>("backward_ns", "backward",
                           "gradients of the nodes written in it directly",
                           [](const Line &L) { return L.Backward; }),
      backwardColumn<Line>("total_backward_ns", "total backward",
                           "gradients of all nodes inside",
                           [](const Line &L) { return L.TotalBackward; }),
      backwardColumn<Line>(
          "backward_device_ns", "backward device",
          "how long the device worked for the former of these",
          [](const Line &L) { return L.Backward; }, backwardDeviceValue),
      backwardColumn<Line>(
          "total_backward_device_ns", "total backward device",
          "and for the latter", [](const Line &L) { return L.TotalBackward; },
          backwardDeviceValue),
      {TableColumn::time("mean_ns", "mean"), "total of one call",
       [](const Line &L, const Ctx &C) {
         if (!L.Calls || *L.Calls == 0)
           return Value();
         return Value::timeNs(C.Clock.toNs(static_cast<double>(L.Total)) /
                              static_cast<double>(*L.Calls));
       }},
  };
  addPlaceColumns(Columns, &TreeLine::Measures,
                  {", of all nodes inside", ", of the nodes inside the largest",
                   ", of the nodes written in it directly"});
  addWorkColumns(Columns, &TreeLine::Done);
  return TreeColumns(std::move(Columns));
}

static Expected<std::vector<TreeLine>> collect(const SiteTable &Sites,
                                               const Selection &Selected,
                                               const Totals &All,
                                               double LeastShare) {
  std::vector<TreeLine> Lines;
  std::vector<std::string> Keys(Sort.begin(), Sort.end());
  for (ModuleNode &Tree : makeModuleTrees(Sites, Selected)) {
    if (Error E = sortModuleTree(Tree, Keys))
      return E;
    TreeWriter(Lines, All, Tree, LeastShare).write(Tree, "", "", 0);
  }
  return Lines;
}

static Expected<Outcome> run() {
  Expected<Optional<double>> LeastShare = MinPercent.percent();
  if (!LeastShare)
    return LeastShare.takeError();
  auto Collect = [&](const SiteTable &Sites, const Selection &Selected,
                     const Totals &All) {
    return collect(Sites, Selected, All, (*LeastShare).getValueOr(0));
  };
  return printLines<TreeLine>(Options, treeColumns(), shownColumns(),
                              /*Naming=*/{"module", "class"},
                              /*WithOperators=*/Ops, Collect);
}

static CommandRegistration Registration(Command, run,
                                        "tree model.tprof --depth=2");

} // namespace tree_command
