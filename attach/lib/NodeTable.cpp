//===- NodeTable.cpp - the numbered nodes of a graph, to find again -------===//

#include "NodeTable.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace torchprof {

using namespace torch::jit;

//===----------------------------------------------------------------------===//
// Making a table
//===----------------------------------------------------------------------===//

NodeTable::Place::Place(const Node *N) : Kind(N->kind()) {
  SourceRange Range = N->sourceRange();
  Text = Range.source();
  Begin = Range.start();
  End = Range.end();
}

size_t NodeTable::HashPlace::operator()(const Place &P) const {
  size_t Hash = std::hash<const void *>()(P.Text.get());
  for (size_t Part : {size_t(uint32_t(P.Kind)), P.Begin, P.End})
    Hash = (Hash ^ Part) * 0x9e3779b97f4a7c15u;
  return Hash ^ (Hash >> 32);
}

/// Constants are pooled differently in both graphs, and are no sites.
static bool isInTables(const Node *N) { return N->kind() != prim::Constant; }

class NodeTableBuilder {
public:
  explicit NodeTableBuilder(const SiteNumbering &Numbering)
      : Numbering(Numbering), Manifest(Numbering.Table) {
    for (uint32_t I = 0; I < Numbering.Places.size(); ++I)
      if (const Node *First = Numbering.Places[I].First) {
        if (Manifest.Sites[I].Flags & SF_Module)
          RegionsAt[First].push_back(I);
        else
          SiteAt[First] = I;
      }
  }

  void visit(Block *Body, NodeTable &To) {
    std::vector<uint32_t> Regions;
    size_t Number = Blocks++;
    for (Node *N : Body->nodes()) {
      if (auto Opened = RegionsAt.find(N); Opened != RegionsAt.end())
        Regions.insert(Regions.end(), Opened->second.begin(),
                       Opened->second.end());
      if (isInTables(N))
        To.Table[NodeTable::Place(N)].push_back(
            entryOf(N, Regions, Number, To));
      for (Block *Inner : N->blocks())
        visit(Inner, To);
      while (!Regions.empty() && Numbering.Places[Regions.back()].Last == N)
        Regions.pop_back();
    }
  }

private:
  NodeTable::Entry entryOf(const Node *N, const std::vector<uint32_t> &Regions,
                           size_t Block, NodeTable &To) {
    auto Content = std::make_shared<TagContent>();
    Content->Kind = N->kind();
    Content->Block = Block;
    Content->Fork = Fork;
    NodeTable::Entry Entry;
    if (auto Site = SiteAt.find(N); Site != SiteAt.end()) {
      Content->Site = idOf(Site->second);
      Entry.Path = pathOf(Site->second);
    }
    for (uint32_t Region : Regions)
      Content->Regions.push_back(idOf(Region));
    if (!Regions.empty())
      Entry.Path = pathOf(Regions.back());
    if (N->kind() == prim::fork && N->hasAttribute(attr::Subgraph)) {
      auto Forked = std::make_shared<NodeTable>();
      std::optional<format::SiteId> Outer = std::exchange(Fork, Content->Site);
      visit(N->g(attr::Subgraph)->block(), *Forked);
      Fork = Outer;
      Content->Forked = std::move(Forked);
    }
    if (Content->Forked || !Content->empty()) {
      Content->Order = To.Order;
      Content->Position = To.Order->size();
      To.Order->push_back(*Content);
      Entry.Content = std::move(Content);
    }
    return Entry;
  }

  format::SiteId idOf(uint32_t Index) const {
    return format::SiteId(Manifest.ModelId, Index);
  }
  std::string pathOf(uint32_t Index) const {
    return Manifest.modulePath(Manifest.Sites[Index].Scope);
  }

  const SiteNumbering &Numbering;
  const torchprof::Manifest &Manifest;
  std::optional<format::SiteId> Fork; ///< whose graph is visited
  size_t Blocks = 0;                  ///< that were visited
  std::unordered_map<const Node *, uint32_t> SiteAt;
  std::unordered_map<const Node *, std::vector<uint32_t>> RegionsAt;
};

std::shared_ptr<const NodeTable>
NodeTable::ofMethod(const NumberedMethods &From, size_t Method) {
  auto Result = std::make_shared<NodeTable>();
  NodeTableBuilder(From.Numbering)
      .visit(From.Methods[Method].Body->block(), *Result);
  // Where nothing is to be tagged, nothing is looked for.
  std::erase_if(Result->Table, [](const auto &Row) {
    return std::none_of(Row.second.begin(), Row.second.end(),
                        [](const Entry &E) { return E.Content != nullptr; });
  });
  return Result;
}

//===----------------------------------------------------------------------===//
// Tagging
//===----------------------------------------------------------------------===//

void NodeTable::collect(Block *Body, NodesByPlace &Found) const {
  for (Node *N : Body->nodes()) {
    if (isInTables(N))
      if (Place At(N); Table.count(At))
        Found[At].push_back(N);
    for (Block *Inner : N->blocks())
      collect(Inner, Found);
  }
}

static bool hasSite(const TagContent *Content) {
  return Content && !Content->empty();
}

size_t NodeTable::tag(Graph &Body) const {
  NodesByPlace Found;
  collect(Body.block(), Found);
  size_t Missing = 0;
  for (const auto &[At, Known] : Table) {
    const std::vector<Node *> &Nodes = Found[At];
    if (Nodes.size() != Known.size()) {
      Missing += tagByPath(Known, Nodes);
      continue;
    }
    for (size_t I = 0; I < Nodes.size(); ++I)
      if (Known[I].Content)
        setTag(Nodes[I], Known[I].Content);
  }
  return Missing;
}

/// The names of the modules that LibTorch's inliner noted for \p N, from the
/// outermost to the innermost. It loses them for some nodes inside blocks.
static std::vector<std::string> instancesOf(const Node *N) {
  std::vector<std::string> Names;
  auto Stack = N->callstack();
  if (!Stack)
    return Names;
  for (const auto &Frame : (*Stack)->vec())
    if (const auto &Instance = std::get<2>(Frame))
      if (Instance->instance_name() != "SELF")
        Names.push_back(Instance->instance_name());
  return Names;
}

/// True if \p Path, "layers.0.conv", ends with the last of \p Names and has the
/// others before it in their order. LibTorch's names leave out the containers.
static bool fits(std::string_view Path, const std::vector<std::string> &Names) {
  bool IsLast = true;
  for (size_t I = Names.size(); I-- > 0; IsLast = false) {
    while (true) {
      if (Path.empty())
        return false;
      size_t Dot = Path.rfind('.');
      std::string_view Part =
          Path.substr(Dot == std::string_view::npos ? 0 : Dot + 1);
      Path = Path.substr(0, Dot == std::string_view::npos ? 0 : Dot);
      if (Part == Names[I])
        break;
      if (IsLast)
        return false;
    }
  }
  return true;
}

/// One of the two graphs has lost nodes of this place. A node whose modules are
/// not known, and a site that no node fits, are left alone. Returns the number
/// of such sites.
size_t NodeTable::tagByPath(const Entries &Known,
                            const std::vector<Node *> &Nodes) {
  size_t Next = 0, Missing = 0;
  for (const Entry &E : Known)
    Missing += hasSite(E.Content.get());
  for (Node *N : Nodes) {
    std::vector<std::string> Names = instancesOf(N);
    for (size_t I = Next; I < Known.size(); ++I) {
      if (!Known[I].Content)
        continue;
      if (Names.empty() ? !Known[I].Path.empty() : !fits(Known[I].Path, Names))
        continue;
      setTag(N, Known[I].Content);
      Missing -= hasSite(Known[I].Content.get());
      Next = I + 1;
      break;
    }
  }
  return Missing;
}

} // namespace torchprof
