//===- Command.h - the command that is recorded -----------------*- C++ -*-===//
//
// Runs a command as a shell would: its terminal, signals and exit code are its
// own.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_RECORD_COMMAND_H
#define TORCHPROF_RECORD_COMMAND_H

#include <string>
#include <vector>

namespace torchprof {

struct CommandResult {
  std::string Error; ///< why it could not be started; empty if it was
  int ExitCode = 0;
  int Signal = 0; ///< that ended it; 0 if it exited
};

/// Runs \p Words with the variables \p Environment, "NAME=value", beside this
/// process's own, and waits for its end. Signals that are sent to this process
/// meanwhile are sent on. Those that come later and mean an end wait until
/// releaseSignals(), and then end this process. To be called once.
CommandResult runCommand(const std::vector<std::string> &Words,
                         const std::vector<std::string> &Environment);

/// Lets signals end this process from now on.
void releaseSignals();

/// Ends this process as the command ended.
[[noreturn]] void endAs(const CommandResult &Result);

} // namespace torchprof

#endif // TORCHPROF_RECORD_COMMAND_H
