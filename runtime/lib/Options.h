//===- Options.h - what the environment and the host ask for ----*- C++ -*-===//
//
// Values come from Options.def's defaults, then the environment, then
// torchprof_set_option(). A bad value is named once, with what is allowed,
// and the default stays. Not thread-safe: the process lock guards it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_OPTIONS_H
#define TORCHPROF_OPTIONS_H

#include "Schedule.h"

#include <optional>
#include <string>
#include <string_view>

namespace torchprof {

// The types of options, by the names that Options.def uses.
using SwitchOption = bool;
using TextOption = std::string;
using FileOption = std::string;
using ChoiceOption = std::string;
using WordsOption = std::string;
using NumberOption = uint64_t;
struct PlanOption : Schedule {
  std::string Text;
};

struct Options {
#define TORCHPROF_OPTION(TYPE, NAME, MEMBER, DEFAULT, ALLOWED, HELP)           \
  TYPE##Option MEMBER{};
#include "Options.def"

  /// All options at their defaults.
  Options();

  /// Sets one option by its name in Options.def. Returns false, and changes
  /// nothing, if there is no such option or the value is not allowed.
  bool set(std::string_view Name, std::string_view Value);

  /// Applies the variables TORCHPROF and TORCHPROF_*; warns of unknown ones.
  void readEnvironment(const char *const *Environment);
};

/// What the option may be, for messages; null if there is no such option.
const char *allowedValues(std::string_view Name);

/// What a message names of a value that an option may not be: the first unknown
/// one of several words, else all of it.
std::string_view refusedPart(std::string_view Name, std::string_view Value);

/// True if \p List, words joined by commas, holds \p Word.
bool hasWord(std::string_view List, std::string_view Word);

/// N if \p File is `fd:N`.
std::optional<int> descriptorOf(std::string_view File);

/// Name of the environment variable of an option.
std::string environmentName(std::string_view Option);

/// One line per option: what TORCHPROF=help prints.
std::string optionsHelp();

} // namespace torchprof

#endif // TORCHPROF_OPTIONS_H
