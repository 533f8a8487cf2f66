//===- Options.cpp - what the environment and the host ask for ------------===//

#include "Options.h"
#include "Warn.h"

#include <bit>
#include <charconv>
#include <cstdio>

namespace torchprof {

namespace {
struct Flag {
  const char *Name, *Default, *Allowed, *Help;
};
} // namespace

static constexpr Flag Flags[] = {
#define TORCHPROF_FLAG(NAME, DEFAULT, ALLOWED, HELP)                           \
  {#NAME, DEFAULT, ALLOWED, HELP},
#include "Flags.inc"
};

/// Variables of the same prefix that are meant for others: the build's.
static constexpr std::string_view ForeignVariables[] = {"TORCHPROF_HOME",
                                                        "TORCHPROF_TORCH"};

const char *allowedValues(std::string_view Name) {
  for (const Flag &F : Flags)
    if (Name == F.Name)
      return F.Allowed;
  return nullptr;
}

std::string environmentName(std::string_view Option) {
  if (Option == "enabled")
    return "TORCHPROF";
  std::string Name = "TORCHPROF_";
  for (char C : Option)
    Name += C >= 'a' && C <= 'z' ? char(C - 'a' + 'A') : C;
  return Name;
}

static bool parseSwitch(std::string_view Value, bool &Result) {
  if (Value == "on" || Value == "1" || Value == "true")
    return Result = true, true;
  if (Value == "off" || Value == "0" || Value == "false")
    return Result = false, true;
  return false;
}

static bool parseChoice(std::string_view Value, std::string_view No,
                        std::string_view Yes, bool &Result) {
  if (Value != No && Value != Yes)
    return false;
  Result = Value == Yes;
  return true;
}

std::string optionsHelp() {
  std::string Text = "torchprof: options of the runtime (variable=default: "
                     "allowed values)\n";
  for (const Flag &F : Flags)
    Text += "  " + environmentName(F.Name) + "=" + F.Default + ": " +
            F.Allowed + "\n      " + F.Help + "\n";
  return Text;
}

std::string optionsPage() {
  std::string Text =
      "# Options of the runtime\n\n"
      "<!-- Made from runtime/lib/Flags.inc; UPDATE_DOCS=1 and the test\n"
      "Options.DocumentationIsMadeFromTheTable write it anew. -->\n\n"
      "Each option is a variable of the environment, read once: when the first "
      "model\nis loaded, at the first probe or at the first call of the "
      "interface. The host may\nset the same options with "
      "`torchprof_set_option(name, value)`, which wins.\nAn unknown "
      "`TORCHPROF_` variable or a value that is not allowed is one warning\n"
      "line, and the default stays. `TORCHPROF=help` prints this list and "
      "records as\nusual. Switches also take `1`, `0`, `true` and `false`.\n\n"
      "| Variable | Name | Default | Allowed | Meaning |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const Flag &F : Flags) {
    std::string Default = F.Default;
    Text += "| `" + environmentName(F.Name) + "` | `" + F.Name + "` | " +
            (Default.empty() ? "none" : "`" + Default + "`") + " | " +
            F.Allowed + " | " + F.Help + ". |\n";
  }
  return Text;
}

bool Options::set(std::string_view Name, std::string_view Value) {
  if (Name == "enabled")
    return parseSwitch(Value, Enabled);
  if (Name == "lower")
    return parseSwitch(Value, Lower);
  if (Name == "mode")
    return parseChoice(Value, "aggregate", "trace", Trace);
  if (Name == "trace_keep")
    return parseChoice(Value, "last", "first", KeepFirst);
  if (Name == "clock") {
    if (Value != "auto" && Value != "tsc" && Value != "monotonic")
      return false;
    Clock = Value;
    return true;
  }
  if (Name == "file") {
    if (Value.empty())
      return false;
    File = Value;
    return true;
  }
  if (Name == "trace_events") {
    uint64_t Number = 0;
    auto [End, Error] =
        std::from_chars(Value.data(), Value.data() + Value.size(), Number);
    if (Error != std::errc() || End != Value.data() + Value.size() ||
        Number < 16 || Number > (1u << 24) || !std::has_single_bit(Number))
      return false;
    TraceEvents = Number;
    return true;
  }
  if (Name == "schedule") {
    Schedule Parsed;
    if (!parseSchedule(Value, Parsed))
      return false;
    Plan = Parsed;
    ScheduleText = Value;
    return true;
  }
  return false;
}

static std::string knownVariables() {
  std::string List;
  for (const Flag &F : Flags)
    List += (List.empty() ? "" : ", ") + environmentName(F.Name);
  return List;
}

void Options::readEnvironment(const char *const *Environment) {
  for (; Environment && *Environment; ++Environment) {
    std::string_view Entry = *Environment;
    size_t Equal = Entry.find('=');
    std::string_view Variable = Entry.substr(0, Equal);
    if (Equal == std::string_view::npos ||
        (Variable != "TORCHPROF" && !Variable.starts_with("TORCHPROF_")))
      continue;
    std::string_view Value = Entry.substr(Equal + 1);
    const Flag *Known = nullptr;
    for (const Flag &F : Flags)
      if (Variable == environmentName(F.Name))
        Known = &F;
    if (!Known) {
      bool Foreign = false;
      for (std::string_view Name : ForeignVariables)
        Foreign |= Variable == Name;
      if (!Foreign)
        warn("unknown variable %.*s, expected one of %s", int(Variable.size()),
             Variable.data(), knownVariables().c_str());
    } else if (Variable == "TORCHPROF" && Value == "help") {
      fputs(optionsHelp().c_str(), stderr);
    } else if (!set(Known->Name, Value)) {
      warn("%.*s: expected %s, found '%.*s'", int(Variable.size()),
           Variable.data(), Known->Allowed, int(Value.size()), Value.data());
    }
  }
}

} // namespace torchprof
