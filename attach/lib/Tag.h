//===- Tag.h - the site of a node, where nothing sees it --------*- C++ -*-===//
//
// A probe that is a node of the graph changes what LibTorch's optimizer makes
// of it. A tag changes nothing: it is the node's scope, which LibTorch copies
// with the node into every graph that it makes, and otherwise only prints. A
// tag prints what the scope that it replaces would have printed; most nodes
// have none, and their tags print nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_TAG_H
#define TORCHPROF_ATTACH_TAG_H

#include "torchprof/format/Site.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <optional>
#include <vector>

namespace torchprof {

class NodeTable;

/// Where a node belongs.
struct NodeSites {
  /// The site of the node itself.
  std::optional<format::SiteId> Site;
  /// The calls of modules that the node lies in, if these are the sites, from
  /// the outermost to the innermost of its block.
  std::vector<format::SiteId> Regions;
  /// The kind of the node that was tagged: an optimization may have put nodes
  /// of other kinds into its place.
  torch::jit::Symbol Kind;
  /// A number of the block that the node lies in, in its method's graph; 0 of
  /// the outermost.
  size_t Block = 0;

  bool empty() const { return !Site && Regions.empty(); }
};

/// The tagged nodes of a graph in the order of the program.
using NodeOrder = std::vector<NodeSites>;

/// What a tag says of a node.
struct TagContent : NodeSites {
  std::shared_ptr<const NodeOrder> Order; ///< of the node's method
  size_t Position = 0;                    ///< in Order
  /// Set for a node of a backward graph, which has nothing else: the site of
  /// the gradient that it belongs to.
  std::optional<format::Slot> Backward;
  /// The nodes of the graph that a fork runs.
  std::shared_ptr<const NodeTable> Forked;
  /// Of a node of such a graph: the fork's site.
  std::optional<format::SiteId> Fork;
  /// Of a node that computes what several did, and holds no graph of them:
  /// their sites.
  std::vector<format::SiteId> Fused;
};

struct Tag : torch::jit::Scope {
  /// \p Shown is the node's scope so far. A blank one becomes the parent:
  /// LibTorch does not copy blank scopes, and does not print roots.
  Tag(const torch::jit::ScopePtr &Shown,
      std::shared_ptr<const TagContent> Content)
      : Scope(Shown->isBlank()  ? Shown
              : Shown->isRoot() ? torch::jit::ScopePtr()
                                : Shown->parent(),
              Shown->name()),
        Content(std::move(Content)) {}

  const std::shared_ptr<const TagContent> Content;
};

/// Visits the nodes of a block in the order of the program, with those of the
/// blocks and graphs in them, until \p Visit returns true. True if it did.
template <typename Function>
bool visitNodes(torch::jit::Block *In, Function &&Visit) {
  for (torch::jit::Node *N : In->nodes()) {
    if (Visit(N))
      return true;
    for (torch::jit::Block *Inner : N->blocks())
      if (visitNodes(Inner, Visit))
        return true;
    if (N->hasAttribute(torch::jit::attr::Subgraph) &&
        visitNodes(N->g(torch::jit::attr::Subgraph)->block(), Visit))
      return true;
  }
  return false;
}

/// What the tag of \p N says, or null.
inline const TagContent *tagOf(torch::jit::Node *N) {
  torch::jit::ScopePtr Scope = N->scope();
  auto *Found = dynamic_cast<const Tag *>(Scope.get());
  return Found ? Found->Content.get() : nullptr;
}

inline bool hasTags(torch::jit::Block *In) { return visitNodes(In, tagOf); }

inline void setTag(torch::jit::Node *N,
                   std::shared_ptr<const TagContent> Content) {
  torch::jit::ScopePtr Shown = N->scope();
  if (!Shown)
    Shown = c10::make_intrusive<torch::jit::Scope>();
  N->setScope(c10::make_intrusive<Tag>(Shown, std::move(Content)));
}

} // namespace torchprof

#endif // TORCHPROF_ATTACH_TAG_H
