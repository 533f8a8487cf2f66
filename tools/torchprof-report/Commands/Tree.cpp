//===- Tree.cpp - the module hierarchy with times -------------------------===//

#include "../Report/ModuleTree.h"
#include "../Report/Rows.h"
#include "Command.h"
#include "Options.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
cl::SubCommand Command("tree", "Print the module hierarchy with times");
InputOptions Input(Command);
OutputOptions Output(Command);
SelectionOptions Choice(Command);
cl::opt<unsigned> Depth("depth", cl::desc("Levels below the root (0: all)"),
                        cl::value_desc("n"), cl::sub(Command));
cl::opt<double> MinPercent("min-pct", cl::desc("Hide modules below this share"),
                           cl::value_desc("percent"), cl::sub(Command));
cl::list<std::string>
    Sort("sort", cl::CommaSeparated,
         cl::desc("Sort siblings by order, total_ns, self_ns, calls or name; "
                  "repeatable"),
         cl::value_desc("key,..."), cl::sub(Command));
cl::opt<bool> Ops("ops", cl::desc("Show the nodes under each module"),
                  cl::sub(Command));

/// Prints one tree into a table, a line per module.
class TreePrinter {
public:
  TreePrinter(Table &T, const TickClock &Clock, const Totals &All)
      : T(T), Clock(Clock), All(All) {}

  void print(const ModuleNode &Node, const std::string &Lead,
             const std::string &Branch, unsigned Level);

private:
  void line(StringRef Path, const std::string &Display, StringRef Class,
            double Total, double Self, Value Calls);
  bool visible(const ModuleNode &Node) const {
    return All.share(Node.Total) >= MinPercent;
  }

  Table &T;
  const TickClock &Clock;
  const Totals &All;
};
} // namespace

void TreePrinter::line(StringRef Path, const std::string &Display,
                       StringRef Class, double Total, double Self,
                       Value Calls) {
  Value Name = Value::text(Path);
  Name.Display = Display;
  T.Rows.push_back(
      {Name, Value::text(Class), std::move(Calls),
       Value::timeNs(Clock.toNs(Total)), Value::percent(All.share(Total)),
       Value::timeNs(Clock.toNs(Self)), Value::percent(All.share(Self))});
}

void TreePrinter::print(const ModuleNode &Node, const std::string &Lead,
                        const std::string &Branch, unsigned Level) {
  line(Node.Path, Lead + Branch + (Node.Path.empty() ? "(root)" : Node.Name),
       Node.Class, Node.Total, Node.Self,
       Node.Measured ? Value::count(Node.Calls) : Value());
  std::string Inner = Lead;
  if (!Branch.empty())
    Inner += Branch == "`- " ? "   " : "|  ";
  std::vector<const ModuleNode *> Children;
  if (Depth == 0 || Level < Depth)
    for (const ModuleNode &Child : Node.Children)
      if (visible(Child))
        Children.push_back(&Child);
  if (Ops)
    for (const ModuleOps &Op : Node.Ops) {
      if (All.share(Op.Self) < MinPercent)
        continue;
      std::string Text = Op.Kind;
      if (Op.Nodes > 1)
        Text += " x" + std::to_string(Op.Nodes);
      if (Op.Async)
        Text += " (asynchronous)";
      std::string Path =
          Node.Path.empty() ? Op.Kind : Node.Path + "/" + Op.Kind;
      line(Path, Inner + (Children.empty() ? "   " : "|  ") + Text, "", Op.Self,
           Op.Self, Value::count(Op.Calls));
    }
  for (const ModuleNode *Child : Children)
    print(*Child, Inner, Child == Children.back() ? "`- " : "|- ", Level + 1);
}

static Expected<Outcome> run() {
  SiteTable Sites;
  if (Error E = Input.addTo(Sites, {/*Histograms=*/false}))
    return E;
  Expected<Selection> Selected = Choice.select(Sites);
  if (!Selected)
    return Selected.takeError();
  std::vector<ModuleNode> Trees = makeModuleTrees(Sites, *Selected);
  Totals All = makeTotals(Sites, *Selected);
  Table T;
  T.Columns = {TableColumn::text("module", "module", Shorten::KeepStart),
               TableColumn::text("class", "class"),
               TableColumn::count("calls", "calls"),
               TableColumn::time("total_ns", "total"),
               TableColumn::percent("pct_total", "% total"),
               TableColumn::time("self_ns", "self"),
               TableColumn::percent("pct_self", "% self")};
  std::vector<std::string> Keys(Sort.begin(), Sort.end());
  for (ModuleNode &Tree : Trees) {
    if (Error E = sortModuleTree(Tree, Keys))
      return E;
    TreePrinter(T, Sites.clock(), All).print(Tree, "", "", 0);
  }
  if (Error E = Output.print({{T}}))
    return E;
  return Outcome::Fine;
}

static CommandRegistration Registration(Command, run,
                                        "tree model.tprof --depth=2");
