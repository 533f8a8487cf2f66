//===- TimedNode.h - a node that reads the clock ----------------*- C++ -*-===//
//
//   torchprof::timed[Subgraph=<clones of the members>, site=N](...) -> ...
//
// Timed nodes of one graph share the Subgraph of a member that is all that its
// operator's schema says: a graph takes thirty allocations and 3 KB.
//
// Its Operation reads the clock, runs what the members would have run and reads
// the clock again. It belongs into graphs that nothing optimizes any more:
// nothing that LibTorch knows of the members is known of it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TIMEDNODE_H
#define TORCHPROF_TIMEDNODE_H

#include "torchprof/format/Site.h"
#include "torchprof/torchprof.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace torch::jit {
struct Graph;
struct Node;
struct Operator;
} // namespace torch::jit

namespace torchprof {

/// True if the interpreter runs the node by calling its Operation alone. What
/// it emits instructions of its own for has no Operation, or one that throws.
TORCHPROF_API bool isPlainOperator(torch::jit::Node *N);

/// Whether a node's outputs can be outputs of autograd functions: in the
/// forward of a differentiable group they cannot, LibTorch detaches its inputs.
enum class Gradients : uint8_t { MayFlow, AreCut };

/// Makes the timed nodes of a graph, which outlives it.
class TORCHPROF_API TimedNodes {
public:
  explicit TimedNodes(torch::jit::Graph &G,
                      Gradients OfOutputs = Gradients::MayFlow)
      : G(G), OfOutputs(OfOutputs) {}

  /// Replaces \p Members, plain operators of one block in their order, by one
  /// timed node that stands directly before \p Before; only constants may stand
  /// between the members and \p Before. Null, with the graph unchanged, if
  /// clones of the members would not run what the members run.
  torch::jit::Node *replace(const std::vector<torch::jit::Node *> &Members,
                            torch::jit::Node *Before, format::SiteId Site);

private:
  torch::jit::Graph &G;
  const Gradients OfOutputs;
  /// Of operators whose nodes differ by nothing but their values.
  std::unordered_map<const torch::jit::Operator *,
                     std::shared_ptr<torch::jit::Graph>>
      Shared;
};

/// The kinds of the nodes, "aten::t, aten::matmul".
TORCHPROF_API std::string
kindsOf(const std::vector<torch::jit::Node *> &Members);

} // namespace torchprof

#endif // TORCHPROF_TIMEDNODE_H
