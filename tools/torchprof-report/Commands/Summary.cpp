//===- Summary.cpp - the table of sites -----------------------------------===//

#include "../Report/Summary.h"
#include "Command.h"
#include "Options.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace summary_command {

namespace {
enum class Style { Own, Fx, Torch, Tflite };

/// Its name on the command line.
constexpr const char *styleName(Style S) {
  return S == Style::Fx       ? "fx"
         : S == Style::Torch  ? "torch"
         : S == Style::Tflite ? "tflite"
                              : "torchprof";
}

cl::SubCommand Command("summary", "Print a table of nodes, or of groups");
InputOptions Input(Command);
OutputOptions Output(Command);
SelectionOptions Choice(Command);
cl::opt<Style> ChosenStyle(
    "style", cl::desc("Whose table to print"), cl::init(Style::Own),
    cl::sub(Command),
    cl::values(clEnumValN(Style::Own, styleName(Style::Own), "torchprof's own"),
               clEnumValN(Style::Fx, styleName(Style::Fx),
                          "PyTorch's FX profiling interpreter"),
               clEnumValN(Style::Torch, styleName(Style::Torch),
                          "torch.profiler's key_averages()"),
               clEnumValN(Style::Tflite, styleName(Style::Tflite),
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
                     clEnumValN(GroupBy::Method, "method", "a method"),
                     clEnumValN(GroupBy::Shape, "shape",
                                "a node with inputs of one shape")));
cl::opt<unsigned> StackDepth("stack-depth",
                             cl::desc("Frames of --group-by=stack (0: all)"),
                             cl::value_desc("n"), cl::Hidden, cl::sub(Command));
ColumnOptions Columns(Command);
cl::list<std::string>
    Sort("sort", cl::CommaSeparated,
         cl::desc("Sort by a column id or by order; repeatable"),
         cl::value_desc("id,..."), cl::sub(Command));
cl::opt<unsigned> Limit("limit", cl::desc("Print at most n rows (0: all)"),
                        cl::value_desc("n"), cl::sub(Command));
cl::opt<unsigned> NameWidth("name-width",
                            cl::desc("Shorten names to n columns (0: only as "
                                     "--width does)"),
                            cl::value_desc("n"), cl::Hidden, cl::sub(Command));
LeastShareOption MinPercent(Command, "Hide rows below this share of the total",
                            cl::Hidden);
cl::opt<bool> Operators("ops",
                        cl::desc("Also print the operators inside of nodes"),
                        cl::sub(Command));
cl::opt<bool> SplitFused("split-fused",
                         cl::desc("Estimate what the nodes of fused kernels "
                                  "took"),
                         cl::Hidden, cl::sub(Command));
cl::opt<bool> ShowAll("all",
                      cl::desc("Also print nodes that never ran, and all names "
                               "in the notes below the table"),
                      cl::Hidden, cl::sub(Command));
} // namespace

/// The tables of other tools have their own columns, rows and units; an error
/// if something is asked for that the chosen one has not.
static Error checkStyle() {
  struct {
    const cl::Option &Option;
    bool HasFx, HasTorch;
  } Limited[] = {
      {Columns.Ids, false, false}, {MinPercent.Text, false, false},
      {Group, false, true},        {Operators, false, true},
      {ShowAll, false, true},      {Sort, true, true},
      {NameWidth, false, true},    {StackDepth, false, true},
      {Output.Unit, false, true},  {Input.Source.Prefixes, false, true},
  };
  for (const auto &[Option, HasFx, HasTorch] : Limited)
    if (Option.getNumOccurrences() && ChosenStyle != Style::Own &&
        !(ChosenStyle == Style::Fx && HasFx) &&
        !(ChosenStyle == Style::Torch && HasTorch))
      return createStringError(inconvertibleErrorCode(),
                               "--" + Option.ArgStr +
                                   ": --style=" + styleName(ChosenStyle) +
                                   " has no such option");
  if (StackDepth.getNumOccurrences() && Group != GroupBy::Stack)
    return createStringError(inconvertibleErrorCode(),
                             "--stack-depth: needs --group-by=stack");
  return Error::success();
}

static SummaryOptions options(double LeastShare) {
  SummaryOptions O;
  O.Group = Group;
  O.StackDepth = StackDepth;
  O.ShowAll = ShowAll;
  O.MinPercent = LeastShare;
  O.Limit = Limit;
  O.NameWidth = NameWidth;
  O.Sort.assign(Sort.begin(), Sort.end());
  O.Columns = Columns.ids({});
  return O;
}

static Expected<Document> makeDocument(const SummaryInput &In,
                                       const RunLatencies &Runs,
                                       const SummaryOptions &Options) {
  auto One = [](Expected<Table> T) -> Expected<Document> {
    if (!T)
      return T.takeError();
    return Document{{std::move(*T)}};
  };
  switch (ChosenStyle) {
  case Style::Own:
    return One(makeSummary(In, Options));
  case Style::Fx:
    return One(makeFxTable(In, Options));
  case Style::Torch:
    return One(makeTorchTable(In, Options));
  case Style::Tflite:
    return makeTfliteDocument(In, Options, Runs);
  }
  return Document();
}

static bool needsHistograms() {
  RowColumns Known = rowColumns({});
  auto Needs = [&](const std::string &Id) {
    const RowColumns::Column *C = Known.find(Id);
    return C && C->NeedsHistogram;
  };
  return any_of(Columns.Ids, Needs) || any_of(Sort, Needs);
}

static Expected<Outcome> run() {
  if (Columns.List) {
    if (Error E = Output.print({{rowColumns({}).list()}}))
      return E;
    return Outcome::Fine;
  }
  if (Error E = checkStyle())
    return E;
  Expected<Optional<double>> LeastShare = MinPercent.percent();
  if (!LeastShare)
    return LeastShare.takeError();
  SiteTable Sites;
  AddOptions Options;
  Options.Histograms = needsHistograms();
  Options.Lanes = Group == GroupBy::Thread;
  Options.Operators = Operators;
  RunLatencies Runs;
  if (Error E =
          Input.addTo(Sites, Options, [&](Profile &P, const SlotToSite &Slots) {
            if (ChosenStyle == Style::Tflite)
              Runs.add(P, Slots);
          }))
    return E;
  if (SplitFused)
    Sites.splitFused();
  Expected<Selection> Selected = Choice.select(Sites);
  if (!Selected)
    return Selected.takeError();
  Expected<Document> D = makeDocument(SummaryInput(Sites, *Selected), Runs,
                                      options(LeastShare->getValueOr(0)));
  if (!D)
    return D.takeError();
  if (Error E = Output.print(*D))
    return E;
  return Outcome::Fine;
}

static CommandRegistration Registration(Command, run,
                                        "summary model.tprof --limit=20");

} // namespace summary_command
