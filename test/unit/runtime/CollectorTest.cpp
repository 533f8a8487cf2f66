//===- CollectorTest.cpp - what probes leave in the file ------------------===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace torchprof;
using namespace torchprof::test;
using torchprof::format::Counter;

TEST(Collector, PairIsCountedExactly) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 3);
    for (uint64_t Ticks : {5, 100, 3, 70, 1, 2, 4, 6, 8})
      span(site(7, 2), Ticks);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  const format::Cell &C = P.cell(2);
  EXPECT_EQ(C.Word, 18u);
  EXPECT_EQ(C.Begins, 9u);
  EXPECT_EQ(C.Cut, 0u);
  EXPECT_EQ(C.Sum, 199u);
  EXPECT_EQ(C.SquaresLow, 25u + 10000 + 9 + 4900 + 1 + 4 + 16 + 36 + 64);
  EXPECT_EQ(C.SquaresHigh, 0u);
  EXPECT_EQ(C.Min, 1u);
  EXPECT_EQ(C.Max, 100u);
  EXPECT_EQ(C.Pairs, 9u);
  const uint64_t First[format::FirstSamples] = {5, 100, 3, 70, 1};
  EXPECT_TRUE(std::equal(std::begin(First), std::end(First), C.First));
  EXPECT_EQ(C.Histogram[format::histogramBucket(70)], 1u);
  EXPECT_EQ(C.Histogram[format::histogramBucket(100)], 1u);
  EXPECT_EQ(P.Header.State, format::FileState::Closed);
  ASSERT_EQ(P.Models.size(), 1u);
  EXPECT_EQ(P.Models[0].ModelId, 7u);
  EXPECT_EQ(P.Manifests[0], manifestText(7, 3));
  ASSERT_EQ(P.Lanes.size(), 1u);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
}

TEST(Collector, SumOfSquaresCarriesInto128Bits) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 2);
    for (int I = 0; I < 5; ++I)
      span(site(7, 1), uint64_t(1) << 40);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.cell(1).SquaresLow, 0u);
  EXPECT_EQ(P.cell(1).SquaresHigh, uint64_t(5) << 16);
}

TEST(Collector, FullBucketIsContinuedInAnotherCell) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 2);
    span(site(7, 1), 9);
    totals(); // folds
    format::Cell &C = *knownEntry(*ThisLane, format::Slot{1})->Data;
    // As after 2^32 - 3 further spans; one more fills the bucket.
    C.Histogram[format::histogramBucket(9)] = UINT32_MAX - 1;
    C.Begins = UINT32_MAX - 1;
    C.Word = 2 * C.Begins;
    for (int I = 0; I < 3; ++I)
      span(site(7, 1), 9);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  ASSERT_EQ(P.Cells.size(), 2u);
  EXPECT_EQ(P.count(1), uint64_t(UINT32_MAX) + 2);
  EXPECT_EQ(P.begins(1), P.count(1));
  for (const ReadProfile::CellOf &C : P.Cells)
    EXPECT_EQ(C.Data.Histogram[format::histogramBucket(9)], C.count());
}

TEST(Collector, BeginWithoutEndIsUnfinished) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    beginSpan(site(7, 1));
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.begins(1), 1u);
  EXPECT_EQ(P.count(1), 0u);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::Slot{1});
}

TEST(Collector, ModelThatNeverRanLeavesNoFile) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] { addTestModel(7, 2); });
  EXPECT_TRUE(Folder.names().empty());
}

TEST(Collector, OffLeavesNoFile) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    ASSERT_EQ(setOption("enabled", "off"), 0);
    addTestModel(7, 2);
    span(site(7, 1), 1);
    start();
    span(site(7, 1), 1);
  });
  EXPECT_TRUE(Folder.names().empty());
}

TEST(Collector, SpanOfAnUnknownModelIsCountedAsLost) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    span(site(7, 1), 1);
    span(site(8, 1), 1);
    span(site(7, 2), 1); // beyond the model's sites
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.counter(Counter::LostNoModel), 2u);
  EXPECT_EQ(P.count(1), 1u);
}

TEST(Collector, SameModelTwiceIsOneSetOfSites) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    addModel(manifestText(7, 2, "aten::add")); // ids are compared, not texts
    span(site(7, 1), 1);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  ASSERT_EQ(P.Models.size(), 1u);
  EXPECT_EQ(P.Manifests[0], manifestText(7, 2));
}

TEST(Collector, ManyModelsKeepTheirSlotsApart) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    for (uint64_t Id = 1; Id <= 200; ++Id)
      addTestModel(Id * 64, 2); // ids that collide in the table
    for (uint64_t Id = 1; Id <= 200; ++Id)
      span(site(Id * 64, 1), Id);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  ASSERT_EQ(P.Models.size(), 200u);
  for (const format::ModelRecord &M : P.Models)
    EXPECT_EQ(P.sum(number(M.FirstSlot) + 1), M.ModelId / 64);
}

TEST(Collector, DamagedManifestIsOneWarningAndNotRecorded) {
  startAfresh();
  testing::internal::CaptureStderr();
  for (int Load = 0; Load < 3; ++Load)
    addModel("torchprof-manifest 99\n");
  std::string Warning = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(Warning.begin(), Warning.end(), '\n'), 1) << Warning;
  EXPECT_NE(Warning.find("torchprof: warning: model not recorded: "),
            std::string::npos)
      << Warning;
}

TEST(Collector, OptionsAreRefusedWhereTheyCannotHelp) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    EXPECT_EQ(setOption("colour", "red"), ENOENT);
    EXPECT_EQ(setOption("mode", "fast"), EINVAL);
    EXPECT_EQ(setOption("mode", "trace"), 0);
    addTestModel(7, 2);
    // Who only asks may still set options.
    EXPECT_EQ(snapshots(), 0u);
    EXPECT_EQ(totals().Count, 0u);
    EXPECT_EQ(flush(), 0);
    EXPECT_EQ(setOption("mode", "aggregate"), 0);
    span(site(7, 1), 1);
    EXPECT_EQ(setOption("mode", "trace"), EBUSY);
    EXPECT_EQ(setOption("file", "other.tprof"), EBUSY);
  });
}

TEST(Collector, OnlyTheFileCanBeNamedAfterAStop) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    stop();
    EXPECT_EQ(setOption("mode", "trace"), EBUSY);
    EXPECT_EQ(setOption("file", Folder.file("other.tprof")), 0);
    start();
    addTestModel(7, 2);
    span(site(7, 1), 1);
  });
  EXPECT_EQ(readProfile(Folder.file("other.tprof")).count(1), 1u);
}

TEST(Collector, TakenNameGetsANumberAndALineThatNamesTheFile) {
  TestFolder Folder;
  testing::internal::CaptureStderr();
  for (int I = 0; I < 3; ++I)
    record(Folder.file("p.tprof"), [] {
      addTestModel(7, 2);
      span(site(7, 1), 1);
    });
  std::string Taken =
      "torchprof: note: " + Folder.file("p.tprof") + " exists; recording into ";
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            Taken + Folder.file("p.1.tprof") + "\n" + Taken +
                Folder.file("p.2.tprof") + "\n");
  EXPECT_EQ(Folder.names(),
            (std::vector<std::string>{"p.1.tprof", "p.2.tprof", "p.tprof"}));
  EXPECT_EQ(readProfile(Folder.file("p.tprof")).count(1), 1u);
}

TEST(Collector, HostThatNumbersNamesAsksForTheOneThatItGets) {
  TestFolder Folder;
  testing::internal::CaptureStderr();
  for (int I = 0; I < 2; ++I)
    record(Folder.file("p.%s.tprof"), [&] {
      addTestModel(7, 2);
      span(site(7, 1), 1);
      EXPECT_EQ(profilePath(), Folder.file(I ? "p.0.1.tprof" : "p.0.tprof"));
      EXPECT_EQ(snapshot(""), 0);
    });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(Folder.names(),
            (std::vector<std::string>{"p.0.1.tprof", "p.0.tprof", "p.1.1.tprof",
                                      "p.1.tprof"}));
}

TEST(Collector, FilePatternNamesProcessAndHost) {
  char Host[256] = "";
  gethostname(Host, sizeof(Host) - 1);
  EXPECT_EQ(expandPattern("a-%p-%h-%s-%%-%x-%", 3),
            "a-" + std::to_string(getpid()) + "-" + Host + "-3-%-%x-%");
  EXPECT_EQ(numberedName("d.d/a.tprof", 2), "d.d/a.2.tprof");
  EXPECT_EQ(numberedName("d.d/a", 2), "d.d/a.2");
  EXPECT_EQ(numberedName(".tprof", 2), ".tprof.2");
}
