//===- InstrumentTest.cpp - instrument and reload in memory ---------------===//

#include "torchprof/Passes.h"
#include "torchprof/format/Site.h"

#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/serialization/import.h>

#include <gtest/gtest.h>
#include <sstream>

using namespace torchprof;
using torch::jit::Module;

namespace {

/// The call always raises, which shows only when it is inlined: the importer
/// then removes what follows the assertion.
const char Code[] = R"(
def check(self, x, offsets: Optional[Tensor]):
  assert offsets is not None, "no offsets"
  return torch.neg(offsets)

def forward(self, x):
  y = x
  if bool(torch.gt(torch.sum(x), 100)):
    y = self.check(x, None)
  return torch.add(y, x)
)";

Module makeModule() {
  Module M("__torch__.net.Net");
  M.define(Code);
  return M;
}

Manifest manifestOf(const Module &M) {
  Manifest Table;
  EXPECT_TRUE(readManifest(M, Table));
  return Table;
}

std::string errorOf(Module &M, const InstrumentOptions &Options) {
  Module Reloaded;
  try {
    instrumentAndReload(M, Options, Reloaded);
  } catch (const InstrumentError &E) {
    return E.what();
  }
  return "";
}

/// An instrumented module, and what verifyProbes() says once something is
/// changed.
class ChangedModel : public testing::Test {
protected:
  ChangedModel() {
    Module M = makeModule();
    instrumentAndReload(M, {}, Reloaded);
    Table = manifestOf(Reloaded);
    Methods = instrumentedMethods(Reloaded);
    EXPECT_EQ(problems(), std::vector<std::string>());
  }

  std::vector<std::string> problems() const {
    return verifyProbes(Methods, &Table);
  }

  /// How the verifier names a site of the code.
  std::string site(uint32_t Index) const {
    return "site " +
           std::to_string(format::SiteId(Table.ModelId, Index).number());
  }

  Module Reloaded;
  Manifest Table;
  std::vector<MethodGraph> Methods;
};

} // namespace

TEST(InstrumentAndReload, FlagsWhatVanishedInBothModules) {
  Module M = makeModule(), Reloaded;
  InstrumentResult Result = instrumentAndReload(M, {}, Reloaded);
  EXPECT_EQ(Result.Problems, std::vector<std::string>());
  EXPECT_GT(Result.Vanished, 0u);
  Manifest Table = manifestOf(Reloaded);
  uint64_t Flagged = 0;
  for (const ManifestSite &Site : Table.Sites)
    Flagged += (Site.Flags & SF_Vanished) != 0;
  EXPECT_EQ(Flagged, Result.Vanished);
  EXPECT_EQ(printManifest(manifestOf(M)), printManifest(Table));

  // The saved module loads as the reloaded one.
  std::stringstream Archive;
  M.save(Archive);
  Module Again = torch::jit::load(Archive);
  EXPECT_EQ(printManifest(manifestOf(Again)), printManifest(Table));
  EXPECT_EQ(verifyProbes(instrumentedMethods(Again), &Table),
            std::vector<std::string>());
}

TEST(InstrumentAndReload, TheReloadedModuleRuns) {
  Module M = makeModule(), Original = makeModule(), Reloaded;
  instrumentAndReload(M, {}, Reloaded);
  at::Tensor X = at::ones({4});
  for (int I = 0; I < 3; ++I)
    EXPECT_TRUE(Reloaded.forward({X}).toTensor().equal(
        Original.forward({X}).toTensor()));
}

TEST(InstrumentAndReload, NamesTheModel) {
  Module M = makeModule(), Reloaded;
  instrumentAndReload(M, {}, Reloaded);
  EXPECT_EQ(manifestOf(Reloaded).ModelName, "Net");
  Module Named = makeModule();
  InstrumentOptions Options;
  Options.ModelName = "net-7";
  instrumentAndReload(Named, Options, Reloaded);
  EXPECT_EQ(manifestOf(Reloaded).ModelName, "net-7");
}

TEST(InstrumentAndReload, RefusesToDoItTwice) {
  Module M = makeModule(), Reloaded;
  instrumentAndReload(M, {}, Reloaded);
  EXPECT_EQ(errorOf(Reloaded, {}), "the model is instrumented already; "
                                   "torchprof-opt --strip removes the probes");
}

TEST(InstrumentAndReload, NamesTheFiltersThatLeaveNothing) {
  auto Message = [](std::vector<std::string> Include,
                    std::vector<std::string> Exclude) {
    Module M = makeModule();
    InstrumentOptions Options;
    Options.Include = std::move(Include);
    Options.Exclude = std::move(Exclude);
    return errorOf(M, Options);
  };
  EXPECT_EQ(Message({"aten::ad"}, {}),
            "no site matches --include='aten::ad'; did you mean aten::add?");
  EXPECT_EQ(Message({"layer9.*"}, {}), "no site matches --include='layer9.*'");
  EXPECT_EQ(Message({"aten::*"}, {"*::*"}),
            "--exclude='*::*' leaves no site of --include='aten::*'");
  EXPECT_EQ(Message({}, {"x", "*"}),
            "--exclude='x' --exclude='*' leaves no site");
  EXPECT_EQ(Message({"layer9.*"}, {"*"}),
            "no site matches --include='layer9.*' --exclude='*'");
}

TEST(InstrumentAndReload, TheManifestKeepsWhatChoseTheSites) {
  InstrumentOptions Options;
  Options.Nodes = NodeChoice::All;
  Options.Level = Granularity::Module;
  Options.Include = {"aten::add", "aten::*"};
  Options.Methods = {"forward"};
  Module M = makeModule(), Reloaded;
  InstrumentResult Result = instrumentAndReload(M, Options, Reloaded);
  Manifest Table = manifestOf(Reloaded);
  auto Read = instrumentOptions(Table.Options);
  ASSERT_TRUE(Read);
  EXPECT_EQ(Read->Nodes, Options.Nodes);
  EXPECT_EQ(Read->Level, Options.Level);
  EXPECT_EQ(Read->Include, Options.Include);
  EXPECT_EQ(Read->Exclude, Options.Exclude);
  EXPECT_EQ(Read->Methods, Options.Methods);
}

TEST(InstrumentOptions, AnOptionOfANewerVersionIsNotGuessed) {
  EXPECT_EQ(manifestOptions({}), std::vector<ManifestOption>());
  EXPECT_TRUE(instrumentOptions({}));
  EXPECT_FALSE(instrumentOptions({{"depth", "2"}}));
  EXPECT_FALSE(instrumentOptions({{"nodes", "some"}}));
  EXPECT_FALSE(instrumentOptions({{"granularity", ""}}));
}

TEST_F(ChangedModel, ManifestOfAnotherModelIsNamed) {
  std::string Of = std::to_string(Table.ModelId);
  std::string Root = site(0);
  ++Table.ModelId;
  std::vector<std::string> Found = problems();
  ASSERT_FALSE(Found.empty());
  EXPECT_EQ(Found[0], "manifest: " + Root + ": expected a site of model " +
                          std::to_string(Table.ModelId) + ", found one of " +
                          Of);
}

TEST_F(ChangedModel, SiteBeyondTheManifestIsNamed) {
  while (Table.Sites.back().Flags & SF_Vanished)
    Table.Sites.pop_back();
  Table.Sites.pop_back();
  auto Last = uint32_t(Table.Sites.size());
  EXPECT_EQ(problems(),
            std::vector<std::string>{"manifest: " + site(Last) +
                                     ": the manifest has no index " +
                                     std::to_string(Last)});
}

TEST_F(ChangedModel, VanishedSiteHasNoProbes) {
  Table.Sites[0].Flags |= SF_Vanished;
  EXPECT_EQ(problems(),
            std::vector<std::string>{"manifest: site index 0 is flagged as "
                                     "vanished, but has probes"});
}

TEST_F(ChangedModel, EndBeforeItsBeginIsNamed) {
  torch::jit::Node *Begin = nullptr;
  for (torch::jit::Node *N : Methods[0].Body->nodes())
    if (!Begin && N->kind().toQualString() == std::string("torchprof::begin"))
      Begin = N;
  ASSERT_TRUE(Begin);
  Begin->output()->uses()[0].user->moveBefore(Begin);
  std::vector<std::string> Found = problems();
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0],
            Methods[0].Name + ": " + site(1) + ": the end is before its begin");
}

TEST_F(ChangedModel, LostMethodIsNamedByStrip) {
  Reloaded.type()->unsafeRemoveMethod("forward");
  try {
    stripModule(Reloaded);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InstrumentError &E) {
    EXPECT_EQ(std::string(E.what()),
              "the method 'forward' is gone; only its original is left");
  }
}

TEST(InstrumentAndReload, ASiteNamesAtMost64Producers) {
  std::string Text = "def forward(self, x):\n  return torch.cat([";
  for (int I = 0; I < 70; ++I)
    Text += "torch.relu(x), ";
  Module M("__torch__.net.Wide"), Reloaded;
  M.define(Text + "])\n");
  instrumentAndReload(M, {}, Reloaded);
  Manifest Table = manifestOf(Reloaded);
  ASSERT_EQ(Table.Sites.size(), 1u + 70u + 1u);
  EXPECT_EQ(Table.Sites.back().Producers.size(), 64u);
}
