//===- NodeTable.h - the numbered nodes of a graph, to find again -*- C++ -*-=//
//
// Sites are numbered on a copy of a method's graph that torchprof inlined and
// simplified. LibTorch makes another one of the same method, and that is the
// one that runs. A node is recognised there by its kind and its place in the
// source, and where several have both in common, by their order: both graphs
// keep the order of the source. Where one of them has lost some of these, the
// calls, modules and control flow around a node tell which are left; one that
// could be either of two sites is none.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_NODETABLE_H
#define TORCHPROF_ATTACH_NODETABLE_H

#include "Tag.h"
#include "torchprof/Passes.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace torchprof {

class NodeTable {
public:
  /// The nodes of method number \p Method, forked graphs in tables of their
  /// own. Keeps the places in the source, not the graphs.
  static std::shared_ptr<const NodeTable> ofMethod(const NumberedMethods &From,
                                                   size_t Method);

  /// Tags the nodes of \p Body, a graph that LibTorch has inlined, that are in
  /// this table.
  void tag(torch::jit::Graph &Body) const;

  std::shared_ptr<const NodeOrder> order() const { return Order; }

private:
  friend class NodeTableBuilder;

  /// A node as both graphs have it.
  struct Place {
    torch::jit::Symbol Kind;
    std::shared_ptr<torch::jit::Source> Text; ///< compared by address
    size_t Begin = 0, End = 0;
    explicit Place(const torch::jit::Node *N);
    bool operator==(const Place &) const = default;
  };
  struct HashPlace {
    size_t operator()(const Place &P) const;
  };
  /// Where the calls stand that lead to a node, from the innermost on: a hash
  /// of each, 0 if it is not known.
  using Calls = std::vector<size_t>;
  struct Entry {
    std::shared_ptr<const TagContent> Content; ///< null: nothing to tag
    std::shared_ptr<const Calls> CalledFrom;   ///< null if there is no site
    std::string Path; ///< of the module, if there is something to tag
    /// The site of the loop, branch or the like that the node lies in.
    std::optional<format::SiteId> Around;
  };
  using Entries = std::vector<Entry>;
  using NodesByPlace =
      std::unordered_map<Place, std::vector<torch::jit::Node *>, HashPlace>;

  struct FoundNode;

  void collect(torch::jit::Block *Body, NodesByPlace &Found) const;
  bool fits(const Entry &E, const FoundNode &Node) const;
  void tagSome(const Entries &Known,
               const std::vector<torch::jit::Node *> &Nodes) const;

  std::unordered_map<Place, Entries, HashPlace> Table;
  /// Entry::Around of the nodes that are one.
  std::unordered_map<int64_t, std::optional<format::SiteId>> AroundOf;
  std::shared_ptr<NodeOrder> Order = std::make_shared<NodeOrder>();
};

} // namespace torchprof

#endif // TORCHPROF_ATTACH_NODETABLE_H
