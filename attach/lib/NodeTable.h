//===- NodeTable.h - the numbered nodes of a graph, to find again -*- C++ -*-=//
//
// Sites are numbered on a copy of a method's graph that torchprof inlined and
// simplified. LibTorch makes another one of the same method, and that is the
// one that runs. A node is recognised there by its kind and its place in the
// source, and where several have both in common, by their order: both graphs
// keep the order of the source.
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
  /// this table. Returns how many sites of the table have no node there.
  size_t tag(torch::jit::Graph &Body) const;

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
  struct Entry {
    std::shared_ptr<const TagContent> Content; ///< null: nothing to tag
    std::string Path; ///< of the module, if there is something to tag
  };
  using Entries = std::vector<Entry>;
  using NodesByPlace =
      std::unordered_map<Place, std::vector<torch::jit::Node *>, HashPlace>;

  void collect(torch::jit::Block *Body, NodesByPlace &Found) const;
  static size_t tagByPath(const Entries &Known,
                          const std::vector<torch::jit::Node *> &Nodes);

  std::unordered_map<Place, Entries, HashPlace> Table;
  std::shared_ptr<NodeOrder> Order = std::make_shared<NodeOrder>();
};

} // namespace torchprof

#endif // TORCHPROF_ATTACH_NODETABLE_H
