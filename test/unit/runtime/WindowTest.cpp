//===- WindowTest.cpp - start, stop, reset, schedule, snapshots -----------===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace torchprof;
using namespace torchprof::test;
using torchprof::format::Counter;

namespace {

/// A case with a model of id 7 on the test's clock.
using WindowTest = RecordedModel;

/// One run of the model: the root with one node of \p Ticks inside.
void runFor(uint64_t Ticks) {
  inRun([&] { span(site(7, 1), Ticks); });
}

} // namespace

TEST_F(WindowTest, StoppedSpansAreNotCounted) {
  recordIt([] {
    span(site(7, 1), 1);
    stop();
    span(site(7, 1), 10);
    start();
    span(site(7, 1), 100);
  });
  EXPECT_EQ(profile().sum(1), 101u);
  EXPECT_EQ(profile().begins(1), 2u);
}

TEST_F(WindowTest, StoppedFromTheBeginningLeavesNoFile) {
  recordIt([] {
    stop();
    span(site(7, 1), 1);
  });
  EXPECT_TRUE(Folder.names().empty());
}

TEST_F(WindowTest, SpanOpenAtTheOpeningIsCut) {
  recordIt([] {
    span(site(7, 1), 1);
    stop();
    uint64_t Begin = beginSpan(site(7, 1));
    EXPECT_EQ(Begin, 0u);
    advanceClock(5);
    start();
    advanceClock(5);
    endSpan(Begin, site(7, 1));
  });
  EXPECT_EQ(profile().count(1), 1u);
  EXPECT_EQ(profile().begins(1), 2u);
  EXPECT_EQ(profile().cut(1), 1u);
}

TEST_F(WindowTest, SpanOpenAtTheClosingIsCut) {
  recordIt([] {
    uint64_t Begin = beginSpan(site(7, 1));
    stop();
    endSpan(Begin, site(7, 1));
  });
  EXPECT_EQ(profile().count(1), 0u);
  EXPECT_EQ(profile().begins(1), 1u);
  EXPECT_EQ(profile().cut(1), 1u);
  EXPECT_EQ(profile().Lanes[0].CurrentSlot, format::NoSlot);
}

TEST_F(WindowTest, SpanOpenAcrossAGapIsCut) {
  recordIt([] {
    uint64_t Begin = beginSpan(site(7, 1));
    advanceClock(1);
    stop();
    advanceClock(1);
    start();
    advanceClock(1);
    endSpan(Begin, site(7, 1));
  });
  EXPECT_EQ(profile().count(1), 0u);
  EXPECT_EQ(profile().begins(1), 1u);
  EXPECT_EQ(profile().cut(1), 1u);
}

TEST(Reset, EmptiesEverything) {
  for (void (*Empty)() : {reset, resetThread}) {
    TestFolder Folder;
    recordModel(Folder.file("p.tprof"), 3, [=] {
      runFor(1000);
      span(site(7, 2), 1);
      Empty();
      advanceClock(1);
      runFor(5);
    });
    ReadProfile P = readProfile(Folder.file("p.tprof"));
    EXPECT_EQ(P.sum(1), 5u);
    EXPECT_EQ(P.cell(1).Max, 5u);
    EXPECT_EQ(P.cell(1).First[0], 5u);
    EXPECT_EQ(P.cell(1).First[1], 0u);
    EXPECT_EQ(P.count(2), 0u); // never touched again: of an older generation
    ASSERT_EQ(P.Runs.size(), 1u);
    EXPECT_EQ(P.Runs[0].Count, 1u);
    EXPECT_EQ(P.counter(Counter::Resets), Empty == reset ? 1u : 0u);
  }
}

TEST(Reset, CutsSpansThatAreOpen) {
  for (void (*Empty)() : {reset, resetThread}) {
    TestFolder Folder;
    recordModel(Folder.file("p.tprof"), 3, [=] {
      // Of all forms: a region with a run in it, a pair and a native frame.
      uint32_t Around = regionNumber("around");
      uint64_t Region = beginRegion(Around);
      uint64_t Root = enterRoot(
          site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
      uint64_t Pair = beginSpan(site(7, 1));
      {
        FrameSpan Framed(Line.Models.slotOf(site(7, 2)));
        advanceClock(1);
        Empty();
        advanceClock(1);
        Framed.end();
      }
      endSpan(Pair, site(7, 1));
      endSpan(Root, site(7, 0));
      endRegion(Region, Around);
      advanceClock(1);
      runFor(5);
    });
    ReadProfile P = readProfile(Folder.file("p.tprof"));
    for (uint32_t Site : {0u, 1u, 2u, P.region("around")}) {
      SCOPED_TRACE(Site);
      EXPECT_EQ(P.count(Site), Site < 2 ? 1u : 0u);
      EXPECT_EQ(P.cut(Site), 1u);
      EXPECT_EQ(P.begins(Site), P.count(Site) + P.cut(Site));
    }
    EXPECT_EQ(P.sum(0), 5u);
    EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
  }
}

TEST_F(WindowTest, ResetForgetsWhatWasLostBeforeIt) {
  recordIt([&] {
    uint32_t Name = regionNumber("r");
    uint64_t Outer = beginRegion(Name);
    advanceClock(1);
    uint64_t Inner = beginRegion(Name);
    endRegion(Outer, Name);
    endRegion(Inner, Name); // too late
    step();
    EXPECT_EQ(snapshot(Folder.file("s.tprof")), 0);
    reset();
    advanceClock(1);
    endRegion(beginRegion(Name), Name);
  });
  EXPECT_EQ(profile("s.tprof").counter(Counter::MisplacedEnds), 1u);
  EXPECT_EQ(profile().counter(Counter::MisplacedEnds), 0u);
  EXPECT_EQ(profile().counter(Counter::Steps), 1u); // the process's
}

TEST(Reset, OfOneThreadLeavesTheOthers) {
  TestFolder Folder;
  recordModel(Folder.file("p.tprof"), 3, [] {
    std::atomic<int> Stage{0};
    auto WaitFor = [&](int Which) {
      while (Stage < Which)
        std::this_thread::yield();
    };
    std::thread Other([&] {
      runFor(7);
      uint64_t Open = beginSpan(site(7, 2));
      Stage = 1;
      WaitFor(2);
      advanceClock(1);
      endSpan(Open, site(7, 2));
      Stage = 3;
      WaitFor(4);
    });
    WaitFor(1);
    runFor(1000);
    resetThread();
    Stage = 2;
    WaitFor(3);
    runFor(5);
    Stage = 4;
    Other.join();
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(1), 2u);
  EXPECT_EQ(P.sum(1), 12u);
  EXPECT_EQ(P.count(2), 1u);
  EXPECT_EQ(P.cut(2), 0u);
}

TEST(Reset, OfAThreadLeavesItNothingOfThoseBeforeIt) {
  TestFolder Folder;
  recordModel(Folder.file("p.tprof"), 3, [] {
    for (uint64_t Ticks : {1, 10, 100}) // one after the other, in one lane
      std::thread([=] {
        if (Ticks > 1) {
          EXPECT_EQ(laneOfThread(), 0);
        }
        resetThread();
        advanceClock(1);
        runFor(Ticks);
      }).join();
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.Lanes.size(), 1u);
  EXPECT_EQ(P.sum(1), 100u);
}

TEST(Reset, OfAThreadThatHasRecordedNothingDoesNothing) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] { resetThread(); });
  EXPECT_TRUE(Folder.names().empty());
}

/// A fold on another thread may come at any moment of a reset: what it folds is
/// in the old cells or in the new ones, and so is what ends later.
TEST_F(WindowTest, AFoldAtAnyInstructionOfAResetCountsEachSpanOnce) {
  auto FoldAsOwner = [] { foldLog(*ThisLane); };
  auto FoldAsThread = [] {
    ThisLane->FoldUpTo = ThisLane->Written;
    foldLeftPage(*ThisLane);
  };
  for (void (*Fold)() : {+FoldAsOwner, +FoldAsThread}) {
    unsigned Number = 0, Old = 0, New = 0;
    for (bool IsInside = true; IsInside && !HasFailure(); ++Number) {
      SCOPED_TRACE("instruction " + std::to_string(Number));
      TestFolder Files;
      uint64_t Whole = 0, Open = 0, ResetTicks = 0;
      record(Files.file("p.tprof"), [&] {
        clock::inject([] { // each reading takes a tick
          static std::atomic<uint64_t> Now{1000};
          return ++Now;
        });
        addTestModel(7, 3);
        for (unsigned Site : {1, 2})
          endSpan(beginSpan(site(7, Site)), site(7, Site));
        foldLog(*ThisLane); // makes the cells
        auto Between = [&] {
          Whole = beginSpan(site(7, 1));
          endSpan(Whole, site(7, 1));
          Open = beginSpan(site(7, 2));
          Fold();
        };
        IsInside = interrupt([] { reset(); }, Number, Between);
        ResetTicks = currentEpoch().Ticks;
        if (IsInside)
          endSpan(Open, site(7, 2));
      });
      ReadProfile P = readProfile(Files.file("p.tprof"));
      bool IsNew = Whole >= ResetTicks;
      EXPECT_EQ(P.begins(1), IsNew);
      EXPECT_EQ(P.count(1) + P.cut(1), IsNew);
      EXPECT_EQ(P.begins(2), IsInside);
      EXPECT_EQ(P.count(2) + P.cut(2), IsInside);
      Old += IsInside && !IsNew;
      New += IsNew;
    }
    if (Number == 1 && !HasFailure())
      GTEST_SKIP() << "a thread cannot be interrupted here";
    EXPECT_GT(Old, 20u);
    EXPECT_GT(New, 20u);
  }
}

TEST_F(WindowTest, ScheduleRecordsItsActiveStepsOnly) {
  recordIt([] {
    ASSERT_EQ(
        setOption("schedule", "skip_first=1,wait=1,warmup=1,active=2,repeat=2"),
        0);
    uint64_t Ticks = 1;
    for (int Step = 0; Step < 12; ++Step, Ticks *= 2) {
      advanceClock(1);
      runFor(Ticks);
    }
  });
  // Steps 0 skip, 1 wait, 2 warm up, 3 and 4 active, 5 wait, 6 warm up, 7 and
  // 8 active, then nothing.
  EXPECT_EQ(Folder.names(),
            (std::vector<std::string>{"p.1.tprof", "p.2.tprof", "p.tprof"}));
  EXPECT_EQ(profile("p.1.tprof").sum(1), 8u + 16);
  EXPECT_EQ(profile("p.2.tprof").sum(1), 128u + 256);
  EXPECT_EQ(profile("p.2.tprof").Header.State, format::FileState::Snapshot);
  EXPECT_EQ(profile().sum(1), 128u + 256);
  EXPECT_EQ(profile().count(0), 2u);
  EXPECT_EQ(profile().counter(Counter::Steps), 12u);
  EXPECT_EQ(profile().counter(Counter::Snapshots), 2u);
  EXPECT_STREQ(profile().Process.Schedule,
               "skip_first=1,wait=1,warmup=1,active=2,repeat=2");
}

/// A run that is open while one on another thread makes a step.
static void runAroundAStep() {
  inRun([] {
    std::thread([] { runFor(1); }).join();
    advanceClock(1);
  });
  advanceClock(1);
}

TEST_F(WindowTest, RunThatAnOpeningCutsIsNoActiveStep) {
  recordIt([] {
    ASSERT_EQ(setOption("schedule", "wait=1,active=1"), 0);
    runAroundAStep();
    runFor(5);
  });
  EXPECT_EQ(profile("p.1.tprof").sum(1), 5u);
  EXPECT_EQ(profile().counter(Counter::Steps), 2u);
}

TEST_F(WindowTest, RunThatANextCycleCutsIsNoActiveStep) {
  recordIt([] {
    ASSERT_EQ(setOption("schedule", "active=1"), 0);
    runAroundAStep();
    runFor(5);
  });
  EXPECT_EQ(Folder.names(),
            (std::vector<std::string>{"p.1.tprof", "p.2.tprof", "p.tprof"}));
  EXPECT_EQ(profile("p.1.tprof").sum(1), 1u);
  EXPECT_EQ(profile("p.2.tprof").sum(1), 5u);
}

TEST_F(WindowTest, WhatLeavesTheGateAsItIsDoesNotDisturbThreads) {
  recordIt([] {
    ASSERT_EQ(setOption("schedule", "active=8"), 0);
    advanceClock(1);
    runFor(1);
    advanceClock(1);
    foldLog(*ThisLane);
    uint64_t Folded = since(*ThisLane);
    EXPECT_TRUE(isOpenSince(Folded));
    start();
    EXPECT_EQ(since(*ThisLane), Folded);
    std::thread([] { runFor(1); }).join(); // a step
    EXPECT_EQ(since(*ThisLane), Folded);
    stop();
    EXPECT_FALSE(isOpen(ThisLane));
  });
}

TEST_F(WindowTest, EndInAWarmUpLeavesTheLastCycle) {
  recordIt([] {
    ASSERT_EQ(setOption("schedule", "wait=1,warmup=2,active=2"), 0);
    // Steps 0 wait, 1 and 2 warm up, 3 and 4 active, 5 wait, 6 warm up.
    for (uint64_t Ticks = 1; Ticks <= 64; Ticks *= 2) {
      advanceClock(1);
      runFor(Ticks);
    }
  });
  EXPECT_EQ(profile("p.1.tprof").sum(1), 8u + 16);
  EXPECT_EQ(profile().sum(1), 8u + 16);
  EXPECT_EQ(profile().count(0), 2u);
}

TEST_F(WindowTest, SnapshotNumberGoesWhereThePatternSays) {
  record(Folder.file("q-%s.tprof"), [&] {
    addTestModel(7, 3);
    span(site(7, 1), 1);
    EXPECT_EQ(snapshot(""), 0);
    EXPECT_EQ(snapshot(""), 0);
    EXPECT_EQ(waitForSnapshot(0, 0), 2u);
  });
  EXPECT_EQ(Folder.names(),
            (std::vector<std::string>{"q-0.tprof", "q-1.tprof", "q-2.tprof"}));
}

TEST_F(WindowTest, SnapshotIsMadeBesideWhatAKilledOneLeft) {
  recordIt([&] {
    span(site(7, 1), 1);
    std::string Name = Folder.file("s.tprof");
    std::string Left = Name + ".part-" + std::to_string(getpid());
    std::ofstream(Left) << "left";
    EXPECT_EQ(snapshot(Name), 0);
    std::remove(Left.c_str());
  });
  EXPECT_EQ(profile("s.tprof").count(1), 1u);
  EXPECT_EQ(Folder.names(), (std::vector<std::string>{"p.tprof", "s.tprof"}));
}

TEST_F(WindowTest, AnchorsOfManyStopsDoNotMoveThoseOfRunsApartForEver) {
  recordIt([] {
    for (int I = 0; I < 5000; ++I) {
      start();
      runFor(1);
      stop();
    }
  });
  EXPECT_EQ(profile().AnchorIntervalNs, 1024'000'000'000u);
}

TEST_F(WindowTest, HostsStepsReplaceThoseOfRuns) {
  recordIt([] {
    ASSERT_EQ(setOption("schedule", "wait=1,active=1,repeat=1"), 0);
    step(); // now active
    advanceClock(1);
    for (int I = 0; I < 3; ++I)
      runFor(1);
    step();
    runFor(1);
  });
  EXPECT_EQ(profile().count(1), 3u);
  EXPECT_EQ(profile().counter(Counter::Steps), 2u);
}

TEST_F(WindowTest, RunsBeforeTheHostsFirstStepLieInIt) {
  recordIt([] {
    ASSERT_EQ(setOption("schedule", "wait=2,active=1,repeat=1"), 0);
    for (int Runs = 1; Runs <= 4; ++Runs) {
      for (int I = 0; I < Runs; ++I)
        runFor(1);
      step();
      advanceClock(1);
    }
  });
  EXPECT_EQ(profile().count(1), 3u); // those of the third step
}

TEST_F(WindowTest, ReadyCallbackGetsTheSnapshotsPath) {
  recordIt([&] {
    ASSERT_EQ(setOption("schedule", "active=2,repeat=1"), 0);
    static std::string Seen;
    setReadyCallback(
        [](const char *Path, void *Context) {
          Seen += Path;
          Seen += static_cast<const char *>(Context);
        },
        const_cast<char *>("!"));
    for (int I = 0; I < 5; ++I)
      runFor(1);
    EXPECT_EQ(Seen, Folder.file("p.1.tprof") + "!");
  });
}

TEST_F(WindowTest, SnapshotOfNothingSaysSo) {
  recordIt([] { EXPECT_EQ(snapshot(""), ENODATA); });
}

TEST_F(WindowTest, SnapshotIntoAMissingFolderIsOneWarning) {
  recordIt([&] {
    span(site(7, 1), 1);
    testing::internal::CaptureStderr();
    EXPECT_EQ(snapshot(Folder.file("none/s.tprof")), ENOENT);
    EXPECT_EQ(snapshot(Folder.file("none/s.tprof")), ENOENT);
    std::string Warning = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(Warning.begin(), Warning.end(), '\n'), 1);
    EXPECT_NE(Warning.find("cannot write a snapshot"), std::string::npos);
  });
  EXPECT_EQ(profile().counter(Counter::FileErrors), 2u);
}

TEST_F(WindowTest, WaitForASnapshotEndsWhenItIsMade) {
  recordIt([] {
    span(site(7, 1), 1);
    std::thread Waiter([] { EXPECT_EQ(waitForSnapshot(0, 60'000), 1u); });
    EXPECT_EQ(snapshot(""), 0);
    Waiter.join();
    EXPECT_EQ(waitForSnapshot(1, 1), 1u); // and when the time is over
  });
}

TEST_F(WindowTest, FlushWorksWithAndWithoutAFile) {
  recordIt([] {
    EXPECT_EQ(flush(), 0);
    span(site(7, 1), 1);
    EXPECT_EQ(flush(), 0);
  });
}
