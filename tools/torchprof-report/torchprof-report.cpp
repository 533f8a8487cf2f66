//===- torchprof-report.cpp - reads profiles, prints and exports them -----===//
//
// Each command and each exporter is one file that registers itself; this file
// only finds out which command was asked for. docs/torchprof-report.md is the
// manual.
//
//===----------------------------------------------------------------------===//

#include "Commands/Command.h"
#include "torchprof/ProfileFormat.h"

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

int main(int Argc, char **Argv) {
  InitLLVM Setup(Argc, Argv);
  cl::SetVersionPrinter(printVersion);
  // The parser would take a command it does not know for an argument.
  if (Argc > 1 && Argv[1][0] != '-' && !isCommand(Argv[1])) {
    WithColor::error(errs(), "torchprof-report")
        << "expected one of " << listOfCommands() << ", found '" << Argv[1]
        << "'\n";
    return ExitError;
  }
  // Given a stream, the parser returns false instead of exiting with 1.
  if (!cl::ParseCommandLineOptions(
          Argc, Argv, "Reads torchprof profiles, prints and exports them\n",
          &errs()))
    return ExitError;
  CommandFunction Run = chosenCommand();
  if (!Run) {
    WithColor::error(errs(), "torchprof-report")
        << "expected a command, found none; see torchprof-report --help\n";
    return ExitError;
  }
  Expected<Outcome> Result = Run();
  if (!Result) {
    WithColor::error(errs(), "torchprof-report")
        << toString(Result.takeError()) << '\n';
    return ExitError;
  }
  return *Result == Outcome::Finding ? ExitFinding : 0;
}
