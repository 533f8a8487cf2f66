//===- CopyGraph.cpp - a copy of a graph, to replace its nodes ------------===//

#include "CopyGraph.h"

#include <torch/csrc/jit/ir/ir.h>

#include <unordered_map>

namespace torchprof {

using namespace torch::jit;

namespace {

class Copier {
public:
  explicit Copier(Graph &Made) : Made(Made) {}

  void copyBlock(Block *From, Block *To) {
    for (Value *Input : From->inputs())
      Copies[Input] = To->addInput()->copyMetadata(Input);
    for (Node *N : From->nodes()) {
      Node *Copy = To->appendNode(Made.createClone(
          N, [&](Value *V) { return copyOf(V); }, /*copy_blocks=*/false));
      for (Block *Inner : N->blocks())
        copyBlock(Inner, Copy->addBlock());
      for (size_t I = 0; I < N->outputs().size(); ++I)
        Copies[N->output(I)] = Copy->output(I);
    }
    for (Value *Output : From->outputs())
      To->registerOutput(copyOf(Output));
  }

private:
  static constexpr size_t MostUses = 128;

  Value *copyOf(Value *V) {
    Value *&Copy = Copies.at(V);
    Node *By = Copy->node();
    if (By->kind() == prim::Constant && Copy->uses().size() == MostUses)
      Copy = Made.createClone(By, [](Value *Input) { return Input; })
                 ->insertAfter(By)
                 ->output();
    return Copy;
  }

  Graph &Made;
  std::unordered_map<Value *, Value *> Copies;
};

} // namespace

std::shared_ptr<Graph> copyToReplace(Graph &Body) {
  auto Made = std::make_shared<Graph>();
  Copier(*Made).copyBlock(Body.block(), Made->block());
  return Made;
}

} // namespace torchprof
