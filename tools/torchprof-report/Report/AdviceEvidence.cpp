//===- AdviceEvidence.cpp - what rules of advice look at ------------------===//

#include "AdviceEvidence.h"

#include "ModelNames.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

Evidence::Evidence(const SiteTable &Sites, const Selection &Selected,
                   const Roof &Under)
    : Sites(Sites), Selected(Selected), Under(Under),
      All(makeTotals(Sites, Selected)), InOperators(Sites.size()) {
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    uint32_t Node = S;
    while (Sites[Node].Operator)
      Node = Sites[Node].Parent;
    if (Node != S)
      InOperators[Node] += Sites.self(S).Amount;
  }
}

/// The module of a node, and of several models whose it is.
static std::string placeOf(const SiteTable &Sites, uint32_t S) {
  std::string Module = Sites.modulePath(S);
  StringRef Model = Sites.modelNames().ofSeveral(Sites, S);
  return (Module.empty() ? "the root module" : Module) +
         (Model.empty() ? "" : " of " + Model.str());
}

Finding FoundNodes::found() const {
  if (Times.empty())
    return {};
  Finding F;
  std::map<std::string, double> Kinds, Places;
  for (auto [S, Ns] : Times) {
    (In.Sites[S].Async ? F.BesideNs : F.Ns) += Ns;
    Kinds[In.Sites.kind(S).str()] += Ns;
    Places[placeOf(In.Sites, S)] += Ns;
    F.Sites.push_back(S);
  }
  llvm::stable_sort(F.Sites, [&](uint32_t A, uint32_t B) {
    return Times.at(A) > Times.at(B);
  });
  raw_string_ostream OS(F.Where);
  OS << Times.size() << (Times.size() == 1 ? " node (" : " nodes (");
  auto IsLess = [](const auto &A, const auto &B) {
    return A.second < B.second;
  };
  std::vector<std::pair<std::string, double>> Sorted(Kinds.begin(),
                                                     Kinds.end());
  llvm::stable_sort(Sorted,
                    [&](const auto &A, const auto &B) { return IsLess(B, A); });
  size_t Shown = std::min<size_t>(Sorted.size(), 3);
  interleaveComma(ArrayRef(Sorted).take_front(Shown), OS,
                  [&](const auto &Kind) { OS << Kind.first; });
  OS << (Shown < Sorted.size() ? ", ...)" : ")") << ", most in "
     << std::max_element(Places.begin(), Places.end(), IsLess)->first;
  if (F.BesideNs > 0)
    OS << ", " << formatTime(F.BesideNs) << " of it beside the runs";
  OS.flush();
  return F;
}
