//===- ModelIdentityTest.cpp - ids of models in memory --------------------===//
//
// test/lit/opt/identity.test has models from files; these were never saved.
//
//===----------------------------------------------------------------------===//

#include "torchprof/Passes.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <gtest/gtest.h>
#include <sstream>

using namespace torchprof;
using torch::jit::Module;

namespace {

/// A list of constants, names that occur twice, control flow, and a fork.
const char NetCode[] = R"(
def helper(self, x):
  x = torch.relu(x)
  x = torch.max_pool2d(x, [2, 2], [2, 2])
  return x

def forward(self, x, n: int):
  y = self.helper(x)
  for i in range(n):
    x = torch.add(y, 1.5)
    if bool(torch.gt(torch.sum(x), 0)):
      y = x
      z = torch.neg(y)
    else:
      z = torch.abs(y)
    y = z
  return torch.add(y, x)
)";

Module makeNet(const std::string &Text = NetCode,
               const std::string &Class = "__torch__.net.Net") {
  Module M(Class);
  M.define(Text);
  return M;
}

Module saveAndLoad(const Module &M) {
  std::stringstream Archive;
  M.save(Archive);
  return torch::jit::load(Archive);
}

uint64_t idOf(const Module &M, const InstrumentOptions &Options = {}) {
  return numberModule(M, Options).Table.ModelId;
}

std::string replaced(std::string Text, const std::string &From,
                     const std::string &To) {
  size_t At = Text.find(From);
  EXPECT_NE(At, std::string::npos);
  return Text.replace(At, From.size(), To);
}

} // namespace

TEST(ModelIdentity, IsThatOfTheSavedFile) {
  Module M = makeNet();
  Module Loaded = saveAndLoad(M);
  EXPECT_EQ(idOf(M), idOf(Loaded));
  EXPECT_EQ(idOf(M), idOf(saveAndLoad(Loaded)));
  InstrumentOptions All;
  All.Nodes = NodeChoice::All;
  EXPECT_EQ(idOf(M, All), idOf(Loaded, All));
  EXPECT_NE(idOf(M), idOf(M, All));
}

TEST(ModelIdentity, SurvivesCopies) {
  Module M = makeNet();
  EXPECT_EQ(idOf(M), idOf(M.deepcopy()));
  EXPECT_EQ(idOf(M), idOf(M.clone()));
}

TEST(ModelIdentity, DoesNotKnowWhereAClassWasFound) {
  EXPECT_EQ(idOf(makeNet(NetCode, "__torch__.net.Net")),
            idOf(makeNet(NetCode, "__torch__.lib.___torch_mangle_7.Net")));
  EXPECT_NE(idOf(makeNet(NetCode, "__torch__.net.Net")),
            idOf(makeNet(NetCode, "__torch__.net.Other")));
}

TEST(ModelIdentity, KnowsTheNamesOfMethodsButNotOfValues) {
  uint64_t Id = idOf(makeNet());
  EXPECT_NE(Id,
            idOf(makeNet(replaced(replaced(NetCode, "def helper", "def other"),
                                  "self.helper", "self.other"))));
  EXPECT_EQ(Id, idOf(makeNet(replaced(replaced(NetCode, "y = self.helper(x)",
                                               "q = self.helper(x)"),
                                      "for i in", "y = q\n  for i in"))));
}

TEST(ModelIdentity, ChangesWithEveryPartOfTheCode) {
  uint64_t Id = idOf(makeNet());
  for (auto [From, To] : {
           std::pair("torch.relu(x)", "torch.tanh(x)"),
           std::pair("1.5", "1.25"),
           std::pair("[2, 2], [2, 2]", "[2, 2], [2, 1]"),
           std::pair("torch.add(y, x)", "torch.add(x, y)"),
           std::pair("range(n)", "range(7)"),
           std::pair("y = x\n      z = torch.neg(y)",
                     "z = torch.neg(y)\n      y = x"),
       })
    EXPECT_NE(Id, idOf(makeNet(replaced(NetCode, From, To)))) << From;
}

TEST(ModelIdentity, IsTheOneThatTheInstrumentedModelHas) {
  Module M = makeNet();
  uint64_t Id = idOf(M);
  Module Reloaded;
  EXPECT_EQ(instrumentAndReload(M, {}, Reloaded).Numbering.Table.ModelId, Id);
  Manifest Table;
  ASSERT_TRUE(readManifest(Reloaded, Table));
  EXPECT_EQ(Table.ModelId, Id);
}
