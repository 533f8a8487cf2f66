//===- SiteChoice.cpp - what the process was asked to profile -------------===//

#include "SiteChoice.h"

#include "torch/Attach.h"
#include "torch/TableLock.h"

#include <torch/csrc/jit/api/function_impl.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <list>
#include <sstream>
#include <utility>

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

namespace {
/// A glob of the process's options.
struct Filter {
  Filter(const char *Option, std::string Glob)
      : Option(Option), Glob(std::move(Glob)) {}
  const char *Option;
  std::string Glob;
  std::atomic<bool> IsUsed = false; ///< a node has matched it
};
} // namespace

static std::list<Filter> *Filters = nullptr; // outlives the exit
static pid_t FiltersIn = 0;
static std::atomic<bool> AreFiltersKnown = true;

/// Takes no lock, as above.
static void warnOfUnusedFilters() {
  if (!AreFiltersKnown.load(std::memory_order_relaxed) || FiltersIn != getpid())
    return;
  std::string Unused;
  for (const Filter &F : *Filters)
    if (!F.IsUsed.load(std::memory_order_relaxed))
      Unused.append(Unused.empty() ? "" : " or ")
          .append(F.Option)
          .append("='")
          .append(F.Glob)
          .append("'");
  if (!Unused.empty())
    warnOfAttach("no site of a model that ran matches " + Unused);
}

/// The process's filters, which are the same for all models.
static std::list<Filter> &filtersOf(const InstrumentOptions &Choice) {
  TableLock Lock;
  if (Filters)
    return *Filters;
  Filters = new std::list<Filter>;
  for (const std::string &Glob : Choice.Include)
    Filters->emplace_back("--include", Glob);
  for (const std::string &Glob : Choice.Exclude)
    Filters->emplace_back("--exclude", Glob);
  FiltersIn = getpid();
  std::atexit(warnOfUnusedFilters);
  return *Filters;
}

/// True if a site matches, or a node that a filter has kept from being one.
static bool isUsed(const std::string &Glob, const SiteNumbering &Numbering) {
  // Kinds and paths alike.
  auto MatchesName = [&](const std::string &Name) {
    return matchesGlob(Glob, Name, Name);
  };
  const Manifest &Table = Numbering.Table;
  // Methods, which have no parent, are subject to no filter.
  auto IsMatch = [&](const ManifestSite &Site) {
    return Site.Parent != NoIndex && matchesGlob(Glob, Table.string(Site.Kind),
                                                 Table.modulePath(Site.Scope));
  };
  return std::any_of(Numbering.FilteredNames.begin(),
                     Numbering.FilteredNames.end(), MatchesName) ||
         std::any_of(Table.Sites.begin(), Table.Sites.end(), IsMatch);
}

void noteFilters(const InstrumentOptions &Choice,
                 const SiteNumbering &Numbering) {
  if (Choice.Include.empty() && Choice.Exclude.empty())
    return;
  for (Filter &F : filtersOf(Choice))
    if (!F.IsUsed.load(std::memory_order_relaxed) && isUsed(F.Glob, Numbering))
      F.IsUsed.store(true, std::memory_order_relaxed);
}

void noteUnknownFilters() {
  AreFiltersKnown.store(false, std::memory_order_relaxed);
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

/// Says, once, which filters an instrumented model with the sites \p Own is
/// not subject to.
static void warnOfOwnSites(const InstrumentOptions &Own) {
  AttachOptions Asked = attachOptions();
  std::string Others;
  auto Compare = [&](const char *Option, const std::string &Words,
                     const std::vector<std::string> &Has) {
    if (!Words.empty() && splitAtCommas(Words) != Has)
      Others.append(Others.empty() ? "" : ", ").append(Option);
  };
  Compare("--include", Asked.Include, Own.Include);
  Compare("--exclude", Asked.Exclude, Own.Exclude);
  Compare("--methods", Asked.Methods, Own.Methods);
  static std::atomic_flag IsSaid;
  if (!Others.empty() && !IsSaid.test_and_set())
    warnOfAttach("an instrumented model keeps the sites that torchprof-opt "
                 "gave it, whatever the process is asked for: " +
                 Others);
}

std::optional<InstrumentOptions> sitesOfModel(uint64_t ModelId) {
  ManifestHead Head;
  std::string Error;
  if (!parseManifestHead(manifestOf(ModelId), Head, Error))
    return std::nullopt;
  std::optional<InstrumentOptions> Own = instrumentOptions(Head.Options);
  if (Own)
    warnOfOwnSites(*Own);
  return Own;
}

std::optional<InstrumentOptions> chooseSites(const std::string &Name) {
  return choose([&](const std::string &Asked) { return Asked == Name; });
}

} // namespace torchprof
