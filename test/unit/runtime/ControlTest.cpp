//===- ControlTest.cpp - the interfaces of a host -------------------------===//

#include "TorchSupport.h"
#include "torchprof/torchprof.h"

#include <ATen/ATen.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <torch/csrc/jit/runtime/operator.h>

using namespace torchprof;
using namespace torchprof::test;

/// Calls torch.ops.torchprof.NAME(...) as Python does.
static std::vector<c10::IValue> call(const std::string &Name,
                                     std::vector<c10::IValue> Arguments = {}) {
  auto Found = torch::jit::getAllOperatorsFor(
      c10::Symbol::fromQualString("torchprof::" + Name));
  EXPECT_EQ(Found.size(), 1u) << Name;
  Found.front()->getOperation()(Arguments);
  return Arguments;
}

static void runOnce() {
  static const auto G = probed(graphText("  begin %b1 @1\n"
                                         "  %y : Tensor = aten::relu(%x)\n"
                                         "  end %b1 @1\n",
                                         "%y"));
  interpret(G, {at::ones({2})});
}

TEST(Control, OperatorsStartStopResetAndSnapshot) {
  TestFolder Folder;
  recordTorch(Folder.file("p-%s.tprof"), [&] {
    call("stop");
    runOnce();
    EXPECT_EQ(call("file")[0].toStringRef(), "");
    call("start");
    runOnce();
    EXPECT_EQ(call("file")[0].toStringRef(), Folder.file("p-0.tprof"));
    EXPECT_EQ(call("snapshot", {std::string()})[0].toInt(), 0);
    EXPECT_EQ(call("snapshots")[0].toInt(), 1);
    EXPECT_EQ(call("wait_snapshot", {0, 1000})[0].toInt(), 1);
    call("reset");
    runOnce();
    runOnce();
    EXPECT_EQ(call("flush")[0].toInt(), 0);
    call("step");
  });
  EXPECT_EQ(readProfile(Folder.file("p-1.tprof")).count(1), 1u);
  EXPECT_EQ(readProfile(Folder.file("p-0.tprof")).count(1), 2u);
}

TEST(Control, OperatorsMakeRegions) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    auto Begin = call("region_begin", {std::string("parse")})[0];
    runOnce();
    EXPECT_TRUE(call("region_end", {std::string("parse"), Begin}).empty());
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(P.region("parse")), 1u);
}

TEST(Control, OperatorStatsSayWhatTheInterfaceSays) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    EXPECT_EQ(call("set_option", {std::string("mode"), std::string("fast")})[0]
                  .toInt(),
              EINVAL);
    runOnce();
    auto Stats = call("stats")[0].toGenericDict();
    torchprof_stats Expected;
    torchprof_get_stats(&Expected, sizeof(Expected));
    EXPECT_EQ(Stats.size(), sizeof(Expected) / sizeof(uint64_t));
    EXPECT_EQ(Stats.at("count").toInt(), 1);
    EXPECT_EQ(Stats.at("file_bytes").toInt(), int64_t(Expected.file_bytes));
  });
}

TEST(Control, StatsOfAnOlderCallerAreCutToItsSize) {
  uint64_t Three[3] = {7, 7, 7};
  torchprof_get_stats(reinterpret_cast<torchprof_stats *>(Three),
                      2 * sizeof(uint64_t));
  EXPECT_EQ(Three[0], 0u);
  EXPECT_EQ(Three[2], 7u);
}

TEST(Control, NullArgumentsAreRefused) {
  EXPECT_EQ(torchprof_set_option(nullptr, "x"), EINVAL);
  EXPECT_EQ(torchprof_set_option("file", nullptr), EINVAL);
  EXPECT_EQ(torchprof_region_begin(torchprof_region(nullptr)), 0u);
  torchprof_get_stats(nullptr, 0);
}

TEST(Control, ForkedHostWritesAFileOfItsOwn) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    for (int I = 0; I < 5; ++I)
      runOnce();
    EXPECT_EQ(runChild([] {
                runOnce();
                runOnce();
              }),
              0);
    runOnce();
  });
  EXPECT_EQ(readProfile(Folder.file("p.tprof")).count(1), 6u);
  EXPECT_EQ(readProfile(Folder.file("p.1.tprof")).count(1), 2u);
}

TEST(Control, LibraryIsNeverUnmappedAndNamesNoFolder) {
  Dl_info Info;
  link_map *Map = nullptr;
  ASSERT_NE(dladdr1(reinterpret_cast<void *>(&torchprof_start), &Info,
                    reinterpret_cast<void **>(&Map), RTLD_DL_LINKMAP),
            0);
  bool NoDelete = false;
  for (const ElfW(Dyn) *D = Map->l_ld; D->d_tag != DT_NULL; ++D) {
    if (D->d_tag == DT_FLAGS_1)
      NoDelete = D->d_un.d_val & DF_1_NODELETE;
    EXPECT_NE(D->d_tag, DT_RUNPATH);
    EXPECT_NE(D->d_tag, DT_RPATH);
  }
  EXPECT_TRUE(NoDelete);
}
