//===- ProbesToTags.cpp - an instrumented file without its nodes ----------===//

#include "ProbesToTags.h"

#include "Tag.h"
#include "torch/Attach.h"
#include "torch/Symbols.h"
#include "torchprof/GraphAccess.h"
#include "torchprof/Passes.h"

#include <torch/csrc/jit/ir/constants.h>

#include <unordered_map>

namespace torchprof {

using namespace torch::jit;

namespace {

bool enters(const Node *N) { return N->kind() == symbols::enter(); }

bool opens(const Node *N) { return N->kind() == symbols::begin() || enters(N); }

/// True for nodes that belong to no pair, wherever they stand.
bool isApart(const Node *N) {
  return N->kind() == prim::Constant || N->kind() == prim::GetAttr ||
         N->kind() == symbols::followGradMode() ||
         N->kind() == symbols::leave();
}

std::optional<format::SiteId> constantSite(const Value *V) {
  auto Constant = toIValue(V);
  if (!Constant || !Constant->isInt())
    return std::nullopt;
  return format::SiteId::fromNumber(Constant->toInt());
}

/// Reads the pairs of a graph; nothing is changed before all are understood.
class ProbeReader {
public:
  /// False if a pair is not as torchprof-opt inserts it.
  bool read(Block *In) {
    std::vector<Pair> Open;
    for (Node *N : In->nodes()) {
      if (opens(N)) {
        auto Site = siteOf(N);
        if (!Site)
          return false;
        Open.push_back({N, *Site, {}, enters(N)});
        continue;
      }
      if (N->kind() == symbols::end()) {
        if (Open.empty() || N->input(0) != Open.back().Opens->output())
          return false;
        close(Open);
        continue;
      }
      if (isApart(N))
        continue;
      visit(N, Open);
      for (Block *Inner : N->blocks())
        if (!read(Inner))
          return false;
      if (Graph *Forked = forkedGraph(N)) {
        for (size_t I = 0; I < N->inputs().size(); ++I)
          Captured[Forked->inputs()[I]] = N->input(I);
        if (!read(Forked->block()))
          return false;
      }
    }
    return Open.empty();
  }

  /// \p Body: the graph that was read.
  void apply(Graph &Body) const {
    auto Order = std::make_shared<NodeOrder>();
    std::unordered_map<const Block *, size_t> Blocks{{Body.block(), 0}};
    for (const auto &[N, Content] : Tags) {
      Content->Block =
          Blocks.emplace(N->owningBlock(), Blocks.size()).first->second;
      Content->Order = Order;
      Content->Position = Order->size();
      Order->push_back(*Content);
      setTag(N, Content);
    }
    for (format::SiteId Site : Empty)
      noteLeftOut(Site);
  }

private:
  struct Pair {
    Node *Opens;
    format::SiteId Site;
    std::vector<Node *> Members; ///< directly inside, or inside of inner pairs
    bool IsRoot;
  };

  /// A reloaded fork has its sites from outside.
  std::optional<format::SiteId> siteOf(Node *Probe) const {
    const Value *Site = Probe->inputs().back();
    for (auto Outer = Captured.find(Site); Outer != Captured.end();
         Outer = Captured.find(Site))
      Site = Outer->second;
    return constantSite(Site);
  }

  void visit(Node *N, std::vector<Pair> &Open) {
    auto Content = std::make_shared<TagContent>();
    Content->Kind = N->kind();
    for (Pair &P : Open) {
      P.Members.push_back(N);
      if (!P.IsRoot)
        Content->Regions.push_back(P.Site);
    }
    if (!Content->Regions.empty())
      Tags.emplace_back(N, std::move(Content));
  }

  /// A pair around one node is that node's; around several it is a module's.
  void close(std::vector<Pair> &Open) {
    const Pair &Closed = Open.back();
    if (Closed.Members.empty() && !Closed.IsRoot)
      Empty.push_back(Closed.Site);
    if (!Closed.IsRoot && Closed.Members.size() == 1)
      for (auto It = Tags.rbegin(); It != Tags.rend(); ++It)
        if (It->first == Closed.Members.front()) {
          TagContent &Content = *It->second;
          if (!Content.Site && Content.Regions.back() == Closed.Site) {
            Content.Regions.pop_back();
            Content.Site = Closed.Site;
          }
          break;
        }
    Open.pop_back();
  }

  std::vector<std::pair<Node *, std::shared_ptr<TagContent>>> Tags;
  std::vector<format::SiteId> Empty; ///< pairs whose nodes are gone: folded
  std::unordered_map<const Value *, const Value *> Captured;
};

/// The begin of the method whose graph \p Body is: its pair spans the graph,
/// and there is no other. Null if the graph is not an instrumented method's,
/// which may have called some.
Node *enterOf(Graph &Body) {
  Node *Enter = nullptr;
  bool HasEnded = false;
  for (Node *N : Body.nodes()) {
    if (isApart(N))
      continue;
    if (HasEnded || (!Enter && !enters(N)))
      return nullptr;
    if (!Enter)
      Enter = N;
    // It may be missing: the importer removes what an exception always skips.
    HasEnded = N->kind() == symbols::end() && N->input(0) == Enter->output();
  }
  bool HasOther = visitNodes(Body.block(),
                             [&](Node *N) { return N != Enter && enters(N); });
  return HasOther ? nullptr : Enter;
}

} // namespace

bool hasProbes(Graph &Body) { return visitNodes(Body.block(), opens); }

std::optional<format::SiteId> rootOfProbes(Graph &Body) {
  Node *Enter = enterOf(Body);
  return Enter ? constantSite(Enter->inputs().back()) : std::nullopt;
}

bool holdsInstrumented(Graph &Body) {
  return !enterOf(Body) && visitNodes(Body.block(), enters);
}

bool turnProbesIntoTags(Graph &Body) {
  // A graph is a run of one method at most: tags would lose those in it.
  if (holdsInstrumented(Body))
    return false;
  ProbeReader Reader;
  if (!Reader.read(Body.block()))
    return false;
  Reader.apply(Body);
  stripProbes(Body);
  return true;
}

} // namespace torchprof
