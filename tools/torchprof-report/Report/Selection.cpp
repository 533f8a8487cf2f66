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

bool Selection::Glob::matches(StringRef Kind, StringRef Name,
                              const std::string &Module) const {
  return Pattern.match(Kind) || Pattern.match(Name) ||
         anyInstance(Module, [&](StringRef M) { return Pattern.match(M); });
}

bool Selection::matches(StringRef Kind, StringRef Name,
                        const std::string &Module) const {
  auto Any = [&](const std::vector<Glob> &Globs) {
    return any_of(Globs,
                  [&](const Glob &G) { return G.matches(Kind, Name, Module); });
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
          StringRef Kind = Sites.kind(S), Name = Sites.name(S);
          std::string Module = Sites.modulePath(S);
          if (G.matches(Kind, Name, Module))
            return true;
          Kinds.insert(Kind.str());
          Names.insert({Kind.str(), Name.str(), std::move(Module)});
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
