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
  /// What runs are of, selected or not: methods, and what is outside of models.
  std::map<SiteKey, uint32_t> RunByKey;
  std::vector<SiteKey> Keys; ///< by site

  Side(const SiteTable &Sites, const Selection &Selected,
       const ModelsInKeys &Names)
      : Sites(Sites), All(makeTotals(Sites, Selection())), Runs(runsOf(Sites)) {
    // Made before the selection, so that it does not change the match.
    Keys = siteKeys(Sites, Names);
    for (uint32_t S = 0; S < Sites.size(); ++S) {
      if (!Sites.reached(S))
        continue;
      if (rootOf(S) == S)
        RunByKey[Keys[S]] = S;
      if (!Selected.matches(Sites, S))
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
  /// \p Root of a site, which is itself outside of models. None if no run has
  /// ended.
  Optional<double> perRunNs(UInt128 Total, uint32_t Root) const {
    // Some are in no run but of other methods.
    uint64_t Times = Runs[Root] ? Runs[Root] : Sites.measured(Root).Count;
    if (!Times)
      return None;
    return Sites.clock().toNs(static_cast<double>(Total)) /
           static_cast<double>(Times);
  }
  uint32_t rootOf(uint32_t S) const {
    return Sites[S].Root == NoIndex ? S : Sites[S].Root;
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

  /// In the mean of those profiles where a run of \p Root has ended: what a
  /// site of it took in each of its runs. None if there is none.
  Optional<double> perRunNs(const SiteKey &Key, const SiteKey &Root) const {
    double Sum = 0;
    unsigned Count = 0;
    for (const Side &S : Profiles) {
      auto OfRoot = S.RunByKey.find(Root);
      if (OfRoot == S.RunByKey.end())
        continue;
      auto It = S.ByKey.find(Key);
      UInt128 Total = It == S.ByKey.end() ? 0 : S.Sites.total(It->second);
      if (Optional<double> Ns = S.perRunNs(Total, OfRoot->second)) {
        Sum += *Ns;
        ++Count;
      }
    }
    if (!Count)
      return None;
    return Sum / Count;
  }
};

/// What is compared of one side: each profile counts once, however many calls
/// it has, or each call.
struct Compared {
  const Side All;
  const EachSide Each;
  const bool ByProfile;

  Compared(const DiffSide &D, const Selection &Selected,
           const ModelsInKeys &Names, bool ByProfile)
      : All(D.All, Selected, Names), Each(D, Selected, Names),
        ByProfile(ByProfile) {}

  Moments moments(uint32_t S) const {
    return ByProfile ? Each.moments(All.Keys[S]) : All.moments(S);
  }
  Optional<double> perRunNs(uint32_t S) const {
    uint32_t Root = All.rootOf(S);
    return ByProfile ? Each.perRunNs(All.Keys[S], All.Keys[Root])
                     : All.perRunNs(All.Sites.total(S), Root);
  }
};
} // namespace

static Optional<double> changePerRun(const DiffRow &R, const Compared &First,
                                     const Compared &Second) {
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
  bool ByProfile = comparesProfiles(A, B);
  Compared First(A, Selected, Names, ByProfile);
  Compared Second(B, Selected, Names, ByProfile);
  std::set<std::string> MethodsOnly = modelsOfMethodsOnly(A.All, B.All);
  auto CanMatch = [&](const SiteKey &Key, const Site &S) {
    return S.isRoot() || S.isOutside() || !MethodsOnly.count(Key.Model);
  };
  std::vector<DiffRow> Rows;
  size_t Tested = 0;
  for (const SiteKey &Key : First.All.Order) {
    DiffRow &R = Rows.emplace_back();
    R.A = First.All.ByKey.at(Key);
    Moments Before = First.moments(R.A);
    R.MeanA = Before.Mean;
    R.Share = First.All.share(R.A);
    auto Match = Second.All.ByKey.find(Key);
    if (Match == Second.All.ByKey.end() || !CanMatch(Key, A.All[R.A])) {
      R.What = Change::Removed;
      continue;
    }
    R.B = Match->second;
    Moments After = Second.moments(R.B);
    R.MeanB = After.Mean;
    R.Share = std::max(R.Share, Second.All.share(R.B));
    R.IsTested = canTest(Before, After);
    R.PValue = welchPValue(Before, After);
    Tested += R.IsTested && R.Share >= Options.LeastShare;
  }
  // The sign is of the means that were tested.
  for (DiffRow &R : Rows)
    if (R.IsTested && R.PValue * static_cast<double>(Tested) < Options.Alpha)
      R.What = R.MeanB > R.MeanA ? Change::Slower : Change::Faster;
  for (const SiteKey &Key : Second.All.Order) {
    uint32_t S = Second.All.ByKey.at(Key);
    if (First.All.ByKey.count(Key) && CanMatch(Key, B.All[S]))
      continue;
    DiffRow &R = Rows.emplace_back();
    R.What = Change::Added;
    R.B = S;
    R.MeanB = Second.moments(R.B).Mean;
    R.Share = Second.All.share(R.B);
  }
  for (DiffRow &R : Rows)
    R.PerRun = changePerRun(R, First, Second);
  stable_sort(Rows, [](const DiffRow &X, const DiffRow &Y) {
    return std::fabs(X.PerRun.getValueOr(0)) >
           std::fabs(Y.PerRun.getValueOr(0));
  });
  return Rows;
}
