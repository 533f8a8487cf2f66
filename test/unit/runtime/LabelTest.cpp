//===- LabelTest.cpp - labels that a host in C++ has for profilers --------===//

#include "TorchSupport.h"
#include "torchprof/torchprof.h"

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

using namespace torchprof;
using namespace torchprof::test;

/// A run of a model of one node.
static void run() {
  auto Manifest = makeManifest(manifestText(7, 20));
  auto Model = probedRelu();
  interpret(Model, {Manifest, at::ones({4})});
}

TEST(Label, OfAHostInCppIsARegionWithTheRunsInIt) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    ASSERT_EQ(torchprof_set_option("record", "labels"), 0);
    run(); // labels are seen from now on
    {
      RECORD_USER_SCOPE("request");
      [] {
        RECORD_USER_SCOPE("forward");
        run();
      }();
    }
    std::thread([] { RECORD_USER_SCOPE("request"); }).join();
    try {
      RECORD_USER_SCOPE("fails");
      throw std::runtime_error("of the host");
    } catch (const std::runtime_error &) {
    }
    RECORD_FUNCTION("not a label", {});
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.Children.size(), 3u);
  EXPECT_EQ(P.count(P.region("request")), 2u);
  EXPECT_EQ(P.count(P.region("fails")), 1u);
  // It lies in the outer one, and the second run in both.
  uint32_t Inner = P.region("forward");
  EXPECT_EQ(P.count(Inner), 1u);
  for (const ReadProfile::ChildOf &C : P.Children) {
    if (C.Name == "forward") {
      EXPECT_EQ(number(C.Parent), P.region("request"));
    }
  }
  EXPECT_EQ(P.count(0), 2u);
}
