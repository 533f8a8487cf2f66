//===- Options.h - what the environment and the host ask for ----*- C++ -*-===//
//
// Values come from Flags.inc's defaults, then the environment, then
// torchprof_set_option(). A bad value is named once, with what is allowed,
// and the default stays. Not thread-safe: the collector's lock guards it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_OPTIONS_H
#define TORCHPROF_OPTIONS_H

#include "Schedule.h"

#include <string>
#include <string_view>

namespace torchprof {

struct Options {
  std::string File = "torchprof-%p.tprof";
  std::string Clock = "auto";
  std::string ScheduleText;
  Schedule Plan; ///< parsed ScheduleText
  uint64_t TraceEvents = 65536;
  bool Enabled = true;
  bool Lower = true;
  bool Trace = false;
  bool KeepFirst = false;

  /// Sets one option by its name in Flags.inc. Returns false, and changes
  /// nothing, if there is no such option or the value is not allowed.
  bool set(std::string_view Name, std::string_view Value);

  /// Applies the variables TORCHPROF and TORCHPROF_*; warns of unknown ones.
  void readEnvironment(const char *const *Environment);
};

/// What the option may be, for messages; null if there is no such option.
const char *allowedValues(std::string_view Name);

/// Name of the environment variable of an option.
std::string environmentName(std::string_view Option);

/// One line per option: what TORCHPROF=help prints.
std::string optionsHelp();

/// docs/runtime-options.md.
std::string optionsPage();

} // namespace torchprof

#endif // TORCHPROF_OPTIONS_H
