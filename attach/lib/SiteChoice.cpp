//===- SiteChoice.cpp - what the process was asked to profile -------------===//

#include "SiteChoice.h"

#include "torch/Attach.h"

#include <torch/csrc/jit/api/function_impl.h>

#include <algorithm>
#include <sstream>

namespace torchprof {

using namespace torch::jit;

bool isOwnFunction(const c10::ClassType &Class, const std::string &Name) {
  auto HasName = [&](Function *F) {
    return F->name() == Name && tryToGraphFunction(*F);
  };
  for (const std::vector<Function *> *List :
       {&Class.methods(), &Class.getForwardHooks(),
        &Class.getForwardPreHooks()})
    if (std::any_of(List->begin(), List->end(), HasName))
      return true;
  return false;
}

static std::vector<std::string> splitAtCommas(const std::string &Text) {
  std::vector<std::string> Words;
  std::istringstream In(Text);
  for (std::string Word; std::getline(In, Word, ',');)
    if (!Word.empty())
      Words.push_back(Word);
  return Words;
}

/// The options with those of the method names that \p Stands accepts.
template <typename Predicate>
static std::optional<InstrumentOptions> choose(Predicate Stands) {
  AttachOptions Asked = attachOptions();
  if (!Asked.Attach)
    return std::nullopt;
  InstrumentOptions Options;
  Options.Nodes = Asked.Nodes == "all" ? NodeChoice::All : NodeChoice::Default;
  Options.Level =
      Asked.Granularity == "module" ? Granularity::Module : Granularity::Op;
  Options.Include = splitAtCommas(Asked.Include);
  Options.Exclude = splitAtCommas(Asked.Exclude);
  Options.Methods = splitAtCommas(Asked.Methods);
  bool All = Options.Methods.empty();
  std::erase_if(Options.Methods,
                [&](const std::string &Name) { return !Stands(Name); });
  if (!All && Options.Methods.empty())
    return std::nullopt;
  return Options;
}

std::optional<InstrumentOptions> chooseSites(const c10::ClassType &Class) {
  return choose(
      [&](const std::string &Name) { return isOwnFunction(Class, Name); });
}

std::vector<InstrumentOptions> originalChoices(const c10::ClassType &Class) {
  std::vector<std::string> Kept;
  bool All = true;
  for (Function *F : Class.methods()) {
    std::string Name = F->name();
    if (Name.starts_with(OriginalPrefix))
      continue;
    if (Class.findMethod(OriginalPrefix + Name))
      Kept.push_back(std::move(Name));
    else
      All = false;
  }
  std::vector<InstrumentOptions> Choices;
  for (bool Named : {false, true})
    for (NodeChoice Nodes : {NodeChoice::Default, NodeChoice::All})
      for (Granularity Level : {Granularity::Op, Granularity::Module}) {
        if (!Named && !All)
          continue;
        InstrumentOptions Choice;
        Choice.Nodes = Nodes;
        Choice.Level = Level;
        if (Named)
          Choice.Methods = Kept;
        Choices.push_back(std::move(Choice));
      }
  return Choices;
}

std::optional<InstrumentOptions> chooseSites(const std::string &Name) {
  return choose([&](const std::string &Asked) { return Asked == Name; });
}

} // namespace torchprof
