//===- SiteKey.cpp - the same layer in another model ----------------------===//

#include "SiteKey.h"
#include "SiteTable.h"

#include "llvm/ADT/StringSwitch.h"

#include <set>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

std::string SiteKey::text() const {
  return (Model.empty() ? "" : Model + "/") + Method + "/" + Module + "/" +
         Kind + "/" + std::to_string(Order);
}

/// True if operators of this kind compute tensors with some overloads and
/// numbers with others.
static bool computesEither(StringRef Kind) {
  return StringSwitch<bool>(Kind)
#define NUMBER_OVERLOADS(KIND) .Case(KIND, true)
#include "NumberOverloads.def"
      .Default(false);
}

/// "int", "float_int" or "str_list". Not those of numbers whose type the code
/// does not say: with other kinds they are overloads of tensors.
static bool isOfNumbers(StringRef Overload) {
  SmallVector<StringRef, 3> Words;
  Overload.split(Words, '_');
  return all_of(Words, [](StringRef Word) {
    return StringSwitch<bool>(Word)
        .Cases("int", "float", "complex", "bool", "str", "to", "list", true)
        .Default(false);
  });
}

/// The kind as keys name it. What computes numbers is a site with --nodes=all
/// alone: counted together with what computes tensors, these would have other
/// keys than without.
static std::string kindInKey(StringRef Kind, StringRef Overload) {
  bool IsOfNumbers = computesEither(Kind) && isOfNumbers(Overload);
  return (Kind + (IsOfNumbers ? " without tensors" : "")).str();
}

namespace {
/// Counts the sites that have the same names.
class KeyMaker {
public:
  SiteKey make(StringRef Model, StringRef Method, std::string Module,
               StringRef Kind, StringRef Overload) {
    SiteKey Key = {Model.str(), Method.str(), std::move(Module),
                   kindInKey(Kind, Overload)};
    Key.Order = Seen[Key]++;
    return Key;
  }

private:
  std::map<SiteKey, unsigned> Seen; ///< by the first of them
};
} // namespace

std::vector<SiteKey> report::siteKeys(const Manifest &M) {
  KeyMaker Maker;
  std::vector<SiteKey> Keys;
  std::vector<uint32_t> Roots;
  for (uint32_t I = 0; I < M.Sites.size(); ++I) {
    const ManifestSite &S = M.Sites[I];
    Roots.push_back(S.Parent == NoIndex ? I : Roots[S.Parent]);
    Keys.push_back(Maker.make("", M.string(M.Sites[Roots[I]].Name),
                              M.modulePath(S.Scope), M.string(S.Kind),
                              M.string(S.Overload)));
  }
  return Keys;
}

/// That of the node and "backward": the order in which gradients came to be is
/// another in each process.
static SiteKey gradientKey(SiteKey Key, StringRef NodeKind, StringRef Name) {
  Key.Kind += " backward";
  if (Name != NodeKind)
    Key.Kind += (" " + Name).str();
  return Key;
}

/// That of the method or node that it is a part of, for the same reason.
static SiteKey partKey(SiteKey Key, StringRef Kind) {
  Key.Kind += (" " + Kind).str();
  return Key;
}

/// That of what the region lies in, and its name, for the same reason.
static SiteKey regionKey(SiteKey Key, StringRef Kind, StringRef Name) {
  Key.Kind += (" " + Kind + " " + Name).str();
  return Key;
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
  std::vector<IdAndClass> Common;
  for (const IdAndClass &M : Before)
    if (is_contained(make_first_range(After), M.first))
      Common.push_back(M);
  stable_sort(Common, less_first());
  ModelsInKeys Names;
  for (const std::vector<IdAndClass> *Models : {&Common, &Before, &After}) {
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

/// What \p Names call the model of a site; nothing outside of models.
static StringRef modelInKey(const Manifest *M, const ModelsInKeys &Names) {
  if (!M)
    return "";
  auto Known = Names.find(M->ModelId);
  if (Known != Names.end())
    return Known->second;
  return Names.empty() ? "" : "(other)";
}

std::vector<SiteKey> report::siteKeys(const SiteTable &Sites,
                                      const ModelsInKeys &Names) {
  std::map<const Manifest *, KeyMaker> Makers;
  std::vector<SiteKey> Keys;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (Sites[S].NoNode && Sites[S].Parent != NoIndex) {
      Keys.push_back(partKey(Keys[Sites[S].Parent], Sites.kind(S)));
      continue;
    }
    if (Sites[S].isRegion() && !Sites[S].isOutside()) {
      Keys.push_back(
          regionKey(Keys[Sites[S].Parent], Sites.kind(S), Sites.name(S)));
      continue;
    }
    if (uint32_t Node = Sites.nodeOf(S); Node != S) {
      Keys.push_back(gradientKey(Keys[Node], Sites.kind(Node), Sites.name(S)));
      continue;
    }
    const Manifest *Model = Sites.manifest(S);
    Keys.push_back(Makers[Model].make(
        modelInKey(Model, Names),
        Sites.name(Sites[S].isOutside() ? S : Sites[S].Root),
        Sites.modulePath(S), Sites.kind(S), Sites.overload(S)));
  }
  return Keys;
}

std::vector<SiteKey> report::siteKeys(const SiteTable &Sites) {
  return siteKeys(Sites, modelsInKeys(Sites, Sites));
}
