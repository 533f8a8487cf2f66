//===- SiteChoice.cpp - what the process was asked to profile -------------===//

#include "SiteChoice.h"

#include "torch/Attach.h"

#include <torch/csrc/jit/api/function_impl.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include <unistd.h>

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

// Any model may still have a method that was asked for: that none had is known
// at the exit, and said by the process that ran the first one without.
static std::atomic<bool> HadMethod = false;
static const std::string *NoMethod = nullptr;
static pid_t NoMethodIn = 0;

/// Takes no lock: an exit may have interrupted who holds it.
static void warnOfNoMethod() {
  if (!HadMethod.load(std::memory_order_relaxed) && NoMethodIn == getpid())
    warnOfAttach(*NoMethod);
}

/// A model runs that has none of the methods \p Asked.
static void noteNoMethod(const std::vector<std::string> &Asked) {
  static std::atomic_flag IsNoted;
  if (IsNoted.test_and_set())
    return;
  std::string Names;
  for (const std::string &Name : Asked)
    Names += (Names.empty() ? "'" : " or '") + Name + "'";
  NoMethod = new std::string("no model that ran has a method " + Names);
  NoMethodIn = getpid();
  std::atexit(warnOfNoMethod);
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
  std::vector<std::string> Methods = splitAtCommas(Asked.Methods);
  std::copy_if(Methods.begin(), Methods.end(),
               std::back_inserter(Options.Methods), Stands);
  if (!Methods.empty() && Options.Methods.empty()) {
    noteNoMethod(Methods);
    return std::nullopt;
  }
  HadMethod.store(true, std::memory_order_relaxed);
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
