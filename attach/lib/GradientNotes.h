//===- GradientNotes.h - what a backward graph says of gradients *- C++ -*-===//
//
// Behind a group the engine adds up and frees gradients, and frees what the
// group's forward has kept for them. So that this can be counted to the nodes,
// the timed copy of the group's backward graph notes, before it returns, which
// gradient is whose, and whose gradient needed what it has got
// (runtime/torch/GroupGradients.h).
//
// Where LibTorch keeps a second form of the graph, for gradients that turn out
// to be undefined, the interpreter frees what the graph takes behind both. The
// copy frees it there tensor by tensor, in rows of the same name.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_GRADIENTNOTES_H
#define TORCHPROF_ATTACH_GRADIENTNOTES_H

#include "torchprof/format/Site.h"

#include <vector>

namespace torch::jit {
struct Block;
struct Graph;
struct Node;
struct Value;
} // namespace torch::jit

namespace torchprof {

/// The node of a gradient's tag that is \p N or, if \p N adds up gradients,
/// came last of those; null if there is none.
torch::jit::Node *gradientIn(torch::jit::Node *N);

/// True if any node in \p In has a gradient's tag.
bool hasGradientTags(torch::jit::Block *In);

class GradientNotes {
public:
  /// Looks at a copy with tags, before anything in it is timed. Both must live
  /// until the notes are inserted.
  explicit GradientNotes(torch::jit::Graph &Body);

  /// Lets the graph, timed by now, say what there is to say.
  void insert();

private:
  /// The gradients that a block returns.
  struct Returned {
    torch::jit::Node *By; ///< takes them: the return, or what makes a tuple
    std::vector<format::Slot> Unused; ///< by input of that node, or NoSlot
  };
  /// A tensor that the graph takes.
  struct Needed {
    torch::jit::Value *Input;
    format::Slot Freed; ///< of the last gradient that needs it, or NoSlot
  };
  void findReturned(torch::jit::Block *From);
  bool hasGradients() const;
  void findNeeded();
  torch::jit::Value *insertSlots(const std::vector<format::Slot> &Slots);
  void noteReturned(const Returned &Of);
  void freeInputs();

  torch::jit::Graph &Body;
  std::vector<Returned> Blocks; ///< which the graph may return from
  /// By place, as far as the number of tensors is known before the graph runs.
  std::vector<Needed> Tensors;
};

} // namespace torchprof

#endif // TORCHPROF_ATTACH_GRADIENTNOTES_H
