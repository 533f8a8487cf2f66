//===- CommandLine.cpp - one command line, from words to exit code --------===//

#include "CommandLine.h"
#include "../../common/Help.h"
#include "../../common/StandardOutput.h"
#include "../Report/Printable.h"
#include "Command.h"
#include "Options.h"

#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static constexpr int ExitFinding = 1;
static constexpr int ExitError = 2;

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

int report::runCommandLine(ArrayRef<const char *> Words) {
  StringRef First = Words.size() > 1 ? Words[1] : "";
  // The parser would take a command it does not know for an argument.
  if (Words.size() > 1 && !First.startswith("-") && !isCommand(First)) {
    WithColor::error(errs(), "torchprof-report")
        << "unknown command '" << printable(First) << "'; there are "
        << listOfCommands() << '\n';
    return ExitError;
  }
  arrangeHelp();
  cl::ResetAllOptionOccurrences();
  forgetInputs();
  // Given a stream, the parser returns false instead of exiting with 1.
  if (!cl::ParseCommandLineOptions(Words.size(), Words.data(), overview(First),
                                   &errs()))
    return ExitError;
  CommandFunction Run = chosenCommand();
  if (!Run) {
    WithColor::error(errs(), "torchprof-report")
        << "no command given; see torchprof-report --help\n";
    return ExitError;
  }
  Expected<Outcome> Result = Run();
  if (Error Failed = joinErrors(Result.takeError(), flushStandardOutput())) {
    handleAllErrors(std::move(Failed), [](const ErrorInfoBase &E) {
      WithColor::error(errs(), "torchprof-report")
          << printable(E.message()) << '\n';
    });
    return ExitError;
  }
  return *Result == Outcome::Finding ? ExitFinding : 0;
}
