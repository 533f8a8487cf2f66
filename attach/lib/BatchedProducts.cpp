//===- BatchedProducts.cpp - products that are computed at once -----------===//

#include "BatchedProducts.h"

#include "Tag.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace torchprof {

using namespace torch::jit;

namespace {

/// How many products \p N stands for; 0 for other nodes.
size_t productsIn(const Node *N) {
  if (N->kind() == prim::MMBatchSide)
    return N->outputs().size();
  if (N->kind() == prim::MMTreeReduce)
    return N->inputs().size() / 2; // all left factors, then all right ones
  return 0;
}

/// A gradient of a product is one with a factor transposed: the node that does
/// this for one of the products in \p N, if it is a gradient's, else null.
Node *transposedFactor(Node *N) {
  for (Value *Factor : N->inputs())
    if (Node *From = Factor->node(); From->kind() == aten::t)
      if (const TagContent *Tag = tagOf(From); Tag && Tag->Backward)
        return From;
  return nullptr;
}

/// What a block has and what it has lost.
class BlockProducts {
public:
  BlockProducts(Block *In, const std::shared_ptr<const NodeOrder> &Whole) {
    for (Node *N : In->nodes()) {
      if (size_t Products = productsIn(N); Products && !tagOf(N)) {
        Batches.emplace_back(N, Products);
        All += Products;
      }
    }
    if (Batches.empty())
      return;
    for (Node *N : In->nodes())
      if (const TagContent *Tag = tagOf(N))
        note(N, *Tag);
    if (Whole && In == In->owningGraph()->block()) {
      // The tags' own comes first: that of the root may be of another copy of
      // the model, whose tags are others.
      if (!Order)
        Order = Whole;
      Blocks.insert(0);
    }
    if (Order)
      findLost();
  }

  void tag() const {
    if (Lost.empty()) {
      for (auto [N, Products] : Batches)
        if (Node *Factor = transposedFactor(N))
          N->setScope(Factor->scope());
      return;
    }
    size_t Before = 0;
    for (auto [N, Products] : Batches) {
      size_t First = std::min(Lost.size() * Before / All, Lost.size() - 1);
      Before += Products;
      size_t End = std::max(Lost.size() * Before / All, First + 1);
      setTag(N, contentOf({Lost.begin() + First, Lost.begin() + End}));
    }
  }

private:
  void note(const Node *N, const TagContent &Tag) {
    if (!Tag.Order || (Order && Tag.Order != Order))
      return;
    Order = Tag.Order;
    const NodeSites &Was = (*Order)[Tag.Position];
    Blocks.insert(Was.Block);
    // What is left of an addmm() may be the sum alone.
    if (Was.Kind != aten::addmm || N->kind() != aten::add)
      Present.insert(Tag.Position);
  }

  void findLost() {
    for (size_t I = 0; I < Order->size(); ++I) {
      const NodeSites &Was = (*Order)[I];
      if ((Was.Kind == aten::mm || Was.Kind == aten::addmm) &&
          Blocks.count(Was.Block) && !Present.count(I))
        Lost.push_back(I);
    }
  }

  std::shared_ptr<const TagContent>
  contentOf(const std::vector<size_t> &Positions) const {
    auto Content = std::make_shared<TagContent>();
    static_cast<NodeSites &>(*Content) = (*Order)[Positions.front()];
    Content->Order = Order;
    Content->Position = Positions.front();
    for (size_t Position : Positions)
      if (const auto &Site = (*Order)[Position].Site)
        Content->Fused.push_back(*Site);
    return Content;
  }

  std::vector<std::pair<Node *, size_t>> Batches; ///< with their products
  size_t All = 0;                                 ///< of the products
  std::shared_ptr<const NodeOrder> Order;
  std::set<size_t> Blocks;  ///< of the method, that the nodes come from
  std::set<size_t> Present; ///< positions in the method's order
  std::vector<size_t> Lost; ///< such positions
};

void tagIn(Block *In, const std::shared_ptr<const NodeOrder> &Whole) {
  BlockProducts(In, Whole).tag();
  for (Node *N : In->nodes())
    for (Block *Inner : N->blocks())
      tagIn(Inner, Whole);
}

} // namespace

void tagBatchedProducts(Graph &Body,
                        const std::shared_ptr<const NodeOrder> &Order) {
  tagIn(Body.block(), Order);
}

} // namespace torchprof
