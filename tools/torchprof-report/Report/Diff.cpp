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

namespace {
/// Where the nodes of a model lie that were reached.
struct NodePlaces {
  bool InModules = false;
  bool InNone = false;
};
} // namespace

/// By what keys call the models. \p Names has all that were reached.
static std::map<std::string, NodePlaces> nodePlaces(const SiteTable &Sites,
                                                    const ModelsInKeys &Names) {
  std::map<std::string, NodePlaces> Places;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!Sites.reached(S) || Sites[S].Dynamic || Sites[S].isRoot())
      continue;
    NodePlaces &Of = Places[Names.at(Sites.manifest(S)->ModelId)];
    (Sites.modulePath(S).empty() ? Of.InNone : Of.InModules) = true;
  }
  return Places;
}

std::set<std::string> report::modelsOfMethodsOnly(const SiteTable &A,
                                                  const SiteTable &B) {
  ModelsInKeys Names = modelsInKeys(A, B);
  std::map<std::string, NodePlaces> After = nodePlaces(B, Names);
  std::set<std::string> Models;
  for (const auto &[Model, OfA] : nodePlaces(A, Names)) {
    const NodePlaces &OfB = After[Model];
    if (OfA.InModules != OfB.InModules && (OfA.InModules ? OfB : OfA).InNone)
      Models.insert(Model);
  }
  return Models;
}

using NamesAndValues = std::set<std::pair<std::string, std::string>>;

/// The options that chose a model's sites, by what keys call the model.
static std::map<std::string, NamesAndValues>
optionsOfModels(const SiteTable &Sites, const ModelsInKeys &Names) {
  std::map<std::string, NamesAndValues> Options;
  for (const auto &[First, Table] : Sites.models()) {
    auto Name = Names.find(Table->ModelId);
    if (Name == Names.end())
      continue;
    NamesAndValues &Of = Options[Name->second];
    for (const ManifestOption &O : Table->Options)
      Of.emplace(O.Name, O.Value);
  }
  return Options;
}

std::set<std::string> report::modelsOfOtherOptions(const SiteTable &A,
                                                   const SiteTable &B) {
  ModelsInKeys Names = modelsInKeys(A, B);
  std::map<std::string, NamesAndValues> After = optionsOfModels(B, Names);
  std::set<std::string> Models;
  for (const auto &[Model, OfA] : optionsOfModels(A, Names))
    if (auto It = After.find(Model); It != After.end() && It->second != OfA)
      Models.insert(Model);
  return Models;
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
  /// None if no run has ended.
  Optional<double> perRunNs(uint32_t S) const {
    uint32_t Root = Sites[S].Root == NoIndex ? S : Sites[S].Root;
    // Some are in no run but of other methods.
    uint64_t Times = Runs[Root] ? Runs[Root] : Sites.measured(Root).Count;
    double Total = Sites.clock().toNs(static_cast<double>(Sites.total(S)));
    if (!Times)
      return None;
    return Total / static_cast<double>(Times);
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

static Optional<double> changePerRun(const DiffRow &R, const Side &First,
                                     const Side &Second) {
  Optional<double> Before = 0.0, After = 0.0;
  if (R.A != NoIndex)
    Before = First.perRunNs(R.A);
  if (R.B != NoIndex)
    After = Second.perRunNs(R.B);
  if (!Before || !After)
    return None;
  return *After - *Before;
}

std::vector<DiffRow> report::diffProfiles(const DiffSide &A, const DiffSide &B,
                                          const Selection &Selected,
                                          const DiffOptions &Options) {
  ModelsInKeys Names = modelsInKeys(A.All, B.All);
  Side First(A.All, Selected, Names), Second(B.All, Selected, Names);
  bool ByProfile = comparesProfiles(A, B);
  EachSide EachFirst(A, Selected, Names), EachSecond(B, Selected, Names);
  std::set<std::string> MethodsOnly = modelsOfMethodsOnly(A.All, B.All);
  auto CanMatch = [&](const SiteKey &Key, const Site &S) {
    return S.isRoot() || S.isOutside() || !MethodsOnly.count(Key.Model);
  };
  std::vector<DiffRow> Rows;
  size_t Tested = 0;
  for (const SiteKey &Key : First.Order) {
    DiffRow &R = Rows.emplace_back();
    R.A = First.ByKey[Key];
    R.MeanA = First.meanNs(R.A);
    R.Share = First.share(R.A);
    auto Match = Second.ByKey.find(Key);
    if (Match == Second.ByKey.end() || !CanMatch(Key, A.All[R.A])) {
      R.What = Change::Removed;
      continue;
    }
    R.B = Match->second;
    R.MeanB = Second.meanNs(R.B);
    R.Share = std::max(R.Share, Second.share(R.B));
    Moments Before = ByProfile ? EachFirst.moments(Key) : First.moments(R.A);
    Moments After = ByProfile ? EachSecond.moments(Key) : Second.moments(R.B);
    R.IsTested = canTest(Before, After);
    R.PValue = welchPValue(Before, After);
    Tested += R.IsTested && R.Share >= Options.LeastShare;
  }
  for (DiffRow &R : Rows)
    if (R.IsTested && R.PValue * static_cast<double>(Tested) < Options.Alpha)
      R.What = R.MeanB > R.MeanA ? Change::Slower : Change::Faster;
  for (const SiteKey &Key : Second.Order) {
    uint32_t S = Second.ByKey[Key];
    if (First.ByKey.count(Key) && CanMatch(Key, B.All[S]))
      continue;
    DiffRow &R = Rows.emplace_back();
    R.What = Change::Added;
    R.B = S;
    R.MeanB = Second.meanNs(R.B);
    R.Share = Second.share(R.B);
  }
  for (DiffRow &R : Rows)
    R.PerRun = changePerRun(R, First, Second);
  stable_sort(Rows, [](const DiffRow &X, const DiffRow &Y) {
    return std::fabs(X.PerRun.getValueOr(0)) >
           std::fabs(Y.PerRun.getValueOr(0));
  });
  return Rows;
}
