//===- Command.h - the registry of commands ---------------------*- C++ -*-===//
//
// A command is one file: a cl::SubCommand, its options, a function, and one
// CommandRegistration that ties them together.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_COMMAND_H
#define TORCHPROF_REPORT_COMMAND_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <functional>

namespace torchprof::report {

/// What a command found, for the exit code: Finding is 1.
enum class Outcome { Fine, Finding };

using CommandFunction = std::function<llvm::Expected<Outcome>()>;

/// A command registered by a static object. \p Example is a command line
/// without the tool's name, for --help.
struct CommandRegistration {
  CommandRegistration(llvm::cl::SubCommand &Command, CommandFunction Run,
                      const char *Example);
};

/// True if there is a command with this name.
bool isCommand(llvm::StringRef Name);

/// The example of the command with this name; empty if there is none.
llvm::StringRef exampleOf(llvm::StringRef Name);

/// Names of all commands: "annotate, check, ..."
std::string listOfCommands();

/// The function of the subcommand that was chosen on the command line; empty
/// if none was.
CommandFunction chosenCommand();

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_COMMAND_H
