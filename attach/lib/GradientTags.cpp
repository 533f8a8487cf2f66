//===- GradientTags.cpp - whose gradient a node computes ------------------===//

#include "GradientTags.h"

#include "Autocasts.h"
#include "ReplacedNodes.h"
#include "Scripts.h"
#include "SequenceMatch.h"
#include "Tag.h"
#include "torch/Attach.h"

#include <torch/csrc/jit/passes/inliner.h>

#include <utility>

namespace torchprof {

using namespace torch::jit;

/// Of the group whose backward graph comes next on this thread, if its nodes
/// have sites.
static thread_local Graph *Forward;

void noteForward(Graph &Body) noexcept {
  Forward = hasTags(Body.block()) ? &Body : nullptr;
}

namespace {
/// A node of a group. Whether it has a gradient is not known here: LibTorch has
/// cleared that from the types.
struct ForwardNode {
  const TagContent *Content;
  Symbol Kind;
};

/// The gradient of one node, or those of the casts before one.
struct Gradient {
  std::vector<Node *> Of; ///< prim::GradOf
  Symbol Kind;            ///< of the node
};
} // namespace

/// The nodes of a group that have a site, the last one first, as their
/// gradients come.
static std::vector<ForwardNode> nodesInReverse(Graph &Group) {
  Scripts Texts;
  std::vector<ForwardNode> Nodes;
  bool IsLastOfScript = false;
  for (Node *N : Group.nodes().reverse()) {
    const TagContent *Tag = tagOf(N);
    if (!Tag)
      continue;
    bool IsCast = isAutocast(N->kind());
    bool IsOfScript = Texts.isOfAutodiff(N) && !IsCast;
    // A script's nodes are differentiated as a whole, and with them the one
    // that it calls, where LibTorch has kept the model's in its place.
    bool IsPart = !Tag->Site && !Tag->Backward;
    bool IsSame =
        IsPart && !Nodes.empty() && Nodes.back().Content == Tag &&
        (IsCast ? isAutocast(Nodes.back().Kind) : IsOfScript || IsLastOfScript);
    IsLastOfScript = IsOfScript;
    if (!IsSame)
      Nodes.push_back({Tag, IsOfScript ? Tag->Kind : N->kind()});
    else if (!IsOfScript)
      Nodes.back().Kind = N->kind();
  }
  return Nodes;
}

static std::vector<Gradient> gradientsIn(Graph &Body) {
  std::vector<Gradient> Gradients;
  for (Node *N : Body.nodes())
    if (N->kind() == prim::GradOf)
      if (Symbol Kind = Symbol::fromQualString(N->s(attr::name));
          Kind != prim::profile) {
        if (isAutocast(Kind) && !Gradients.empty() &&
            Gradients.back().Kind == Kind)
          Gradients.back().Of.push_back(N);
        else
          Gradients.push_back({{N}, Kind});
      }
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
      Of.Content->Site ? *Of.Content->Site : Of.Content->Regions.back();
  return backwardSite(Site, Of.Kind.toQualString());
}

std::shared_ptr<Graph> tagGradients(Graph &Body,
                                    std::optional<format::SiteId> Root) {
  Graph *Group = std::exchange(Forward, nullptr);
  if (!Group)
    return nullptr;
  std::shared_ptr<Graph> Tagged = Group->copy(), Result = Body.copy();
  // LibTorch does so before anything else. The functions that its scripts call
  // would lose the tags.
  Inline(*Result);
  tagReplacedNodes(*Tagged, nullptr);
  tagAutocasts(*Tagged);
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
      Site = backwardSite(*Root, Gradients[I].Kind.toQualString());
    if (!Site)
      continue;
    auto Content = std::make_shared<TagContent>();
    Content->Backward = Site;
    for (Node *Of : Gradients[I].Of)
      for (Block *Inner : Of->blocks())
        setTags(Inner, Content);
  }
  return Result;
}

} // namespace torchprof
