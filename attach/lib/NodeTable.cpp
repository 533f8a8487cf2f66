//===- NodeTable.cpp - the numbered nodes of a graph, to find again -------===//

#include "NodeTable.h"

#include "torchprof/GraphAccess.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
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

static size_t mixed(size_t Hash, std::initializer_list<size_t> Parts) {
  for (size_t Part : Parts)
    Hash = (Hash ^ Part) * 0x9e3779b97f4a7c15u;
  return Hash ^ (Hash >> 32);
}

size_t NodeTable::HashPlace::operator()(const Place &P) const {
  return mixed(std::hash<const void *>()(P.Text.get()),
               {uint32_t(P.Kind), P.Begin, P.End});
}

static size_t hashOfPlace(const std::string &File, size_t Line, size_t Column) {
  return mixed(std::hash<std::string>()(File), {Line, Column});
}

/// Of the place in the author's source, as manifests have it.
static size_t hashOfPlace(const SourceRange &Range) {
  if (!Range.source())
    return 0;
  auto Original = Range.findSourceRangeThatGenerated();
  auto Place = (Original ? *Original : Range).file_line_col();
  if (!Place)
    return 0;
  auto [File, Line, Column] = *Place;
  return hashOfPlace(File, Line, Column + 1);
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
      visitBlocks(N, To);
      while (!Regions.empty() && Numbering.Places[Regions.back()].Last == N)
        Regions.pop_back();
    }
  }

private:
  void visitBlocks(Node *N, NodeTable &To) {
    if (N->blocks().empty())
      return;
    std::optional<format::SiteId> Outer = Around;
    if (auto Site = SiteAt.find(N); Site != SiteAt.end()) {
      Around = idOf(Site->second);
      To.AroundOf[Around->number()] = Outer;
    }
    for (Block *Inner : N->blocks())
      visit(Inner, To);
    Around = Outer;
  }

  NodeTable::Entry entryOf(const Node *N, const std::vector<uint32_t> &Regions,
                           size_t Block, NodeTable &To) {
    auto Content = std::make_shared<TagContent>();
    Content->Kind = N->kind();
    Content->Block = Block;
    Content->Fork = Fork;
    NodeTable::Entry Entry;
    Entry.Around = Around;
    if (auto Site = SiteAt.find(N); Site != SiteAt.end()) {
      Content->Site = idOf(Site->second);
      Entry.Path = pathOf(Site->second);
      Entry.CalledFrom = callsTo(Manifest.Sites[Site->second].Scope);
    }
    for (uint32_t Region : Regions)
      Content->Regions.push_back(idOf(Region));
    if (!Regions.empty())
      Entry.Path = pathOf(Regions.back());
    if (Graph *Body = forkedGraph(N)) {
      auto Forked = std::make_shared<NodeTable>();
      auto OuterFork = std::exchange(Fork, Content->Site);
      auto OuterAround = std::exchange(Around, std::nullopt);
      visit(Body->block(), *Forked);
      Fork = OuterFork;
      Around = OuterAround;
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

  std::shared_ptr<const NodeTable::Calls> callsTo(uint32_t Scope) {
    auto &Known = CallsTo[Scope];
    if (Known)
      return Known;
    auto Made = std::make_shared<NodeTable::Calls>();
    while (Manifest.Scopes[Scope].Parent != NoIndex) {
      const SourcePosition &From = Manifest.Scopes[Scope].Call;
      Made->push_back(From.Line ? hashOfPlace(Manifest.string(From.File),
                                              From.Line, From.Column)
                                : 0);
      Scope = Manifest.Scopes[Scope].Parent;
    }
    return Known = std::move(Made);
  }

  const SiteNumbering &Numbering;
  const torchprof::Manifest &Manifest;
  std::optional<format::SiteId> Fork;   ///< whose graph is visited
  std::optional<format::SiteId> Around; ///< in it, what is visited
  size_t Blocks = 0;                    ///< that were visited
  std::unordered_map<const Node *, uint32_t> SiteAt;
  std::unordered_map<const Node *, std::vector<uint32_t>> RegionsAt;
  std::unordered_map<uint32_t, std::shared_ptr<const NodeTable::Calls>> CallsTo;
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

/// Blocks around a node, in its graph.
static size_t depthOf(const Node *N) {
  size_t Depth = 0;
  while ((N = N->owningBlock()->owningNode()))
    ++Depth;
  return Depth;
}

void NodeTable::tag(Graph &Body) const {
  NodesByPlace Found;
  collect(Body.block(), Found);
  struct Lossy {
    size_t Depth; ///< the least
    const Entries *Known;
    const std::vector<Node *> *Nodes;
  };
  std::vector<Lossy> Rest;
  for (const auto &[At, Known] : Table) {
    const std::vector<Node *> &Nodes = Found[At];
    if (Nodes.size() != Known.size()) {
      size_t Least = SIZE_MAX;
      for (const Node *N : Nodes)
        Least = std::min(Least, depthOf(N));
      Rest.push_back({Least, &Known, &Nodes});
      continue;
    }
    for (size_t I = 0; I < Nodes.size(); ++I)
      if (Known[I].Content)
        setTag(Nodes[I], Known[I].Content);
  }
  // What is around others first: its tag tells of them.
  std::stable_sort(
      Rest.begin(), Rest.end(),
      [](const Lossy &A, const Lossy &B) { return A.Depth < B.Depth; });
  for (const Lossy &One : Rest)
    tagSome(*One.Known, *One.Nodes);
}

/// The site of the nearest node around \p N that has one.
static std::optional<format::SiteId> siteAround(Node *N) {
  while ((N = N->owningBlock()->owningNode()))
    if (const TagContent *Tag = tagOf(N); Tag && Tag->Site)
      return Tag->Site;
  return std::nullopt;
}

/// A node of LibTorch's graph, and where it lies there. LibTorch's inliner
/// loses the outer calls of some nodes inside blocks, and all calls of others.
struct NodeTable::FoundNode {
  explicit FoundNode(Node *N) : N(N), Around(siteAround(N)) {
    auto Stack = N->callstack();
    if (!Stack)
      return;
    for (const auto &Frame : (*Stack)->vec()) {
      CalledFrom.insert(CalledFrom.begin(), hashOfPlace(std::get<1>(Frame)));
      if (const auto &Instance = std::get<2>(Frame))
        if (Instance->instance_name() != "SELF")
          Names.push_back(Instance->instance_name());
    }
  }
  Node *N;
  std::optional<format::SiteId> Around;
  Calls CalledFrom;               ///< as far as is known
  std::vector<std::string> Names; ///< of modules, from the outermost on
};

/// True if no call is known to be another one.
static bool mayBeSame(const std::vector<size_t> &A,
                      const std::vector<size_t> &B) {
  for (size_t I = 0; I < std::min(A.size(), B.size()); ++I)
    if (A[I] && B[I] && A[I] != B[I])
      return false;
  return true;
}

/// True if \p Path, "layers.0.conv", ends with the last of \p Names and has the
/// others before it in their order. LibTorch's names leave out the containers.
static bool isPathOf(std::string_view Path,
                     const std::vector<std::string> &Names) {
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

/// True if a node can be the one of an entry with something to tag: its modules
/// are known, it is called from there, and what is around it is also around
/// that one. LibTorch takes branches and loops away, but moves nothing into
/// one.
bool NodeTable::fits(const Entry &E, const FoundNode &Node) const {
  if (!E.Content ||
      (Node.Names.empty() ? !E.Path.empty() : !isPathOf(E.Path, Node.Names)))
    return false;
  if (E.CalledFrom && !mayBeSame(*E.CalledFrom, Node.CalledFrom))
    return false;
  if (!Node.Around)
    return true;
  std::optional<format::SiteId> At = E.Around;
  while (At && *At != *Node.Around)
    At = AroundOf.at(At->number());
  return At.has_value();
}

/// One of the two graphs has lost nodes of this place. Each node that is left
/// is laid beside the first entry that it can be, behind those of the nodes
/// before it, and beside the last one, in front of those of the nodes behind
/// it: where the two are one, it is that.
void NodeTable::tagSome(const Entries &Known,
                        const std::vector<Node *> &Nodes) const {
  std::vector<FoundNode> Left(Nodes.begin(), Nodes.end());
  std::vector<std::optional<size_t>> First(Left.size());
  size_t Next = 0;
  for (size_t N = 0; N < Left.size(); ++N)
    for (size_t I = Next; I < Known.size(); ++I)
      if (fits(Known[I], Left[N])) {
        First[N] = I;
        Next = I + 1;
        break;
      }
  size_t End = Known.size();
  for (size_t N = Left.size(); N-- > 0;)
    for (size_t I = End; I-- > 0;)
      if (fits(Known[I], Left[N])) {
        End = I;
        if (First[N] == I)
          setTag(Left[N].N, Known[I].Content);
        break;
      }
}

} // namespace torchprof
