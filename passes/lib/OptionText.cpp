//===- OptionText.cpp - what chose the sites, as text ---------------------===//

#include "torchprof/Passes.h"

#include <utility>

namespace torchprof {

static constexpr std::pair<std::string_view, NodeChoice> NodeChoices[] = {
    {"default", NodeChoice::Default},
    {"all", NodeChoice::All},
};

static constexpr std::pair<std::string_view, Granularity> Granularities[] = {
    {"op", Granularity::Op},
    {"module", Granularity::Module},
};

/// An option that may be given more than once.
static constexpr struct {
  std::string_view Name;
  std::vector<std::string> InstrumentOptions::*Values;
} Lists[] = {
    {"include", &InstrumentOptions::Include},
    {"exclude", &InstrumentOptions::Exclude},
    {"methods", &InstrumentOptions::Methods},
};

template <typename T, size_t N>
static std::optional<T>
enumeratorOf(const std::pair<std::string_view, T> (&Words)[N],
             std::string_view Word) {
  for (const auto &[Spelling, Enumerator] : Words)
    if (Spelling == Word)
      return Enumerator;
  return std::nullopt;
}

std::optional<NodeChoice> nodeChoiceOf(std::string_view Word) {
  return enumeratorOf(NodeChoices, Word);
}

std::optional<Granularity> granularityOf(std::string_view Word) {
  return enumeratorOf(Granularities, Word);
}

template <typename T, size_t N>
static void addWord(std::vector<ManifestOption> &To, const char *Name,
                    const std::pair<std::string_view, T> (&Words)[N], T Value) {
  for (const auto &[Word, Enumerator] : Words)
    if (Enumerator == Value && Value != T())
      To.push_back({Name, std::string(Word)});
}

std::vector<ManifestOption> manifestOptions(const InstrumentOptions &Options) {
  std::vector<ManifestOption> Result;
  addWord(Result, "nodes", NodeChoices, Options.Nodes);
  addWord(Result, "granularity", Granularities, Options.Level);
  for (const auto &List : Lists)
    for (const std::string &Value : Options.*List.Values)
      Result.push_back({std::string(List.Name), Value});
  return Result;
}

/// Sets the option in \p To; false if there is no such option or value.
static bool apply(const ManifestOption &Option, InstrumentOptions &To) {
  auto Assign = [](auto &Field, auto Value) {
    if (Value)
      Field = *Value;
    return Value.has_value();
  };
  if (Option.Name == "nodes")
    return Assign(To.Nodes, nodeChoiceOf(Option.Value));
  if (Option.Name == "granularity")
    return Assign(To.Level, granularityOf(Option.Value));
  for (const auto &List : Lists)
    if (List.Name == Option.Name) {
      (To.*List.Values).push_back(Option.Value);
      return true;
    }
  return false;
}

std::optional<InstrumentOptions>
instrumentOptions(const std::vector<ManifestOption> &Options) {
  InstrumentOptions Result;
  for (const ManifestOption &Option : Options)
    if (!apply(Option, Result))
      return std::nullopt;
  return Result;
}

} // namespace torchprof
