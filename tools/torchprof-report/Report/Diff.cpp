//===- Diff.cpp - two profiles side by side -------------------------------===//

#include "Diff.h"
#include "Rows.h"
#include "Statistics.h"
#include "Totals.h"

#include <cmath>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

StringRef report::changeName(Change C) {
  switch (C) {
  case Change::Same:
    return "same";
  case Change::Slower:
    return "slower";
  case Change::Faster:
    return "faster";
  case Change::Added:
    return "added";
  case Change::Removed:
    return "removed";
  }
  return "";
}

using IdAndClass = std::pair<uint64_t, std::string>;

/// The models of which a site was reached, in the table's order. A function's
/// class is its name.
static std::vector<IdAndClass> reachedModels(const SiteTable &Sites) {
  std::set<const Manifest *> Reached;
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Sites.reached(S))
      Reached.insert(Sites.manifest(S));
  std::vector<IdAndClass> Models;
  for (const auto &[First, Table] : Sites.models()) {
    if (!Reached.count(Table.get()))
      continue;
    StringRef Class = Sites.className(First);
    Models.emplace_back(Table->ModelId,
                        (Class.empty() ? Sites.name(First) : Class).str());
  }
  return Models;
}

ModelsInKeys report::modelsInKeys(const SiteTable &A, const SiteTable &B) {
  std::vector<IdAndClass> Before = reachedModels(A), After = reachedModels(B);
  bool AreNeeded = Before.size() > 1 || After.size() > 1;
  ModelsInKeys Names;
  for (const std::vector<IdAndClass> *Models : {&Before, &After}) {
    std::set<std::string> Taken;
    for (const IdAndClass &M : *Models)
      if (auto Known = Names.find(M.first); Known != Names.end())
        Taken.insert(Known->second);
    std::map<std::string, unsigned> Numbers; // by class
    for (const auto &[Id, Class] : *Models) {
      auto [It, IsNew] = Names.try_emplace(Id);
      if (!IsNew || !AreNeeded)
        continue;
      std::string &Name = It->second;
      unsigned &Number = Numbers[Class];
      do
        Name = ++Number == 1 ? Class : Class + "#" + std::to_string(Number);
      while (!Taken.insert(Name).second);
    }
  }
  return Names;
}

/// True if a node was reached that lies in a module, or in none.
static bool reachesNodes(const SiteTable &Sites, bool InModules) {
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Sites.reached(S) && !Sites[S].Dynamic && !Sites[S].isRoot() &&
        Sites.modulePath(S).empty() != InModules)
      return true;
  return false;
}

bool report::comparesMethodsOnly(const SiteTable &A, const SiteTable &B) {
  bool HasModulesA = reachesNodes(A, /*InModules=*/true);
  bool HasModulesB = reachesNodes(B, /*InModules=*/true);
  return HasModulesA != HasModulesB &&
         reachesNodes(HasModulesA ? B : A, /*InModules=*/false);
}

namespace {
/// The reached sites of one table by key, and what they are measured against.
struct Side {
  const SiteTable &Sites;
  Totals All;
  std::vector<uint64_t> Runs; ///< by site, of roots
  std::map<SiteKey, uint32_t> ByKey;
  std::vector<SiteKey> Order;

  Side(const SiteTable &Sites, const Selection &Selected,
       const ModelsInKeys &Names)
      : Sites(Sites), All(makeTotals(Sites, Selection())), Runs(runsOf(Sites)) {
    // Made before the selection, so that it does not change the match.
    std::vector<SiteKey> Keys = siteKeys(Sites, Names);
    for (uint32_t S = 0; S < Sites.size(); ++S) {
      if (!Sites.reached(S) || !Selected.matches(Sites, S))
        continue;
      ByKey[Keys[S]] = S;
      Order.push_back(Keys[S]);
    }
  }

  double meanNs(uint32_t S) const {
    return Sites.clock().toNs(Sites.measured(S).mean());
  }
  double share(uint32_t S) const {
    return All.share(static_cast<double>(Sites.total(S)));
  }
  double perRunNs(uint32_t S) const {
    uint32_t Root = Sites[S].Root == NoIndex ? S : Sites[S].Root;
    // Some are in no run but of other methods.
    uint64_t Times = Runs[Root] ? Runs[Root] : Sites.measured(Root).Count;
    double Total = Sites.clock().toNs(static_cast<double>(Sites.total(S)));
    return Times ? Total / static_cast<double>(Times) : 0;
  }
  Moments moments(uint32_t S) const {
    const Aggregate &A = Sites.measured(S);
    double Rate = Sites.clock().nsPerTick();
    return {A.Count, A.mean() * Rate, A.squaredDeviations() * Rate * Rate};
  }
};

/// The same of each profile of a side.
struct EachSide {
  std::vector<Side> Profiles;

  EachSide(const DiffSide &D, const Selection &Selected,
           const ModelsInKeys &Names) {
    for (const SiteTable &Sites : D.Each)
      Profiles.emplace_back(Sites, Selected, Names);
  }

  /// Of the means in those profiles where a call of the site has ended.
  Moments moments(const SiteKey &Key) const {
    Moments M;
    std::vector<double> Means;
    for (const Side &S : Profiles)
      if (auto It = S.ByKey.find(Key);
          It != S.ByKey.end() && S.Sites.measured(It->second).Count)
        Means.push_back(S.meanNs(It->second));
    for (double Mean : Means)
      M.Mean += Mean / static_cast<double>(Means.size());
    for (double Mean : Means)
      M.SquaredDeviations += (Mean - M.Mean) * (Mean - M.Mean);
    M.Count = Means.size();
    return M;
  }
};
} // namespace

std::vector<DiffRow> report::diffProfiles(const DiffSide &A, const DiffSide &B,
                                          const Selection &Selected,
                                          const DiffOptions &Options) {
  ModelsInKeys Names = modelsInKeys(A.All, B.All);
  Side First(A.All, Selected, Names), Second(B.All, Selected, Names);
  bool ByProfile = comparesProfiles(A, B);
  EachSide EachFirst(A, Selected, Names), EachSecond(B, Selected, Names);
  bool MethodsOnly = comparesMethodsOnly(A.All, B.All);
  auto CanMatch = [&](const Site &S) {
    return !MethodsOnly || S.isRoot() || S.isOutside();
  };
  std::vector<DiffRow> Rows;
  size_t Tested = 0;
  for (const SiteKey &Key : First.Order) {
    DiffRow &R = Rows.emplace_back();
    R.A = First.ByKey[Key];
    R.MeanA = First.meanNs(R.A);
    R.Share = First.share(R.A);
    R.PerRun = -First.perRunNs(R.A);
    auto Match = Second.ByKey.find(Key);
    if (Match == Second.ByKey.end() || !CanMatch(A.All[R.A])) {
      R.What = Change::Removed;
      continue;
    }
    R.B = Match->second;
    R.MeanB = Second.meanNs(R.B);
    R.Share = std::max(R.Share, Second.share(R.B));
    R.PerRun += Second.perRunNs(R.B);
    Moments Before = ByProfile ? EachFirst.moments(Key) : First.moments(R.A);
    Moments After = ByProfile ? EachSecond.moments(Key) : Second.moments(R.B);
    R.IsTested = canTest(Before, After);
    R.PValue = welchPValue(Before, After);
    Tested += R.IsTested;
  }
  for (DiffRow &R : Rows)
    if (R.IsTested && R.PValue * static_cast<double>(Tested) < Options.Alpha)
      R.What = R.MeanB > R.MeanA ? Change::Slower : Change::Faster;
  for (const SiteKey &Key : Second.Order) {
    uint32_t S = Second.ByKey[Key];
    if (First.ByKey.count(Key) && CanMatch(B.All[S]))
      continue;
    DiffRow &R = Rows.emplace_back();
    R.What = Change::Added;
    R.B = S;
    R.MeanB = Second.meanNs(R.B);
    R.Share = Second.share(R.B);
    R.PerRun = Second.perRunNs(R.B);
  }
  stable_sort(Rows, [](const DiffRow &X, const DiffRow &Y) {
    return std::fabs(X.PerRun) > std::fabs(Y.PerRun);
  });
  return Rows;
}
