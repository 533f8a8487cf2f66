//===- CommandLine.cpp - one command line, from words to exit code --------===//

#include "CommandLine.h"
#include "../../common/Help.h"
#include "../../common/Messages.h"
#include "../../common/StandardOutput.h"
#include "Command.h"
#include "Options.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

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
  if (Words.size() > 1 && !First.startswith("-") && !isCommand(First))
    return reportError("unknown command '" + First + "'; there are " +
                       listOfCommands());
  arrangeHelp();
  cl::ResetAllOptionOccurrences();
  forgetInputs();
  // Given a stream, the parser returns false instead of exiting with 1.
  if (!cl::ParseCommandLineOptions(Words.size(), Words.data(), overview(First),
                                   &errs()))
    return ExitInput;
  CommandFunction Run = chosenCommand();
  if (!Run)
    return reportError("no command given; see torchprof-report --help");
  Expected<Outcome> Result = Run();
  if (Error Failed = joinErrors(Result.takeError(), flushStandardOutput())) {
    handleAllErrors(std::move(Failed),
                    [](const ErrorInfoBase &E) { reportError(E.message()); });
    return ExitInput;
  }
  return *Result == Outcome::Finding ? ExitFinding : ExitFine;
}
