//===- Lowering.h - one timed node for begin, node, end ---------*- C++ -*-===//
//
// A pair of probes costs the interpreter six instructions besides the node's
// own. Once an executor has optimized a graph, `begin; node; end` becomes one
//
//   torchprof::timed[Subgraph=<the node's clone>, site=N](inputs) -> outputs
//
// whose Operation reads the clock, runs the node's own Operation and reads the
// clock again. Recording does not depend on it: it is only speed.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_LOWERING_H
#define TORCHPROF_LOWERING_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace torch::jit {
struct Graph;
}

namespace torchprof {

/// What lowering did to a graph's pairs.
struct LoweringCounts {
  unsigned Lowered = 0;  ///< made one timed node
  unsigned Explicit = 0; ///< left as they were
  unsigned Dropped = 0;  ///< removed: nothing was left inside
  /// Of those lowered, the ones around several nodes: site and the nodes'
  /// kinds.
  std::vector<std::pair<int64_t, std::string>> Groups;
};

/// Replaces the pairs of \p G that can be replaced. Executors call it through
/// LibTorch's post passes, which may come from any thread.
LoweringCounts lowerProbes(torch::jit::Graph &G);

} // namespace torchprof

#endif // TORCHPROF_LOWERING_H
