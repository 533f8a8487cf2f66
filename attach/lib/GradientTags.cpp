//===- GradientTags.cpp - whose gradient a node computes ------------------===//

#include "GradientTags.h"

#include "ReplacedNodes.h"
#include "SequenceMatch.h"
#include "Tag.h"
#include "torch/Attach.h"

#include <utility>

namespace torchprof {

using namespace torch::jit;

/// Of the group whose backward graph comes next on this thread, if its nodes
/// have sites.
static thread_local Graph *Forward;

void noteForward(Graph &Body) noexcept {
  Forward = visitNodes(Body.block(), tagOf) ? &Body : nullptr;
}

namespace {

/// A node of a group. Whether it has a gradient is not known here: LibTorch has
/// cleared that from the types.
struct ForwardNode {
  const TagContent *Content;
  std::string Kind; ///< as prim::GradOf names it
  bool Replaced;    ///< by several nodes of a script
};

/// The gradient of one node.
struct Gradient {
  Node *Of; ///< prim::GradOf
  std::string Kind;
};

} // namespace

/// The nodes of a group that have a site, the last one first, as their
/// gradients come.
static std::vector<ForwardNode> nodesInReverse(Graph &Group) {
  std::vector<ForwardNode> Nodes;
  for (Node *N : Group.nodes().reverse()) {
    const TagContent *Tag = tagOf(N);
    if (!Tag)
      continue;
    bool Replaced = !Tag->Site && !Tag->Backward;
    // Several nodes for one that is differentiated as a whole.
    if (Replaced && !Nodes.empty() && Nodes.back().Content == Tag)
      continue;
    Symbol Kind = Tag->Backward ? N->kind() : Tag->Kind;
    Nodes.push_back({Tag, Kind.toDisplayString(), Replaced});
  }
  return Nodes;
}

static std::vector<Gradient> gradientsIn(Graph &Body) {
  std::vector<Gradient> Gradients;
  for (Node *N : Body.nodes())
    if (N->kind() == prim::GradOf && N->s(attr::name) != "prim::profile")
      Gradients.push_back({N, N->s(attr::name)});
  return Gradients;
}

static void setTags(Block *In, const std::shared_ptr<const TagContent> &Tag) {
  visitNodes(In, [&](Node *N) {
    if (N->kind() != prim::Constant)
      setTag(N, Tag);
    return false;
  });
}

/// The site of the gradient of \p Of; a gradient's gradient counts to it too.
static std::optional<format::Slot> siteOfGradient(const ForwardNode &Of) {
  if (Of.Content->Backward)
    return Of.Content->Backward;
  format::SiteId Site =
      Of.Replaced ? Of.Content->Regions.back() : *Of.Content->Site;
  return backwardSite(Site, Of.Kind);
}

std::shared_ptr<Graph> tagGradients(Graph &Body,
                                    std::optional<format::SiteId> Root) {
  Graph *Group = std::exchange(Forward, nullptr);
  if (!Group)
    return nullptr;
  std::shared_ptr<Graph> Tagged = Group->copy(), Result = Body.copy();
  tagReplacedNodes(*Tagged);
  std::vector<ForwardNode> Nodes = nodesInReverse(*Tagged);
  std::vector<Gradient> Gradients = gradientsIn(*Result);
  std::vector<std::optional<size_t>> Match =
      certainMatches(Gradients.size(), Nodes.size(), [&](size_t G, size_t N) {
        return Gradients[G].Kind == Nodes[N].Kind;
      });
  for (size_t I = 0; I < Gradients.size(); ++I) {
    std::optional<format::Slot> Site;
    if (Match[I])
      Site = siteOfGradient(Nodes[*Match[I]]);
    else if (Root)
      Site = backwardSite(*Root, Gradients[I].Kind);
    if (!Site)
      continue;
    auto Content = std::make_shared<TagContent>();
    Content->Backward = Site;
    Content->Kind = Symbol::fromQualString(Gradients[I].Kind);
    for (Block *Inner : Gradients[I].Of->blocks())
      setTags(Inner, Content);
  }
  return Result;
}

} // namespace torchprof
