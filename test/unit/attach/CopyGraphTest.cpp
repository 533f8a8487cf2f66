//===- CopyGraphTest.cpp - copies of graphs whose nodes are replaced ------===//

#include "CopyGraph.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>

#include <algorithm>
#include <gtest/gtest.h>

using namespace torchprof;
using namespace torch::jit;

namespace {

std::shared_ptr<Graph> parsed(const std::string &Text) {
  auto G = std::make_shared<Graph>();
  parseIR(Text, G.get());
  return G;
}

std::string repeated(const std::string &Line, int Times) {
  std::string Text;
  for (int I = 0; I < Times; ++I)
    Text += Line;
  return Text;
}

TEST(CopyGraph, IsTheSameAsLibTorchsCopy) {
  std::shared_ptr<Graph> G = parsed(R"(
graph(%x : Tensor, %n : int):
  %c.1 : bool = prim::Constant[value=1]()
  %two.1 : int = prim::Constant[value=2]()
  %y.1 : Tensor = prim::Loop(%n, %c.1, %x)
    block0(%i.1 : int, %z.1 : Tensor):
      %b.1 : bool = aten::gt(%i.1, %two.1)
      %w.1 : Tensor = prim::If(%b.1)
        block0():
          %p.1 : Tensor = aten::add(%z.1, %x, %two.1)
          -> (%p.1)
        block1():
          -> (%z.1)
      -> (%c.1, %w.1)
  %u.1 : Tensor, %v.1 : Tensor = foreign::both[names=["a", "b"]](%y.1, %x)
  return (%v.1, %u.1, %v.1)
)");
  std::shared_ptr<Graph> Copy = copyToReplace(*G);
  Copy->lint();
  EXPECT_EQ(Copy->toString(), G->copy()->toString());
}

TEST(CopyGraph, ConstantsHaveFewUses) {
  std::shared_ptr<Graph> G =
      parsed("graph(%x : Tensor, %c : bool):\n"
             "  %one : int = prim::Constant[value=1]()\n" +
             repeated("  %y : Tensor = aten::add(%x, %x, %one)\n", 200) +
             "  %z : Tensor = prim::If(%c)\n    block0():\n" +
             repeated("      %w : Tensor = aten::add(%x, %x, %one)\n", 200) +
             "      -> (%w)\n    block1():\n      -> (%x)\n"
             "  return (%y, %z)\n");
  std::shared_ptr<Graph> Copy = copyToReplace(*G);
  Copy->lint();
  size_t Constants = 0, Uses = 0, Most = 0;
  for (Node *N : Copy->nodes())
    if (N->kind() == prim::Constant) {
      ++Constants;
      Uses += N->output()->uses().size();
      Most = std::max(Most, N->output()->uses().size());
      EXPECT_EQ(N->i(attr::value), 1);
    }
  EXPECT_EQ(Constants, 4u);
  EXPECT_EQ(Uses, 400u);
  EXPECT_EQ(Most, 128u);
  EXPECT_EQ(G->inputs()[0]->uses().size(), Copy->inputs()[0]->uses().size());
}

} // namespace
