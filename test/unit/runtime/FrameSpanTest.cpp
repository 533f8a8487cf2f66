//===- FrameSpanTest.cpp - spans that keep what they found at their begin -===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <gtest/gtest.h>
#include <thread>

using namespace torchprof;
using namespace torchprof::test;

/// Ends a span that has just begun after \p Ticks and \p Body.
template <typename SpanType, typename Function>
static void finish(SpanType Span, uint64_t Ticks, Function Body) {
  advanceClock(Ticks);
  Body();
  Span.end();
}

/// A span of \p Ticks around \p Body.
template <typename Function>
static void frameSpan(format::SiteId Site, uint64_t Ticks, Function Body) {
  ASSERT_TRUE(ensureRecording());
  finish(FrameSpan(Line.Models.slotOf(Site)), Ticks, Body);
}

TEST(FrameSpan, FirstAndLaterOnesAreCountedExactly) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 3);
    for (uint64_t Ticks : {5, 100, 3})
      frameSpan(site(7, 1), Ticks, [] { span(site(7, 2), 10); });
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(1), 3u);
  EXPECT_EQ(P.sum(1), 5u + 100 + 3 + 3 * 10);
  EXPECT_EQ(P.count(2), 3u);
  EXPECT_EQ(P.begins(1), 3u);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
}

TEST(FrameSpan, SlotsMayBeAddedMeanwhile) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 2);
    span(site(7, 1), 1);
    frameSpan(site(7, 1), 20, [] {
      addTestModel(8, 50000);
      span(site(8, 49999), 4);
      totals(); // folds
    });
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(1), 2u);
  EXPECT_EQ(P.sum(1), 1u + 20 + 4);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
}

TEST(FrameSpan, OneThatIsOpenAcrossAForkIsCountedInTheParent) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 3);
    span(site(7, 1), 1);
    FrameSpan Span(Line.Models.slotOf(site(7, 1)));
    advanceClock(2);
    EXPECT_EQ(runChild([&Span] {
                Span.end();
                span(site(7, 2), 3);
              }),
              0);
    advanceClock(7);
    Span.end();
  });
  ReadProfile Parent = readProfile(Folder.file("p.tprof"));
  ReadProfile Child = readProfile(Folder.file("p.1.tprof"));
  EXPECT_EQ(Parent.count(1), 2u);
  EXPECT_EQ(Parent.sum(1), 10u);
  EXPECT_EQ(Child.count(1), 0u);
  EXPECT_EQ(Child.count(2), 1u);
}

TEST(FrameSpan, OneThatAStopCutsIsNotCounted) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 2);
    span(site(7, 1), 1);
    frameSpan(site(7, 1), 20, [] { stop(); });
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(1), 1u);
  EXPECT_EQ(P.cut(1), 1u);
}

TEST(FrameSpan, OneThatAResetMeetsIsNotCounted) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 2);
    span(site(7, 1), 1);
    frameSpan(site(7, 1), 20, [] { reset(); });
    advanceClock(1);
    frameSpan(site(7, 1), 6, [] {});
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(1), 1u);
  EXPECT_EQ(P.sum(1), 6u);
}

/// A chained span of \p Ticks around \p Body, \p Gap after what was before.
template <typename Function>
static void chainedSpan(format::SiteId Site, bool Follows, uint64_t Gap,
                        uint64_t Ticks, Function Body) {
  ASSERT_TRUE(ensureRecording());
  advanceClock(Gap);
  finish(ChainedSpan(Line.Models.slotOf(Site), {}, Follows), Ticks, Body);
}

TEST(ChainedSpan, TakesTheTimeSinceTheEndOfTheOneBefore) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 4);
    for (int Round = 0; Round < 3; ++Round) {
      chainedSpan(site(7, 1), false, 1000, 50, [] {});
      chainedSpan(site(7, 2), true, 3, 20, [] {});
      chainedSpan(site(7, 3), true, 4, 10, [] {});
    }
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(1), 3u);
  EXPECT_EQ(P.sum(1), 3u * 50);
  EXPECT_EQ(P.count(2), 3u);
  EXPECT_EQ(P.count(3), 3u);
  // The first of a thread takes the cold path, and the one behind it begins
  // anew.
  EXPECT_EQ(P.sum(2), 20u + 2 * 23);
  EXPECT_EQ(P.sum(3), 3u * 14);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
}

TEST(ChainedSpan, DoesNotReachOverAStopAResetOrAnException) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 3);
    span(site(7, 2), 1); // the lane and its cells are there
    chainedSpan(site(7, 1), false, 0, 50, [] {});
    stop();
    advanceClock(1000);
    start();
    chainedSpan(site(7, 2), true, 3, 20, [] {});
    chainedSpan(site(7, 1), false, 0, 50, [] {});
    reset();
    advanceClock(1000);
    chainedSpan(site(7, 2), true, 3, 20, [] {});
    chainedSpan(site(7, 1), false, 0, 50, [] {});
    ChainedSpan(Line.Models.slotOf(site(7, 1)), {}, true).abandon();
    advanceClock(1000);
    chainedSpan(site(7, 2), true, 3, 20, [] {});
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(2), 2u); // since the reset
  EXPECT_EQ(P.sum(2), 2u * 20);
}

TEST(ChainedSpan, DoesNotReachOverAFold) {
  TestFolder Folder;
  constexpr unsigned Rounds = 3 * format::PageBytes;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 3);
    for (unsigned Round = 0; Round < Rounds; ++Round) {
      chainedSpan(site(7, 1), false, 1, 5, [] {});
      chainedSpan(site(7, 2), true, 2, 5, [] {});
      if (Round % 1000 == 0)
        totals(); // folds
    }
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(2), Rounds);
  EXPECT_LE(P.sum(2), Rounds * 7u);
  EXPECT_GE(P.sum(2), Rounds * 7u - Rounds / 100);
}

TEST(ChainedSpan, DoesNotReachOverTheEndOfItsThread) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 3);
    std::thread([] {
      for (int Round = 0; Round < 2; ++Round)
        chainedSpan(site(7, 1), false, 0, 50, [] {});
      EXPECT_NE(ThisLane->LastEnd, 0u);
    }).join();
    advanceClock(100'000);
    std::thread([] { // on the same lane
      chainedSpan(site(7, 1), false, 0, 50, [] {});
      chainedSpan(site(7, 2), true, 3, 20, [] {});
    })
        .join();
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.Lanes.size(), 1u);
  EXPECT_EQ(P.sum(2), 20u);
}

TEST(ChainedSpan, BeginsAnewAfterAFoldInNothing) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 3);
    for (int Round = 0; Round < 2; ++Round) // the first takes the cold path
      chainedSpan(site(7, 1), false, 1, 5, [] {});
    uint64_t End = ThisLane->LastEnd;
    EXPECT_TRUE(isOrdinary(*ThisLane, End));
    advanceClock(1);
    foldLog(*ThisLane);
    EXPECT_FALSE(isOrdinary(*ThisLane, End));
  });
}

TEST(ChainedSpan, InsideOfAnotherItEndsTheChain) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 4);
    for (int Round = 0; Round < 2; ++Round) {
      chainedSpan(site(7, 1), false, 0, 50, [] {});
      chainedSpan(site(7, 2), true, 3, 20,
                  [] { chainedSpan(site(7, 1), false, 4, 6, [] {}); });
      chainedSpan(site(7, 3), true, 5, 10, [] {});
    }
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.sum(1), 2u * 50 + 2 * 6);
  EXPECT_EQ(P.sum(2), (20u + 10) + (23 + 10));
  EXPECT_EQ(P.sum(3), 2u * 15);
}
