//===- Top.cpp - the live view of a running process -----------------------===//
//
// The profile file is the process's memory: reading it again shows what has
// happened since. Nothing is asked of the process and nothing is sent to it.
//
//===----------------------------------------------------------------------===//

#include "../Report/SiteTable.h"
#include "Command.h"
#include "Options.h"

#include <chrono>
#include <csignal>
#include <ctime>
#include <thread>

#include <sys/ioctl.h>
#include <unistd.h>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
cl::SubCommand Command("top", "Show what a running process does");
cl::opt<std::string> Input(cl::Positional, cl::Required, cl::desc("FILE.tprof"),
                           cl::sub(Command));
SelectionOptions Choice(Command);
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
  uint64_t Epoch = 0;
  bool Open = false;
  double Seconds = 0; ///< on the machine's monotonic clock
  std::vector<std::string> InFlight;
};

/// A site's share of the time since the last reading.
struct TopRow {
  uint32_t Site;
  uint64_t Calls;
  double SumNs;
  double SelfNs;
};

volatile std::sig_atomic_t Interrupted = 0;
} // namespace

static void onInterrupt(int) { Interrupted = 1; }

static double monotonicSeconds() {
  timespec Now = {};
  clock_gettime(CLOCK_MONOTONIC, &Now);
  return static_cast<double>(Now.tv_sec) +
         static_cast<double>(Now.tv_nsec) * 1e-9;
}

static Expected<Reading> readNow() {
  Expected<Profile> P = loadProfile(Input);
  if (!P)
    return P.takeError();
  Reading R;
  R.Sites.add(*P, {/*Histograms=*/false});
  R.Epoch = P->Epoch;
  R.Open = P->State == format::FileState::Open;
  R.Seconds = monotonicSeconds();
  for (const Lane &L : P->Lanes) {
    format::Slot Slot = L.Record.CurrentSlot;
    if (Slot == format::NoSlot || L.Record.State != format::LaneState::Live)
      continue;
    uint32_t S = R.Sites.siteOfSlot(Slot);
    if (S == NoIndex)
      continue;
    std::string Text = L.name() + ": " + R.Sites.kind(S).str();
    std::string Module = R.Sites.modulePath(S);
    if (!Module.empty())
      Text += " in " + Module;
    double Since = R.Sites.clock().monotonicNs(L.Record.CurrentTicks);
    double Open = R.Seconds * 1e9 - Since;
    // A file from another machine or boot has another clock.
    if (R.Open && Since >= 0 && Open >= 0 && Open < 1e9 * 86400)
      Text += " for " + formatTime(Open);
    R.InFlight.push_back(std::move(Text));
  }
  return R;
}

/// What happened since \p Before; since the start if there is none or the
/// cells were reset in between.
static std::vector<TopRow> changes(const Reading &Now, const Reading *Before,
                                   const Selection &Selected) {
  bool Comparable = Before && Before->Epoch == Now.Epoch &&
                    Before->Sites.size() <= Now.Sites.size();
  std::vector<TopRow> Rows;
  const SiteTable &Sites = Now.Sites;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!Selected.matches(Sites, S))
      continue;
    TopRow R = {S, Sites.measured(S).Count,
                Sites.clock().toNs(static_cast<double>(Sites.total(S))),
                Sites.clock().toNs(static_cast<double>(Sites.self(S)))};
    if (Comparable && S < Before->Sites.size()) {
      const SiteTable &Old = Before->Sites;
      R.Calls -= std::min(R.Calls, Old.measured(S).Count);
      R.SumNs -= Old.clock().toNs(static_cast<double>(Old.total(S)));
      R.SelfNs -= Old.clock().toNs(static_cast<double>(Old.self(S)));
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

static void print(const Reading &Now, const Reading *Before,
                  const Selection &Selected, raw_ostream &OS) {
  using Column = TableColumn;
  double Seconds = Before ? Now.Seconds - Before->Seconds : 0;
  Table T;
  T.Columns = {Column::text("kind", "kind", Shorten::KeepStart),
               Column::text("name", "name", Shorten::KeepStart),
               Column::text("module", "module"),
               Column::count("calls", "calls"),
               Column::number("calls_per_s", "calls/s", 1),
               Column::time("mean_ns", "mean"),
               Column::percent("pct_self", "% self")};
  std::vector<TopRow> Rows = changes(Now, Before, Selected);
  double All = 0;
  for (const TopRow &R : Rows)
    if (!Now.Sites[R.Site].isRegion())
      All += R.SelfNs;
  for (const TopRow &R :
       ArrayRef(Rows).take_front(rowLimit(Now.InFlight.size()))) {
    auto Calls = static_cast<double>(R.Calls);
    T.Rows.push_back(
        {Value::text(Now.Sites.kind(R.Site)),
         Value::text(Now.Sites.name(R.Site)),
         Value::text(Now.Sites.modulePath(R.Site)), Value::count(R.Calls),
         Seconds > 0 ? Value::number(ValueType::Number, Calls / Seconds)
                     : Value(),
         Value::timeNs(R.SumNs / Calls),
         Now.Sites[R.Site].isRegion() || All <= 0
             ? Value()
             : Value::percent(100 * R.SelfNs / All)});
  }
  OS << "torchprof-report top " << Input << ": ";
  if (Before)
    OS << "the last " << formatTime(Seconds * 1e9) << '\n';
  else
    OS << "since the start\n";
  for (const std::string &Text : Now.InFlight)
    OS << Text << '\n';
  if (Now.InFlight.empty())
    OS << "no thread is in a node\n";
  OS << '\n';
  PrintOptions Options;
  Options.Width = terminalWidth();
  Options.Colors = terminalColors();
  printDocument({{T}}, Options, OS);
}

/// Waits, but not longer than until Ctrl-C.
static void wait(double Seconds) {
  double End = monotonicSeconds() + Seconds;
  while (!Interrupted && monotonicSeconds() < End)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

static Expected<Outcome> run() {
  if (!(Interval > 0))
    return createStringError(inconvertibleErrorCode(),
                             "--interval: expected more than 0 seconds");
  Expected<Reading> First = readNow();
  if (!First)
    return First.takeError();
  Expected<Selection> Selected = Choice.select(First->Sites);
  if (!Selected)
    return Selected.takeError();
  if (Once) {
    print(*First, nullptr, *Selected, outs());
    return Outcome::Fine;
  }
  std::signal(SIGINT, onInterrupt);
  std::signal(SIGTERM, onInterrupt);
  bool Terminal = isatty(STDOUT_FILENO);
  if (Terminal)
    outs() << "\033[?25l"; // hide the cursor
  Reading Last = std::move(*First);
  Optional<Error> Failure;
  print(Last, nullptr, *Selected, outs());
  outs().flush();
  while (!Interrupted && Last.Open) {
    wait(Interval);
    if (Interrupted)
      break;
    Expected<Reading> Now = readNow();
    if (!Now) {
      Failure = Now.takeError();
      break;
    }
    outs() << (Terminal ? "\033[H\033[J" : "\n");
    print(*Now, &Last, *Selected, outs());
    outs().flush();
    Last = std::move(*Now);
  }
  if (Terminal)
    outs() << "\033[?25h";
  if (Failure)
    return std::move(*Failure);
  if (!Last.Open)
    outs() << "the process has closed its profile\n";
  return Outcome::Fine;
}

static CommandRegistration Registration(Command, run, "top model.tprof");
