//===- Diff.cpp - what changed between two profiles -----------------------===//

#include "../Report/Diff.h"
#include "../../common/Messages.h"
#include "../../common/Printable.h"
#include "../Report/Columns.h"
#include "../Report/DiffMemory.h"
#include "Command.h"
#include "Options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace diff_command {

namespace {
cl::SubCommand Command("diff", "Print what changed between two profiles");
cl::list<std::string> Files(cl::Positional, cl::ZeroOrMore,
                            cl::desc("BEFORE.tprof AFTER.tprof"),
                            cl::sub(Command));
cl::list<std::string>
    Before("before",
           cl::desc("A profile of the first side; repeatable: "
                    "then processes are compared"),
           cl::value_desc("file"), cl::sub(Command));
cl::list<std::string>
    After("after", cl::desc("A profile of the second side; repeatable"),
          cl::value_desc("file"), cl::sub(Command));
OutputOptions Output(Command);
SelectionOptions Choice(Command);
ThreadOptions Threads(Command);
SourceOptions Source(Command);
ColumnOptions Columns(Command);
cl::opt<std::string>
    FailAbove("fail-above",
              cl::desc("Exit with 1 if a mean grew by more, 5% for instance, "
                       "and not by noise"),
              cl::value_desc("percent"), cl::sub(Command));
cl::opt<std::string>
    FailAboveMemory("fail-above-memory",
                    cl::desc("Exit with 1 if a call allocates more by so much, "
                             "or a run holds more"),
                    cl::value_desc("percent"), cl::sub(Command));
cl::opt<double> Alpha("alpha",
                      cl::desc("Probability of taking noise for a difference, "
                               "in the whole table (0.01)"),
                      cl::value_desc("probability"), cl::init(0.01),
                      cl::sub(Command));
LeastShareOption MinPercent(Command,
                            "Leave out sites below this share in both profiles "
                            "(1 with --fail-above)");
cl::opt<bool> Changed("changed", cl::desc("Only sites that changed"),
                      cl::sub(Command));
cl::opt<unsigned> Limit("limit", cl::desc("Print at most n rows (0: all)"),
                        cl::value_desc("n"), cl::sub(Command));
} // namespace

/// A short site's mean differs between two processes by up to a fifth, through
/// where its memory lies, and no variance within one shows it. So a growth must
/// matter to the whole: this part of the least share.
static constexpr double LeastGrowth = 0.5;

/// With fewer processes on a side a gate passes nearly everything: the variance
/// of so few means is hardly known. docs/ci.md has numbers.
static constexpr size_t EnoughProcesses = 4;

static Error checkAlpha() {
  if (Alpha > 0 && Alpha < 1)
    return Error::success();
  return createStringError(inconvertibleErrorCode(),
                           "--alpha: expected a probability above 0 and below "
                           "1");
}

/// What takes more memory, if that was asked for.
static Expected<MemoryGrowth> grownSites(ArrayRef<DiffRow> Rows,
                                         const DiffSide &A, const DiffSide &B,
                                         const Optional<double> &Threshold) {
  if (!Threshold)
    return MemoryGrowth();
  return grownMemory(Rows, A.All, B.All, {*Threshold, /*LeastShare=*/1});
}

static size_t countInBoth(ArrayRef<DiffRow> Rows) {
  return count_if(Rows, [](const DiffRow &R) { return R.isInBoth(); });
}

/// A gate that has compared nothing must not pass. \p Lacks: what no site does.
static Error nothingToCompare(bool IsAnyInBoth, double LeastShare,
                              StringRef Lacks) {
  std::string Text = "nothing to compare: no site ";
  raw_string_ostream OS(Text);
  if (IsAnyInBoth && LeastShare > 0)
    OS << llvm::format("with %g%% of the time of runs that have ended ",
                       LeastShare);
  OS << Lacks;
  return createStringError(inconvertibleErrorCode(), OS.str());
}

static Error load(ArrayRef<std::string> Paths, ThreadSelection &Selected,
                  DiffSide &Side) {
  for (const std::string &Path : Paths) {
    Expected<Profile> P = loadWithWarnings(Path, &Selected);
    if (!P)
      return P.takeError();
    if (P->Damaged && Side.DamagedFile.empty())
      Side.DamagedFile = Path;
    Side.All.add(*P);
    if (Paths.size() > 1)
      Side.Each.emplace_back().add(*P, {/*Histograms=*/false});
  }
  for (const std::string &Text : Side.All.warnings())
    reportWarning(Text);
  Source.apply(Side.All);
  return Error::success();
}

/// Both sides, from the two positional files or from --before and --after.
static Error loadSides(DiffSide &A, DiffSide &B) {
  bool Named = !Before.empty() || !After.empty();
  if (Named ? !Files.empty() || Before.empty() || After.empty()
            : Files.size() != 2)
    return createStringError(
        inconvertibleErrorCode(),
        "give either BEFORE.tprof AFTER.tprof, or --before=FILE and "
        "--after=FILE at least once each");
  Expected<ThreadSelection> Selected = Threads.select();
  if (!Selected)
    return Selected.takeError();
  using Paths = ArrayRef<std::string>;
  if (Error E = load(Named ? Paths(Before) : Paths(Files[0]), *Selected, A))
    return E;
  if (Error E = load(Named ? Paths(After) : Paths(Files[1]), *Selected, B))
    return E;
  return Selected->checkAllSeen();
}

/// Of what the comparison is less than it seems to be.
static void warnOf(const DiffSide &A, const DiffSide &B, bool HasGate) {
  for (const std::string &Model : modelsOfMethodsOnly(A.All, B.All))
    reportWarning(Twine(Model) + (Model.empty() ? "" : ": ") +
                  "nodes of one side are in no modules, as in a frozen file: "
                  "only methods are compared");
  for (const std::string &Model : modelsOfOtherOptions(A.All, B.All))
    reportWarning(
        Twine(Model) + (Model.empty() ? "" : ": ") +
        "other options, such as --nodes, chose the sites of the other "
        "side: nodes may be compared with others of their kind");
  if (A.Each.empty() != B.Each.empty())
    reportWarning("one profile " + Twine(A.Each.empty() ? "before" : "after") +
                  ": calls are compared, so that what differs from process to "
                  "process looks like a change");
  if (HasGate && A.Each.empty() && B.Each.empty())
    reportWarning("one profile before and one after: --fail-above compares "
                  "calls, so that what differs from process to process looks "
                  "like growth; record five on each side");
  if (HasGate && comparesProfiles(A, B) &&
      std::min(A.Each.size(), B.Each.size()) < EnoughProcesses)
    reportWarning(Twine(A.Each.size()) + " processes before and " +
                  Twine(B.Each.size()) + " after: with fewer than " +
                  Twine(EnoughProcesses) +
                  " on a side --fail-above misses all but large growth");
}

static Expected<Outcome> run() {
  if (Columns.List) {
    SiteTable None;
    if (Error E = Output.print({{diffColumns(None, None).list()}}))
      return E;
    return Outcome::Fine;
  }
  Expected<Optional<double>> Gate = percentage(FailAbove);
  if (!Gate)
    return Gate.takeError();
  Expected<Optional<double>> MemoryGate = percentage(FailAboveMemory);
  if (!MemoryGate)
    return MemoryGate.takeError();
  Expected<Optional<double>> LeastAsked = MinPercent.percent();
  if (!LeastAsked)
    return LeastAsked.takeError();
  if (Error E = checkAlpha())
    return E;
  DiffSide A, B;
  if (Error E = loadSides(A, B))
    return E;
  for (const DiffSide *Side : {&A, &B})
    if ((*Gate || *MemoryGate) && !Side->DamagedFile.empty())
      return createStringError(inconvertibleErrorCode(),
                               Side->DamagedFile +
                                   ": is damaged, so that no gate can decide "
                                   "on it");
  warnOf(A, B, Gate->hasValue());
  // A glob may match sites of one side only: those were added or removed.
  Expected<Selection> Selected = Choice.select({&B.All, &A.All});
  if (!Selected)
    return Selected.takeError();
  DiffColumns Known = diffColumns(A.All, B.All);
  std::vector<StringRef> Ids = {
      "change",        "kind",           "name",
      "module",        "before_mean_ns", "after_mean_ns",
      "change_ns",     "change_pct",     "change_per_run_ns",
      "before_p50_ns", "after_p50_ns",   "p_value"};
  B.All.modelNames().addColumns(Ids);
  std::vector<std::string> Shown = Columns.ids(Ids);
  Expected<DiffColumns::Choice> Chosen = Known.choose(Shown, "--columns");
  if (!Chosen)
    return Chosen.takeError();
  double LeastShare = LeastAsked->getValueOr(*Gate ? 1 : 0);
  std::vector<DiffRow> Rows =
      diffProfiles(A, B, *Selected, {Alpha, LeastShare});
  bool IsAnyInBoth = countInBoth(Rows) != 0;
  auto LeaveOutBelow = [&Rows](double Share) {
    erase_if(Rows, [=](const DiffRow &R) { return R.Share < Share; });
  };
  LeaveOutBelow(LeastAsked->getValueOr(0));
  // Before the gate for times leaves out what takes little time: that may
  // allocate much.
  Expected<MemoryGrowth> Grown = grownSites(Rows, A, B, *MemoryGate);
  if (!Grown)
    return Grown.takeError();
  LeaveOutBelow(LeastShare);
  bool IsAnyLeft = countInBoth(Rows) != 0;
  size_t Compared = count_if(Rows, [](const DiffRow &R) { return R.IsTested; });
  size_t Counts[5] = {};
  size_t Failures = 0;
  for (const DiffRow &R : Rows) {
    ++Counts[static_cast<size_t>(R.What)];
    if (*Gate && R.What == Change::Slower && R.percent() > **Gate &&
        R.Share * (1 - R.MeanA / R.MeanB) >= LeastGrowth * LeastShare)
      ++Failures;
  }
  if (Changed)
    erase_if(Rows, [](const DiffRow &R) { return R.What == Change::Same; });
  size_t Most = Limit ? std::min<size_t>(Limit, Rows.size()) : Rows.size();
  Table T;
  DiffColumns::fill(T, ArrayRef(Rows).take_front(Most), *Chosen,
                    DiffContext(A.All, B.All));
  if (std::string Note =
          rescaledNote(Shown, std::max(A.All.rescaled(), B.All.rescaled()));
      !Note.empty())
    T.Notes.push_back(std::move(Note));
  for (Change C : {Change::Slower, Change::Faster, Change::Added,
                   Change::Removed, Change::Same})
    T.Footer.push_back({changeName(C).str(), changeName(C).str(),
                        Value::count(Counts[static_cast<size_t>(C)]), Value(),
                        ""});
  if (Error E = Output.print({{T}}))
    return E;
  if (*Gate && !Compared) {
    StringRef Lacks = "is in both profiles";
    if (IsAnyLeft)
      Lacks = comparesProfiles(A, B)
                  ? "ran in two processes before and in two after"
                  : "has two calls before and two after";
    return nothingToCompare(IsAnyInBoth, LeastShare, Lacks);
  }
  if (*MemoryGate && !Grown->IsAnyCompared)
    return nothingToCompare(IsAnyInBoth, LeastAsked->getValueOr(0),
                            "has memory that was measured before and after");
  if (Failures)
    errs() << "torchprof-report: " << Failures << " of " << Compared
           << " sites grew by more than " << FailAbove << '\n';
  for (const std::string &Line : Grown->Lines)
    errs() << "torchprof-report: " << printable(Line) << '\n';
  return Failures || !Grown->Lines.empty() ? Outcome::Finding : Outcome::Fine;
}

static CommandRegistration
    Registration(Command, run, "diff before.tprof after.tprof --fail-above=5%");

} // namespace diff_command
