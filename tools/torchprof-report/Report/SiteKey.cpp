//===- SiteKey.cpp - the same layer in another model ----------------------===//

#include "SiteKey.h"
#include "SiteTable.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

std::string SiteKey::text() const {
  return (Model.empty() ? "" : Model + "/") + Method + "/" + Module + "/" +
         Kind + "/" + std::to_string(Order);
}

namespace {
/// Counts the sites that have the same names.
class KeyMaker {
public:
  SiteKey make(StringRef Model, StringRef Method, std::string Module,
               StringRef Kind) {
    SiteKey Key = {Model.str(), Method.str(), std::move(Module), Kind.str()};
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
                              M.modulePath(S.Scope), M.string(S.Kind)));
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

/// \p ModelOf: what to call the model of a site.
static std::vector<SiteKey>
makeKeys(const SiteTable &Sites, function_ref<StringRef(uint32_t)> ModelOf) {
  KeyMaker Maker;
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
    uint32_t Node = Sites.nodeOf(S);
    Keys.push_back(
        Node != S
            ? gradientKey(Keys[Node], Sites.kind(Node), Sites.name(S))
            : Maker.make(ModelOf(S),
                         Sites.name(Sites[S].isOutside() ? S : Sites[S].Root),
                         Sites.modulePath(S), Sites.kind(S)));
  }
  return Keys;
}

std::vector<SiteKey> report::siteKeys(const SiteTable &Sites) {
  return makeKeys(Sites, [](uint32_t) { return StringRef(); });
}

std::vector<SiteKey> report::siteKeys(const SiteTable &Sites,
                                      const ModelsInKeys &Names) {
  return makeKeys(Sites, [&](uint32_t S) -> StringRef {
    const Manifest *M = Sites.manifest(S);
    if (!M)
      return "";
    auto Known = Names.find(M->ModelId);
    return Known == Names.end() ? "(other)" : StringRef(Known->second);
  });
}
