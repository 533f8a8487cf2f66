//===- Top.cpp - the live view of a running process -----------------------===//
//
// The profile file is the process's memory: reading it again shows what has
// happened since. Nothing is asked of the process and nothing is sent to it.
//
//===----------------------------------------------------------------------===//

#include "../../common/Printable.h"
#include "../Report/ColumnSet.h"
#include "../Report/SiteTable.h"
#include "Command.h"
#include "Options.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <limits>
#include <thread>

#include <sys/ioctl.h>
#include <unistd.h>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace top_command {

namespace {
cl::SubCommand Command("top", "Show what a running process does");
cl::opt<std::string> Input(cl::Positional, cl::desc("FILE.tprof"),
                           cl::sub(Command));
SelectionOptions Choice(Command);
ThreadOptions Threads(Command);
ColumnOptions Columns(Command);
cl::opt<double> Interval("interval", cl::desc("Seconds between refreshes"),
                         cl::value_desc("seconds"), cl::init(2),
                         cl::sub(Command));
cl::opt<bool> Once("once", cl::desc("Print what was recorded so far and exit"),
                   cl::sub(Command));
cl::opt<unsigned> Limit("limit",
                        cl::desc("Rows (default: what the terminal holds)"),
                        cl::value_desc("n"), cl::sub(Command));

/// What one reading of the file says about each site.
struct Reading {
  SiteTable Sites;
  SlotToSite Slots;
  std::vector<format::Slot> SlotOf; ///< by site
  uint64_t Epoch = 0;
  bool Open = false;
  double Seconds = 0; ///< on the machine's monotonic clock
  /// When the cells were emptied, on the same clock; none if that is not known.
  Optional<double> ResetSeconds;
  std::vector<std::string> InFlight;
  pid_t Pid = 0; ///< 0 of a process of another machine
  uint64_t Spans = 0;
  std::vector<uint64_t> CurrentTicks; ///< by lane

  /// True if nothing was recorded from \p Before on.
  bool isIdleSince(const Reading &Before) const {
    return Epoch == Before.Epoch && Spans == Before.Spans &&
           CurrentTicks == Before.CurrentTicks;
  }
};

/// A site's share of the time since the last reading.
struct TopRow {
  uint32_t Site;
  uint64_t Calls;
  double SumNs;
  double SelfNs;
  std::vector<UInt128> Measures; ///< by MeasureId
};

struct TopContext {
  const SiteTable &Sites;
  double Seconds = 0; ///< that the rows are of; 0: it is not known
  double AllNs = 0;   ///< self times of all rows that are part of runs
};

using TopColumns = ColumnSet<TopRow, TopContext>;

volatile std::sig_atomic_t Interrupted = 0;
} // namespace

static void onInterrupt(int) { Interrupted = 1; }

static double monotonicSeconds() {
  timespec Now = {};
  clock_gettime(CLOCK_MONOTONIC, &Now);
  return static_cast<double>(Now.tv_sec) +
         static_cast<double>(Now.tv_nsec) * 1e-9;
}

/// The slot of each site; of several the first, which an earlier reading has,
/// too, if it has the site.
static std::vector<format::Slot>
slotsOf(const Profile &P, const SlotToSite &Slots, size_t SiteCount) {
  std::vector<format::Slot> SlotOf(SiteCount, format::NoSlot);
  auto Note = [&](format::Slot Slot) {
    uint32_t S = Slots[Slot];
    if (S != NoIndex && SlotOf[S] == format::NoSlot)
      SlotOf[S] = Slot;
  };
  for (const Model &M : P.Models)
    for (uint32_t I = 0; I < M.Table->Sites.size(); ++I)
      Note(M.FirstSlot + I);
  for (const DynamicSite &D : P.DynamicSites)
    Note(D.Slot);
  return SlotOf;
}

/// The number of a profile's process if it is one of this machine, else 0.
static pid_t pidHere(const format::ProcessRecord &R) {
  char Full[256] = "", Name[sizeof(R.Host)];
  gethostname(Full, sizeof(Full) - 1);
  setFixedText(Name, Full);
  constexpr uint64_t Most = std::numeric_limits<pid_t>::max();
  return fixedText(R.Host) == fixedText(Name) && R.Pid <= Most
             ? static_cast<pid_t>(R.Pid)
             : 0;
}

/// False also of a process that has ended but that nobody has waited for.
static bool isAlive(pid_t Pid) {
  if (!Pid)
    return false;
  auto Stat = MemoryBuffer::getFileAsStream("/proc/" + Twine(Pid) + "/stat");
  if (!Stat)
    return kill(Pid, 0) == 0 || errno == EPERM;
  // Behind the program's name in parentheses, which may hold some itself.
  SmallVector<StringRef, 64> Fields;
  (*Stat)->getBuffer().rsplit(')').second.trim().split(Fields, ' ');
  bool HasEnded = Fields.front() == "Z" || Fields.front() == "X";
  // One whose first thread has ended looks the same, but has others.
  constexpr size_t ThreadCount = 17;
  unsigned Threads = 0;
  if (HasEnded && Fields.size() > ThreadCount &&
      !Fields[ThreadCount].getAsInteger(10, Threads))
    return Threads > 1;
  return !HasEnded;
}

/// \p HasEnded: the process has, whether it has closed its profile or not.
static Expected<Reading> readNow(bool HasEnded = false) {
  Expected<ThreadSelection> Selected = Threads.select();
  if (!Selected)
    return Selected.takeError();
  Expected<Profile> P = loadProfile(Input);
  if (!P)
    return P.takeError();
  Selected->keep(*P);
  if (Error E = Selected->checkAllSeen())
    return E;
  Reading R;
  R.Slots = R.Sites.add(*P, {/*Histograms=*/false});
  R.SlotOf = slotsOf(*P, R.Slots, R.Sites.size());
  R.Epoch = P->Epoch;
  R.Open = P->State == format::FileState::Open;
  R.Pid = pidHere(P->Process);
  R.Seconds = monotonicSeconds();
  double Reset = R.Sites.clock().monotonicNs(P->ResetTicks) * 1e-9;
  // A file from another machine or boot has another clock.
  if (R.Open && Reset >= 0 && Reset < R.Seconds)
    R.ResetSeconds = Reset;
  for (uint32_t S = 0; S < R.Sites.size(); ++S)
    R.Spans += R.Sites.measured(S).Count;
  for (const Lane &L : P->Lanes) {
    format::Slot Slot = L.CurrentSlot;
    R.CurrentTicks.push_back(L.CurrentTicks);
    if (Slot == format::NoSlot || L.Record.State != format::LaneState::Live)
      continue;
    uint32_t S = R.Slots[Slot];
    if (S == NoIndex)
      continue;
    std::string Text = L.name() + ": " + R.Sites.kind(S).str();
    std::string Module = R.Sites.modulePath(S);
    if (!Module.empty())
      Text += " in " + Module;
    double Since = R.Sites.clock().monotonicNs(L.CurrentTicks);
    double Open = R.Seconds * 1e9 - Since;
    if (R.Open && !HasEnded && Since >= 0 && Open >= 0 && Open < 1e9 * 86400)
      Text += " for " + formatTime(Open);
    R.InFlight.push_back(std::move(Text));
  }
  return R;
}

static std::vector<UInt128> measuresOf(const SiteTable &Sites, uint32_t S) {
  std::vector<UInt128> Amounts;
  for (MeasureId M = 0; M < Sites.measures().size(); ++M)
    Amounts.push_back(Sites.measures()[M].Fold == MeasureFold::Peak
                          ? UInt128(Sites.measured(M, S).Max)
                          : Sites.measured(M, S).Sum);
  return Amounts;
}

/// False if the cells were emptied between the two.
static bool isComparable(const Reading &Now, const Reading &Before) {
  return Before.Epoch == Now.Epoch && Before.Sites.size() <= Now.Sites.size();
}

/// What happened since \p Before; all if there is none or the cells were
/// emptied in between.
static std::vector<TopRow> changes(const Reading &Now, const Reading *Before,
                                   const Selection &Selected) {
  bool Comparable = Before && isComparable(Now, *Before);
  std::vector<TopRow> Rows;
  const SiteTable &Sites = Now.Sites;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!Selected.matches(Sites, S))
      continue;
    TopRow R = {S, Sites.measured(S).Count,
                Sites.clock().toNs(static_cast<double>(Sites.total(S))),
                Sites.clock().toNs(static_cast<double>(Sites.self(S).Amount)),
                measuresOf(Sites, S)};
    // The process numbers its sites once; the table does it anew, models first.
    uint32_t Same = Comparable ? Before->Slots[Now.SlotOf[S]] : NoIndex;
    if (Same != NoIndex) {
      const SiteTable &Old = Before->Sites;
      R.Calls -= std::min(R.Calls, Old.measured(Same).Count);
      R.SumNs -= Old.clock().toNs(static_cast<double>(Old.total(Same)));
      R.SelfNs -= Old.clock().toNs(static_cast<double>(Old.self(Same).Amount));
      // A peak is that of the whole recording.
      std::vector<UInt128> OldMeasures = measuresOf(Old, Same);
      for (MeasureId M = 0; M < OldMeasures.size(); ++M)
        if (Sites.measures()[M].Fold == MeasureFold::Sum)
          R.Measures[M] -= std::min(R.Measures[M], OldMeasures[M]);
    }
    // Parent and child were not read in the same instant.
    R.SelfNs = std::max(R.SelfNs, 0.0);
    if (R.Calls)
      Rows.push_back(R);
  }
  stable_sort(Rows, [](const TopRow &A, const TopRow &B) {
    return A.SelfNs > B.SelfNs;
  });
  return Rows;
}

static unsigned rowLimit(size_t Others) {
  if (Limit)
    return Limit;
  winsize Size = {};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &Size) != 0)
    return 20;
  size_t Used = Others + 5; // headings and empty lines
  return Size.ws_row > Used + 3 ? static_cast<unsigned>(Size.ws_row - Used) : 3;
}

static TopColumns topColumns(ArrayRef<TableMeasure> Measures) {
  using Row = TopRow;
  using Ctx = TopContext;
  std::vector<TopColumns::Column> Columns = {
      {TableColumn::text("kind", "kind", Shorten::KeepStart),
       "operator, prim::If, method, module or region",
       [](const Row &R, const Ctx &C) {
         return Value::text(C.Sites.kind(R.Site));
       }},
      {TableColumn::text("name", "name", Shorten::KeepStart),
       "name of the node's first output, or of the method",
       [](const Row &R, const Ctx &C) {
         return Value::text(C.Sites.name(R.Site));
       }},
      {TableColumn::text("model", "model", Shorten::KeepStart),
       "class of the model; of several of a class with a number",
       [](const Row &R, const Ctx &C) {
         return Value::text(C.Sites.modelNames().of(C.Sites, R.Site));
       }},
      {TableColumn::text("method", "method", Shorten::KeepStart),
       "method around the node",
       [](const Row &R, const Ctx &C) {
         return Value::text(ModelNames::methodAround(C.Sites, R.Site));
       }},
      {TableColumn::text("module", "module"), "path of the module instance",
       [](const Row &R, const Ctx &C) {
         return Value::text(C.Sites.modulePath(R.Site));
       }},
      {TableColumn::text("source", "source"), "file:line in the author's code",
       [](const Row &R, const Ctx &C) {
         return placeValue(C.Sites.source(R.Site));
       }},
      {TableColumn::count("calls", "calls"), "spans counted",
       [](const Row &R, const Ctx &) { return Value::count(R.Calls); }},
      {TableColumn::number("calls_per_s", "calls/s", 1), "calls per second",
       [](const Row &R, const Ctx &C) {
         if (C.Seconds <= 0)
           return Value();
         return Value::number(ValueType::Number,
                              static_cast<double>(R.Calls) / C.Seconds);
       }},
      {TableColumn::time("mean_ns", "mean"), "mean time of a call",
       [](const Row &R, const Ctx &) {
         return Value::timeNs(R.SumNs / static_cast<double>(R.Calls));
       }},
      {TableColumn::time("total_ns", "total"), "time between begin and end",
       [](const Row &R, const Ctx &) { return Value::timeNs(R.SumNs); }},
      {TableColumn::time("self_ns", "self"), "total minus the children's",
       [](const Row &R, const Ctx &) { return Value::timeNs(R.SelfNs); }},
      {TableColumn::percent("pct_self", "% self"),
       "self in percent of that of all rows",
       [](const Row &R, const Ctx &C) {
         if (C.Sites[R.Site].isOutside() || C.AllNs <= 0)
           return Value();
         return Value::percent(100 * R.SelfNs / C.AllNs);
       }},
  };
  for (MeasureId M = 0; M < Measures.size(); ++M) {
    MeasureUnit Unit = Measures[M].Unit;
    Columns.push_back(
        {TableColumn::make(measureColumnId(Measures[M].Id, Unit),
                           Measures[M].Id, measureValueType(Unit)),
         "measure " + Measures[M].Id, [M, Unit](const Row &R, const Ctx &) {
           return measureValue(Unit, R.Measures[M]);
         }});
  }
  return TopColumns(std::move(Columns));
}

static Error print(const Reading &Now, const Reading *Before,
                   const Selection &Selected, raw_ostream &OS) {
  TopColumns Known = topColumns(Now.Sites.measures());
  std::vector<StringRef> Ids = {"kind",        "name",    "module",  "calls",
                                "calls_per_s", "mean_ns", "pct_self"};
  Now.Sites.modelNames().addColumns(Ids);
  Expected<TopColumns::Choice> Chosen =
      Known.choose(Columns.ids(Ids), "--columns");
  if (!Chosen)
    return Chosen.takeError();
  TopContext Context = {Now.Sites};
  bool Comparable = Before && isComparable(Now, *Before);
  bool IsReset = !Comparable && Now.Epoch > 1; // the first is none
  if (Comparable)
    Context.Seconds = Now.Seconds - Before->Seconds;
  else if (IsReset && Now.ResetSeconds)
    Context.Seconds = Now.Seconds - *Now.ResetSeconds;
  std::vector<TopRow> Rows = changes(Now, Before, Selected);
  for (const TopRow &R : Rows)
    if (!Now.Sites[R.Site].isOutside())
      Context.AllNs += R.SelfNs;
  Table T;
  TopColumns::fill(T, ArrayRef(Rows).take_front(rowLimit(Now.InFlight.size())),
                   *Chosen, Context);
  OS << "torchprof-report top " << printable(Input) << ": ";
  if (Comparable)
    OS << "the last " << formatTime(Context.Seconds * 1e9) << '\n';
  else if (IsReset && Context.Seconds > 0)
    OS << "since the reset " << formatTime(Context.Seconds * 1e9) << " ago\n";
  else
    OS << (IsReset ? "since the reset\n" : "since the start\n");
  for (const std::string &Text : Now.InFlight)
    OS << printable(Text) << '\n';
  if (Now.InFlight.empty())
    OS << "no thread is in a node\n";
  OS << '\n';
  PrintOptions Options;
  Options.Width = sys::Process::StandardOutColumns();
  Options.Colors = terminalColors();
  printDocument({{T}}, Options, OS);
  return Error::success();
}

/// Waits, but not longer than until Ctrl-C.
static void wait(double Seconds) {
  double End = monotonicSeconds() + Seconds;
  while (!Interrupted && monotonicSeconds() < End)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

static Expected<Outcome> run() {
  if (Columns.List) {
    printDocument({{topColumns({}).list()}}, {}, outs());
    return Outcome::Fine;
  }
  if (Input.empty())
    return createStringError(inconvertibleErrorCode(),
                             "no profile given, such as FILE.tprof");
  if (!(Interval > 0))
    return createStringError(inconvertibleErrorCode(),
                             "--interval: the time must be above 0 seconds");
  Expected<Reading> First = readNow();
  if (!First)
    return First.takeError();
  // The number of a process in a container may be nobody's here. It may have
  // ended, too, which is taken for true once nothing is recorded any more.
  bool WasAlive = isAlive(First->Pid);
  bool MayHaveEnded = First->Pid && !WasAlive;
  Expected<Selection> Selected = Choice.select(First->Sites);
  if (!Selected)
    return Selected.takeError();
  if (Error E = print(*First, nullptr, *Selected, outs()))
    return E;
  outs().flush();
  if (Once)
    return Outcome::Fine;
  std::signal(SIGINT, onInterrupt);
  std::signal(SIGTERM, onInterrupt);
  bool Terminal = isatty(STDOUT_FILENO);
  if (Terminal)
    outs() << "\033[?25l"; // hide the cursor
  Reading Last = std::move(*First);
  Optional<Error> Failure;
  bool HasEnded = false, IsIdle = false;
  while (!Interrupted && Last.Open && !HasEnded && !outs().has_error()) {
    wait(Interval);
    if (Interrupted)
      break;
    // Before the file is read for the last time.
    HasEnded = WasAlive && !isAlive(Last.Pid);
    Expected<Reading> Now = readNow(HasEnded);
    if (!Now) {
      Failure = Now.takeError();
      break;
    }
    IsIdle = MayHaveEnded && Now->Open && Now->isIdleSince(Last);
    if (IsIdle)
      break;
    outs() << (Terminal ? "\033[H\033[J" : "\n");
    if (Error E = print(*Now, &Last, *Selected, outs())) {
      Failure = std::move(E);
      break;
    }
    outs().flush();
    Last = std::move(*Now);
  }
  if (Terminal)
    outs() << "\033[?25h";
  if (Failure)
    return std::move(*Failure);
  if (!Last.Open)
    outs() << "the process has closed its profile\n";
  else if (HasEnded)
    outs() << "the process has ended without its exit handler\n";
  else if (IsIdle)
    outs() << "no process " << Last.Pid
           << " runs here, and nothing was recorded for "
           << formatTime(Interval * 1e9)
           << ": it has ended without its exit handler, or is idle in a "
              "container\n";
  return Outcome::Fine;
}

static CommandRegistration Registration(Command, run, "top model.tprof");

} // namespace top_command
