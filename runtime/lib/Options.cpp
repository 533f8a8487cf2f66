//===- Options.cpp - what the environment and the host ask for ------------===//

#include "Options.h"
#include "Warn.h"
#include "system/WriteSignals.h"

#include <bit>
#include <charconv>
#include <cstdio>

namespace torchprof {

//===----------------------------------------------------------------------===//
// Parsing, one function per type of option
//===----------------------------------------------------------------------===//

/// Cuts the first of the words joined by commas off \p List.
static std::string_view takeWord(std::string_view &List) {
  size_t Comma = List.find(',');
  std::string_view Word = List.substr(0, Comma);
  List.remove_prefix(Comma == std::string_view::npos ? List.size() : Comma + 1);
  while (Word.starts_with(' '))
    Word.remove_prefix(1);
  return Word;
}

bool hasWord(std::string_view List, std::string_view Word) {
  while (!List.empty())
    if (takeWord(List) == Word)
      return true;
  return false;
}

std::optional<int> descriptorOf(std::string_view File) {
  constexpr std::string_view Prefix = "fd:";
  if (!File.starts_with(Prefix))
    return std::nullopt;
  File.remove_prefix(Prefix.size());
  int Number = 0;
  auto [End, Error] =
      std::from_chars(File.data(), File.data() + File.size(), Number);
  if (Error != std::errc() || End != File.data() + File.size() || Number < 0)
    return std::nullopt;
  return Number;
}

static bool parseSwitch(std::string_view Value, std::string_view,
                        bool &Result) {
  if (Value == "on" || Value == "1" || Value == "true")
    return Result = true, true;
  if (Value == "off" || Value == "0" || Value == "false")
    return Result = false, true;
  return false;
}

static bool parseText(std::string_view Value, std::string_view,
                      std::string &Result) {
  if (!Value.empty())
    Result = Value;
  return !Value.empty();
}

/// A file whose name begins with `fd:` has a path too: ./fd:x.
static bool parseFile(std::string_view Value, std::string_view Allowed,
                      std::string &Result) {
  return (!Value.starts_with("fd:") || descriptorOf(Value)) &&
         parseText(Value, Allowed, Result);
}

static bool parseChoice(std::string_view Value, std::string_view Allowed,
                        std::string &Result) {
  if (!hasWord(Allowed, Value))
    return false;
  Result = Value;
  return true;
}

/// The first word of \p Value that is none of \p Allowed.
static std::optional<std::string_view> unknownWord(std::string_view Value,
                                                   std::string_view Allowed) {
  while (!Value.empty())
    if (std::string_view Word = takeWord(Value); !hasWord(Allowed, Word))
      return Word;
  return std::nullopt;
}

static bool parseWords(std::string_view Value, std::string_view Allowed,
                       std::string &Result) {
  if (unknownWord(Value, Allowed))
    return false;
  Result = Value;
  return true;
}

/// \p Allowed is "LEAST to MOST", perhaps with ", a power of two" behind it.
static bool parseNumber(std::string_view Value, std::string_view Allowed,
                        uint64_t &Result) {
  uint64_t Least = 0, Most = 0, Number = 0;
  const char *End = Allowed.data() + Allowed.size();
  const char *Middle = std::from_chars(Allowed.data(), End, Least).ptr;
  std::from_chars(Middle + std::string_view(" to ").size(), End, Most);
  bool Power = Allowed.find("power of two") != std::string_view::npos;
  auto [Last, Error] =
      std::from_chars(Value.data(), Value.data() + Value.size(), Number);
  if (Error != std::errc() || Last != Value.data() + Value.size() ||
      Number < Least || Number > Most ||
      (Power && !std::has_single_bit(Number)))
    return false;
  Result = Number;
  return true;
}

static bool parsePlan(std::string_view Value, std::string_view,
                      PlanOption &Result) {
  if (!parseSchedule(Value, Result))
    return false;
  Result.Text = Value;
  return true;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
struct Row {
  const char *Type, *Name, *Default, *Allowed, *Help;
  bool (*Set)(Options &To, std::string_view Value, const Row &Self);
};
} // namespace

static constexpr Row Rows[] = {
#define TORCHPROF_OPTION(TYPE, NAME, MEMBER, DEFAULT, ALLOWED, HELP)           \
  {#TYPE,                                                                      \
   #NAME,                                                                      \
   DEFAULT,                                                                    \
   ALLOWED,                                                                    \
   HELP,                                                                       \
   [](Options &To, std::string_view Value, const Row &Self) {                  \
     return parse##TYPE(Value, Self.Allowed, To.MEMBER);                       \
   }},
#include "Options.def"
};

static const Row *findRow(std::string_view Name) {
  for (const Row &R : Rows)
    if (Name == R.Name)
      return &R;
  return nullptr;
}

Options::Options() {
  for (const Row &R : Rows)
    R.Set(*this, R.Default, R);
}

bool Options::set(std::string_view Name, std::string_view Value) {
  const Row *R = findRow(Name);
  return R && R->Set(*this, Value, *R);
}

const char *allowedValues(std::string_view Name) {
  const Row *R = findRow(Name);
  return R ? R->Allowed : nullptr;
}

std::string_view refusedPart(std::string_view Name, std::string_view Value) {
  const Row *R = findRow(Name);
  if (!R || std::string_view(R->Type) != "Words")
    return Value;
  std::string_view Word = unknownWord(Value, R->Allowed).value_or("");
  return Word.empty() ? Value : Word;
}

std::string environmentName(std::string_view Option) {
  if (Option == "enabled")
    return "TORCHPROF";
  std::string Name = "TORCHPROF_";
  for (char C : Option)
    Name += C >= 'a' && C <= 'z' ? char(C - 'a' + 'A') : C;
  return Name;
}

std::string optionsHelp() {
  std::string Text = "torchprof: options of the runtime (variable=default: "
                     "allowed values)\n";
  for (const Row &R : Rows)
    Text += "  " + environmentName(R.Name) + "=" + R.Default + ": " +
            R.Allowed + "\n      " + R.Help + "\n";
  return Text;
}

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

/// Variables of the same prefix that are meant for others: the build's.
static constexpr std::string_view ForeignVariables =
    "TORCHPROF_HOME,TORCHPROF_TORCH";

static const Row *rowOfVariable(std::string_view Variable) {
  for (const Row &R : Rows)
    if (Variable == environmentName(R.Name))
      return &R;
  return nullptr;
}

static std::string knownVariables() {
  std::string List;
  for (const Row &R : Rows)
    List += (List.empty() ? "" : ", ") + environmentName(R.Name);
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
    const Row *R = rowOfVariable(Variable);
    if (!R) {
      if (!hasWord(ForeignVariables, Variable))
        warn("unknown variable %.*s, expected one of %s", int(Variable.size()),
             Variable.data(), knownVariables().c_str());
    } else if (Variable == "TORCHPROF" && Value == "help") {
      WriteSignalsBlock Block;
      fputs(optionsHelp().c_str(), stderr);
    } else if (!R->Set(*this, Value, *R)) {
      std::string_view Found = refusedPart(R->Name, Value);
      warn("%.*s: expected %s, found '%.*s'", int(Variable.size()),
           Variable.data(), R->Allowed, int(Found.size()), Found.data());
    }
  }
}

} // namespace torchprof
