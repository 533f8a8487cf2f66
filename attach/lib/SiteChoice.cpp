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
  Options.Nodes = nodeChoiceOf(Asked.Nodes).value_or(Options.Nodes);
  Options.Level = granularityOf(Asked.Granularity).value_or(Options.Level);
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

std::optional<InstrumentOptions> sitesOfModel(uint64_t ModelId) {
  ManifestHead Head;
  std::string Error;
  if (!parseManifestHead(manifestOf(ModelId), Head, Error))
    return std::nullopt;
  return instrumentOptions(Head.Options);
}

std::optional<InstrumentOptions> chooseSites(const std::string &Name) {
  return choose([&](const std::string &Asked) { return Asked == Name; });
}

} // namespace torchprof
