//===- Selection.cpp - which sites a command is about ---------------------===//

#include "Selection.h"
#include "ColumnSet.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

Expected<Selection> Selection::create(ArrayRef<std::string> Include,
                                      ArrayRef<std::string> Exclude) {
  Selection S;
  auto Add = [](ArrayRef<std::string> Texts, std::vector<Glob> &Out,
                StringRef Option) -> Error {
    for (const std::string &Text : Texts) {
      auto Owned = std::make_shared<const std::string>(Text);
      Expected<GlobPattern> Pattern = GlobPattern::create(*Owned);
      if (!Pattern)
        return createStringError(inconvertibleErrorCode(),
                                 Option + "=" + Text + ": " +
                                     toString(Pattern.takeError()));
      Out.push_back({std::move(Owned), std::move(*Pattern)});
    }
    return Error::success();
  };
  if (Error E = Add(Include, S.Include, "--include"))
    return E;
  if (Error E = Add(Exclude, S.Exclude, "--exclude"))
    return E;
  return S;
}

bool Selection::matches(StringRef Kind, StringRef Name,
                        StringRef Module) const {
  auto Any = [&](const std::vector<Glob> &Globs) {
    return any_of(Globs, [&](const Glob &G) {
      return G.Pattern.match(Kind) || G.Pattern.match(Name) ||
             G.Pattern.match(Module);
    });
  };
  return (Include.empty() || Any(Include)) && !Any(Exclude);
}

bool Selection::matches(const SiteTable &Sites, uint32_t S) const {
  return all() || matches(Sites.kind(S), Sites.name(S), Sites.modulePath(S));
}

Error Selection::checkAgainst(ArrayRef<const SiteTable *> Tables) const {
  for (const std::vector<Glob> *Globs : {&Include, &Exclude})
    for (const Glob &G : *Globs) {
      std::set<std::string> Kinds, Names;
      auto MatchesAny = [&](const SiteTable &Sites) {
        for (uint32_t S = 0; S < Sites.size(); ++S) {
          StringRef Kind = Sites.kind(S);
          if (G.Pattern.match(Kind) || G.Pattern.match(Sites.name(S)) ||
              G.Pattern.match(Sites.modulePath(S)))
            return true;
          Kinds.insert(Kind.str());
          Names.insert({Kind.str(), Sites.name(S).str(), Sites.modulePath(S)});
        }
        return false;
      };
      if (any_of(Tables, [&](const SiteTable *T) { return MatchesAny(*T); }))
        continue;
      std::vector<std::string> Known(Names.begin(), Names.end());
      StringRef Nearest = nearestName(*G.Text, Known);
      return createStringError(
          inconvertibleErrorCode(),
          "no site matches " +
              Twine(Globs == &Include ? "--include=" : "--exclude=") + *G.Text +
              (Nearest.empty()
                   ? "; the kinds are " + join(Kinds.begin(), Kinds.end(), ", ")
                   : "; did you mean " + Nearest + "?"));
    }
  return Error::success();
}
