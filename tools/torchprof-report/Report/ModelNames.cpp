//===- ModelNames.cpp - what tells the models of a table apart ------------===//

#include "ModelNames.h"

#include "SiteTable.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

ModelNames::ModelNames(const SiteTable &Sites) {
  std::vector<const Manifest *> ById;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!Sites[S].isRoot() || !Sites.seen(S))
      continue;
    std::string &Name = Names[Sites.manifest(S)];
    if (!Name.empty())
      continue;
    ById.push_back(Sites.manifest(S));
    Name = Sites.className(S).str();
    if (Name.empty()) // a function's
      Name = Sites.name(S).str();
  }
  stable_sort(ById, [](const Manifest *A, const Manifest *B) {
    return A->ModelId < B->ModelId;
  });
  std::map<std::string, unsigned> Count;
  for (const Manifest *M : ById)
    if (unsigned Number = ++Count[Names[M]]; Number > 1)
      Names[M] += "#" + std::to_string(Number);
  std::map<const Manifest *, StringRef> Methods;
  for (uint32_t S = 0; S < Sites.size() && !HasMethods; ++S) {
    if (Sites[S].isRoot() || Sites[S].isOutside() || !Sites.seen(S))
      continue;
    StringRef Method = methodAround(Sites, S);
    HasMethods =
        Methods.try_emplace(Sites.manifest(S), Method).first->second != Method;
  }
}

std::string ModelNames::idOf(const SiteTable &Sites, uint32_t S) {
  const Manifest *M = Sites.manifest(S);
  return M ? utohexstr(M->ModelId, /*LowerCase=*/true) : "";
}

StringRef ModelNames::methodAround(const SiteTable &Sites, uint32_t S) {
  uint32_t Root = Sites[S].Root;
  return Root == NoIndex || Root == S ? StringRef() : Sites.name(Root);
}

StringRef ModelNames::of(const SiteTable &Sites, uint32_t S) const {
  auto It = Names.find(Sites.manifest(S));
  return It == Names.end() ? StringRef() : StringRef(It->second);
}

std::string ModelNames::method(const SiteTable &Sites, uint32_t Root) const {
  std::string Name = Sites.name(Root).str();
  StringRef Model = ofSeveral(Sites, Root);
  return Model.empty() || Model == Name ? Name : (Model + "." + Name).str();
}
