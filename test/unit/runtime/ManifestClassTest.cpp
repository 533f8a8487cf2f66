//===- ManifestClassTest.cpp - manifests inside models --------------------===//

#include "TorchSupport.h"
#include "torchprof/Runtime.h"

#include <ATen/ATen.h>
#include <atomic>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/custom_class.h>

using namespace torchprof;
using namespace torchprof::test;

static std::string textOf(const c10::IValue &Manifest) {
  torch::jit::Stack S{Manifest};
  Manifest.toObject()->type()->getMethod("text").run(S);
  return S.back().toStringRef();
}

/// A module that holds a manifest, saved and loaded again.
static torch::jit::Module saveAndLoad(const c10::IValue &Manifest) {
  torch::jit::Module M("m");
  M.register_attribute("manifest", Manifest.type(), Manifest);
  std::stringstream File;
  M.save(File);
  return torch::jit::load(File);
}

TEST(ManifestClass, TextSurvivesSaveAndLoad) {
  EXPECT_EQ(runChild([] {
              std::string Text = manifestText(9, 3);
              auto M = saveAndLoad(makeManifest(Text));
              EXPECT_EQ(textOf(M.attr("manifest")), Text);
            }),
            0);
}

TEST(ManifestClass, DamagedTextLoadsWithOneWarning) {
  EXPECT_EQ(runChild([] {
              testing::internal::CaptureStderr();
              c10::IValue Manifest = makeManifest("rubbish");
              std::string Warning = testing::internal::GetCapturedStderr();
              EXPECT_EQ(textOf(Manifest), "rubbish");
              EXPECT_NE(Warning.find("model not recorded"), std::string::npos);
            }),
            0);
}

TEST(ManifestClass, AnOlderTextSaysToInstrumentAgain) {
  EXPECT_EQ(runChild([] {
              testing::internal::CaptureStderr();
              makeManifest("torchprof-manifest 1\nmodel 1\n");
              EXPECT_NE(testing::internal::GetCapturedStderr().find(
                            "model not recorded: the model was instrumented by "
                            "an older torchprof; instrument the model again"),
                        std::string::npos);
            }),
            0);
}

TEST(ManifestClass, ABlankTextIsNotRegistered) {
  EXPECT_EQ(runChild([] {
              testing::internal::CaptureStderr();
              EXPECT_EQ(textOf(makeManifest("")), "");
              EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
            }),
            0);
}

TEST(ManifestClass, LoadingAloneLeavesNoFile) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"),
              [] { saveAndLoad(makeManifest(manifestText(9, 3))); });
  EXPECT_TRUE(Folder.names().empty());
}

TEST(ManifestClass, ModelsOfOneIdAreOneModel) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    auto G = probedRelu();
    c10::IValue First = makeManifest(manifestText(7, 20));
    c10::IValue Second = makeManifest(manifestText(7, 20, "aten::add"));
    at::Tensor X = at::randn({8});
    for (int I = 0; I < 3; ++I) {
      interpret(G, {First, X});
      interpret(G, {Second, X});
    }
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.Models.size(), 1u);
  EXPECT_EQ(P.count(1), 6u);
}

TEST(ManifestClass, FileNamesTheFramework) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    torchprof::Region Scope("work");
    EXPECT_EQ(torchprof::profileFile().empty(), false);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(std::string(P.Process.Framework).rfind("LibTorch ", 0), 0u);
  EXPECT_EQ(P.begins(P.region("work")), 1u);
  EXPECT_GT(P.Process.ExplicitProbeTicksX16, P.Process.LoweredProbeTicksX16);
  EXPECT_NE(P.Process.PairOffsetTicksX16, 0u);
}

TEST(ManifestClass, ScopedRecordingRecordsItsScopeOnly) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    torchprof::stopRecording();
    torchprof::RegionName Name("r");
    { torchprof::Region Out(Name); }
    {
      torchprof::ScopedRecording Recording;
      torchprof::Region In(Name);
    }
    { torchprof::Region Out(Name); }
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(P.region("r")), 1u);
}

TEST(ManifestClass, RecordingStopsAtTheEndOfTheLastScope) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    torchprof::stopRecording();
    torchprof::RegionName Name("r");
    std::atomic<int> Stage{0};
    auto WaitFor = [&](int Which) {
      while (Stage < Which)
        std::this_thread::yield();
    };
    std::thread Other;
    {
      torchprof::ScopedRecording Outer;
      { torchprof::ScopedRecording Inner; }
      { torchprof::Region In(Name); }
      std::thread([] { torchprof::ScopedRecording Shorter; }).join();
      { torchprof::Region In(Name); }
      Other = std::thread([&] {
        torchprof::ScopedRecording Longer;
        Stage = 1;
        WaitFor(2);
        torchprof::Region In(Name);
      });
      WaitFor(1);
    }
    Stage = 2;
    Other.join();
    { torchprof::Region Out(Name); }
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(P.region("r")), 3u);
}

TEST(ManifestClass, AScopeIsRecordedWhoeverEndsOneMeanwhile) {
  constexpr unsigned Scopes = 500;
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    torchprof::stopRecording();
    torchprof::RegionName Name("r");
    auto Serve = [&] {
      for (unsigned I = 0; I < Scopes; ++I) {
        torchprof::ScopedRecording Recording;
        torchprof::Region In(Name);
      }
    };
    std::thread Other(Serve);
    Serve();
    Other.join();
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(P.region("r")), 2 * Scopes);
}

TEST(ManifestClass, AForkedChildIsInNoScopeOfItsParent) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    torchprof::RegionName Name("r");
    torchprof::ScopedRecording Recording;
    { torchprof::Region In(Name); } // makes the parent's file
    EXPECT_EQ(runChild([&] {
                {
                  torchprof::ScopedRecording Own;
                  torchprof::Region In(Name);
                }
                { torchprof::Region Out(Name); }
              }),
              0);
  });
  for (const char *Name : {"p.tprof", "p.1.tprof"}) {
    ReadProfile P = readProfile(Folder.file(Name));
    EXPECT_EQ(P.count(P.region("r")), 1u);
  }
}
