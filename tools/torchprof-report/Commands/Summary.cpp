//===- Summary.cpp - the table of sites -----------------------------------===//

#include "../Report/Summary.h"
#include "Command.h"
#include "Options.h"

#include <optional>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
enum class Style { Own, Fx, Torch, Tflite };

cl::SubCommand Command("summary", "Print a table of nodes, or of groups");
cl::list<std::string> Files(cl::Positional, cl::ZeroOrMore,
                            cl::desc("FILE.tprof..."), cl::sub(Command));
OutputOptions Output(Command);
SelectionOptions Choice(Command);
cl::opt<Style> ChosenStyle(
    "style", cl::desc("Whose table to print"), cl::init(Style::Own),
    cl::sub(Command),
    cl::values(
        clEnumValN(Style::Own, "torchprof", "torchprof's own"),
        clEnumValN(Style::Fx, "fx", "PyTorch's FX profiling interpreter"),
        clEnumValN(Style::Torch, "torch", "torch.profiler's key_averages()"),
        clEnumValN(Style::Tflite, "tflite",
                   "TensorFlow Lite's benchmark tool")));
cl::opt<GroupBy>
    Group("group-by", cl::desc("What a row stands for"),
          cl::init(GroupBy::Node), cl::sub(Command),
          cl::values(clEnumValN(GroupBy::Node, "node", "a node of the model"),
                     clEnumValN(GroupBy::Kind, "kind", "an operator"),
                     clEnumValN(GroupBy::Module, "module", "a module instance"),
                     clEnumValN(GroupBy::Class, "class", "a class of modules"),
                     clEnumValN(GroupBy::Source, "source", "a source line"),
                     clEnumValN(GroupBy::Stack, "stack", "a call stack"),
                     clEnumValN(GroupBy::Thread, "thread", "a lane of threads"),
                     clEnumValN(GroupBy::Method, "method", "a method")));
cl::opt<unsigned> StackDepth("stack-depth",
                             cl::desc("Frames of --group-by=stack (0: all)"),
                             cl::value_desc("n"), cl::Hidden, cl::sub(Command));
cl::list<std::string>
    Columns("columns", cl::CommaSeparated,
            cl::desc("Columns to print; --list-columns lists them"),
            cl::value_desc("id,..."), cl::sub(Command));
cl::opt<bool> ListColumns("list-columns", cl::desc("List the column ids"),
                          cl::Hidden, cl::sub(Command));
cl::list<std::string>
    Sort("sort", cl::CommaSeparated,
         cl::desc("Sort by a column id or by order; repeatable"),
         cl::value_desc("id,..."), cl::sub(Command));
cl::opt<unsigned> Limit("limit", cl::desc("Print at most n rows (0: all)"),
                        cl::value_desc("n"), cl::sub(Command));
cl::opt<double> MinPercent("min-pct",
                           cl::desc("Hide rows below this share of the total"),
                           cl::value_desc("percent"), cl::sub(Command));
cl::opt<bool> Unreached("all", cl::desc("Also print nodes that never ran"),
                        cl::Hidden, cl::sub(Command));
} // namespace

static Error printColumns() {
  Table T;
  T.Columns = {TableColumn::text("id", "id"),
               TableColumn::text("help", "meaning")};
  for (const Column &C : allColumns())
    T.Rows.push_back({Value::text(C.Id), Value::text(C.Help)});
  return Output.print({{T}});
}

static SummaryOptions options() {
  SummaryOptions O;
  O.Group = Group;
  O.StackDepth = StackDepth;
  O.Unreached = Unreached;
  O.MinPercent = MinPercent;
  O.Limit = Limit;
  O.Sort.assign(Sort.begin(), Sort.end());
  O.Columns.assign(Columns.begin(), Columns.end());
  return O;
}

/// One row per lane, measured by itself.
static Error addThreadRows(const Profile &P, std::vector<Row> &Rows) {
  for (const Lane &L : P.Lanes) {
    SiteTable Sites;
    Sites.add(P, {/*Histograms=*/true, L.Record.Lane});
    Expected<Selection> Selected =
        Selection::create(Choice.Include, Choice.Exclude);
    if (!Selected)
      return Selected.takeError();
    std::string Name =
        Files.size() > 1 ? P.FileName + ": " + L.name() : L.name();
    Rows.push_back(makeThreadRow(Sites, *Selected, Name,
                                 static_cast<uint32_t>(Rows.size())));
  }
  return Error::success();
}

static Expected<Document> makeDocument(const SummaryInput &In,
                                       std::vector<Row> ThreadRows) {
  auto One = [](Expected<Table> T) -> Expected<Document> {
    if (!T)
      return T.takeError();
    return Document{{std::move(*T)}};
  };
  switch (ChosenStyle) {
  case Style::Own:
    return One(makeSummary(In, options(), std::move(ThreadRows)));
  case Style::Fx:
    return One(makeFxTable(In, options()));
  case Style::Torch:
    return One(makeTorchTable(In, options()));
  case Style::Tflite:
    return makeTfliteDocument(In, options());
  }
  return Document();
}

static bool needsHistograms() {
  auto Needs = [](const std::string &Id) {
    return any_of(allColumns(), [&](const Column &C) {
      return C.Id == Id && C.NeedsHistogram;
    });
  };
  return any_of(Columns, Needs) || any_of(Sort, Needs);
}

static Expected<Outcome> run() {
  if (ListColumns) {
    if (Error E = printColumns())
      return E;
    return Outcome::Fine;
  }
  if (Files.empty())
    return createStringError(inconvertibleErrorCode(),
                             "expected a profile (FILE.tprof), found none");
  SiteTable Sites;
  std::vector<Row> ThreadRows;
  for (const std::string &Path : Files) {
    Expected<Profile> P = loadWithWarnings(Path);
    if (!P)
      return P.takeError();
    Sites.add(*P, {needsHistograms()});
    if (Group == GroupBy::Thread)
      if (Error E = addThreadRows(*P, ThreadRows))
        return E;
  }
  for (const std::string &Text : Sites.warnings())
    printWarning(Text);
  Expected<Selection> Selected = Choice.select(Sites);
  if (!Selected)
    return Selected.takeError();
  Expected<Document> D =
      makeDocument(SummaryInput(Sites, *Selected), std::move(ThreadRows));
  if (!D)
    return D.takeError();
  if (Error E = Output.print(*D))
    return E;
  return Outcome::Fine;
}

static CommandRegistration Registration(Command, run,
                                        "summary model.tprof --limit=20");
