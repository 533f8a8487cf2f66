//===- torchprof-report.cpp - reads profiles, prints and exports them -----===//
//
// Each command and each exporter is one file that registers itself; this file
// only finds out which command was asked for. docs/torchprof-report.md is the
// manual.
//
//===----------------------------------------------------------------------===//

#include "../common/Help.h"
#include "Commands/Command.h"
#include "Report/Printable.h"
#include "torchprof/format/Records.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static constexpr int ExitFinding = 1;
static constexpr int ExitError = 2;

static void printVersion(raw_ostream &OS) {
  OS << "torchprof-report " TORCHPROF_VERSION ", profile format "
     << torchprof::format::FormatVersion << '\n';
}

/// What --help begins with: examples, of one command if one was given.
static std::string overview(StringRef Command) {
  std::string Text = "torchprof-report: print and export profiles\n\n";
  for (StringRef Name : {"summary", "tree", "diff", "export"})
    if (!isCommand(Command))
      Text += ("  torchprof-report " + exampleOf(Name) + "\n").str();
  if (isCommand(Command))
    Text += ("  torchprof-report " + exampleOf(Command) + "\n").str();
  return Text;
}

int main(int Argc, char **Argv) {
  InitLLVM Setup(Argc, Argv);
  cl::SetVersionPrinter(printVersion);
  // The parser would take a command it does not know for an argument.
  if (Argc > 1 && Argv[1][0] != '-' && !isCommand(Argv[1])) {
    WithColor::error(errs(), "torchprof-report")
        << "unknown command '" << printable(Argv[1]) << "'; there are "
        << listOfCommands() << '\n';
    return ExitError;
  }
  arrangeHelp();
  // Given a stream, the parser returns false instead of exiting with 1.
  if (!cl::ParseCommandLineOptions(Argc, Argv,
                                   overview(Argc > 1 ? Argv[1] : ""), &errs()))
    return ExitError;
  CommandFunction Run = chosenCommand();
  if (!Run) {
    WithColor::error(errs(), "torchprof-report")
        << "no command given; see torchprof-report --help\n";
    return ExitError;
  }
  Expected<Outcome> Result = Run();
  if (!Result) {
    WithColor::error(errs(), "torchprof-report")
        << printable(toString(Result.takeError())) << '\n';
    return ExitError;
  }
  return *Result == Outcome::Finding ? ExitFinding : 0;
}
