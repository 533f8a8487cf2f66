//===- RootTest.cpp - runs, regions, exceptions ---------------------------===//

#include "RootSupport.h"

#include "Probe.h"

#include <gtest/gtest.h>
#include <thread>

using namespace torchprof;
using namespace torchprof::test;
using torchprof::format::Counter;

namespace {

class Root : public RecordedModel {
protected:
  Root() : RecordedModel(4) {}
};

} // namespace

TEST_F(Root, RunsKeepTheLast1024Latencies) {
  recordIt([] {
    for (uint64_t I = 1; I <= 1500; ++I) {
      uint64_t R = enter(site(7, 0));
      advanceClock(I);
      endSpan(R, site(7, 0));
    }
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Runs.size(), 1u);
  EXPECT_EQ(P.Runs[0].Site, format::Slot{0});
  EXPECT_EQ(P.Runs[0].Count, 1500u);
  ASSERT_EQ(P.Runs[0].Samples.size(), 1024u);
  EXPECT_EQ(P.Runs[0].Samples[1499 % 1024].LatencyTicks, 1500u);
  EXPECT_EQ(P.Runs[0].Samples[1499 % 1024].EndTicks, 1000u + 1500 * 1501 / 2);
  EXPECT_EQ(P.Runs[0].Samples[1500 % 1024].LatencyTicks, 477u);
  EXPECT_EQ(P.count(0), 1500u);
}

TEST_F(Root, RootInsideARootIsACallNotARun) {
  recordIt([] {
    addTestModel(8, 2);
    uint64_t Outer = enter(site(7, 0));
    uint64_t Node = beginSpan(site(7, 1));
    deeper([] {
      uint64_t Inner = enter(site(8, 0));
      advanceClock(10);
      endSpan(Inner, site(8, 0));
    });
    advanceClock(1);
    endSpan(Node, site(7, 1));
    endSpan(Outer, site(7, 0));
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.count(0), 1u);
  EXPECT_EQ(P.count(4), 1u);
  ASSERT_EQ(P.Runs.size(), 1u);
  EXPECT_EQ(P.Runs[0].Site, format::Slot{0});
  EXPECT_EQ(P.cell(1).Nested, 10u); // the node it ran in knows its time
  EXPECT_EQ(P.cell(1).Sum, 11u);
  EXPECT_EQ(P.cell(0).Nested, 0u);
}

TEST_F(Root, BeginsWhileAnotherThreadMakesTheRecording) {
  recordIt([] {
    // What a thread sees then: the gate is open, the recording not yet there.
    Process.Open.store(1);
    uint64_t R = enter(site(7, 0));
    endSpan(R, site(7, 0));
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.begins(0), 1u);
  EXPECT_EQ(P.count(0), 1u);
}

TEST_F(Root, RegionsNestAndKnowTheTimeOfRunsInside) {
  recordIt([] {
    uint32_t Request = regionNumber("request"), Parse = regionNumber("parse");
    EXPECT_EQ(regionNumber("request"), Request);
    EXPECT_NE(Parse, Request);
    uint64_t A = beginRegion(Request);
    advanceClock(1);
    uint64_t B = beginRegion(Parse);
    advanceClock(2);
    endRegion(B, Parse);
    uint64_t R = enter(site(7, 0));
    advanceClock(4);
    endSpan(R, site(7, 0));
    advanceClock(8);
    endRegion(A, Request);
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.cell(P.region("request")).Sum, 15u);
  EXPECT_EQ(P.cell(P.region("request")).Nested, 6u);
  EXPECT_EQ(P.cell(P.region("parse")).Sum, 2u);
  using format::DynamicKind;
  EXPECT_EQ(P.child(DynamicKind::Region, "request").Parent, format::NoSlot);
  EXPECT_EQ(P.child(DynamicKind::Region, "parse").Parent,
            P.child(DynamicKind::Region, "request").Site);
  ASSERT_EQ(P.Runs.size(), 1u); // a root inside a region is a run
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
}

TEST_F(Root, ManyRegionsAllHaveNames) {
  recordIt([] {
    for (int I = 0; I < 100; ++I) {
      uint32_t Name = regionNumber("region " + std::to_string(I));
      endRegion(beginRegion(Name), Name);
    }
  });
  EXPECT_EQ(profile().Children.size(), 100u);
  EXPECT_EQ(profile().count(profile().region("region 99")), 1u);
}

TEST_F(Root, RegionAcrossAWindowsEdgeIsCut) {
  recordIt([] {
    uint32_t R = regionNumber("r");
    uint64_t Begin = beginRegion(R);
    stop();
    endRegion(Begin, R);
    start();
  });
  EXPECT_EQ(profile().cut(profile().region("r")), 1u);
}

TEST_F(Root, ExceptionLeavesSpansUnfinishedAndTheNextRunIsARun) {
  recordIt([] {
    for (int I = 0; I < 3; ++I) {
      enter(site(7, 0)); // a node threw: neither has an end
      beginSpan(site(7, 1));
    }
    uint64_t R = enter(site(7, 0));
    span(site(7, 1), 1);
    endSpan(R, site(7, 0));
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.begins(0), 4u);
  EXPECT_EQ(P.count(0), 1u);
  EXPECT_EQ(P.begins(1), 4u);
  EXPECT_EQ(P.count(1), 1u);
  EXPECT_EQ(P.Runs[0].Count, 1u);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
}

TEST_F(Root, AbandonedSpanLeavesNoCurrentSite) {
  recordIt([] {
    enter(site(7, 0));
    span(site(7, 1), 1);
    FrameSpan(format::Slot{1}).abandon();
  });
  EXPECT_EQ(profile().Lanes[0].CurrentSlot, format::NoSlot);
  EXPECT_EQ(profile().begins(1), 2u);
  EXPECT_EQ(profile().count(1), 1u);
}

TEST_F(Root, ExceptionCaughtByAnOuterModelLeavesItsRootOpen) {
  recordIt([] {
    addTestModel(8, 2);
    uint64_t Outer = enter(site(7, 0));
    uint64_t Node = beginSpan(site(7, 1));
    deeper([] {
      enter(site(8, 0));
      // The custom op of site(7, 1) catches it.
      FrameSpan(Line.Models.slotOf(site(8, 1))).abandon();
    });
    advanceClock(3);
    endSpan(Node, site(7, 1));
    endSpan(Outer, site(7, 0));
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.cell(1).Sum, 3u);
  EXPECT_EQ(P.Runs[0].Count, 1u);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
}

TEST_F(Root, RunsFromDeeperStacksThanOneThatARaiseLeftAreRuns) {
  recordIt([] {
    enter(site(7, 0));
    beginSpan(site(7, 1)); // the branch that raises
    leave();
    EXPECT_EQ(ThisLane->Depth, 0u);
    for (int I = 0; I < 3; ++I)
      deeper([] {
        uint64_t R = enter(site(7, 0));
        advanceClock(2);
        endSpan(R, site(7, 0));
      });
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Runs.size(), 1u);
  EXPECT_EQ(P.Runs[0].Count, 3u);
  EXPECT_EQ(P.begins(0), 4u);
  EXPECT_EQ(P.sum(0), 6u);
  EXPECT_EQ(P.begins(1), 1u);
  EXPECT_EQ(P.count(1), 0u);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
}

TEST_F(Root, RaiseThatAnOuterModelCatchesLeavesItsRootOpen) {
  recordIt([] {
    addTestModel(8, 2);
    uint64_t Outer = enter(site(7, 0));
    uint64_t Node = beginSpan(site(7, 1));
    for (bool IsOpen : {true, false}) // the gate
      deeper([IsOpen] {
        if (!IsOpen)
          stop();
        enter(site(8, 0));
        beginSpan(site(8, 1));
        leave(); // the custom op of site(7, 1) catches what is raised
        EXPECT_EQ(ThisLane->Depth, 2u);
      });
    advanceClock(1);
    start();
    endSpan(Node, site(7, 1));
    endSpan(Outer, site(7, 0));
    EXPECT_EQ(ThisLane->Depth, 0u);
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.begins(4), 1u);
  EXPECT_EQ(P.count(4), 0u);
  EXPECT_EQ(P.cut(0), 1u);
  EXPECT_EQ(P.cut(1), 1u);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
}

TEST_F(Root, RecursionPairsRightly) {
  recordIt([] {
    uint64_t A = beginSpan(site(7, 1));
    advanceClock(1);
    uint64_t B = beginSpan(site(7, 1));
    advanceClock(2);
    endSpan(B, site(7, 1));
    advanceClock(4);
    endSpan(A, site(7, 1));
  });
  EXPECT_EQ(profile().cell(1).First[0], 2u);
  EXPECT_EQ(profile().cell(1).First[1], 7u);
}

TEST_F(Root, DeeperThanTheFrameTableStillCounts) {
  recordIt([] {
    std::function<void(int)> Nest = [&](int Left) {
      uint64_t R = enter(site(7, 0));
      advanceClock(1);
      if (Left)
        deeper([&] { Nest(Left - 1); });
      endSpan(R, site(7, 0));
    };
    Nest(99);
  });
  EXPECT_EQ(profile().count(0), 100u);
  EXPECT_EQ(profile().Runs[0].Count, 1u);
}

TEST_F(Root, BeginAndEndOnDifferentThreads) {
  recordIt([] {
    uint64_t R = enter(site(7, 0));
    uint64_t Wait = beginSpan(site(7, 1));
    advanceClock(5);
    std::thread([&] {
      endSpan(Wait, site(7, 1)); // aten::wait resumed here
      span(site(7, 2), 1);
      endSpan(R, site(7, 0));
    }).join();
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.begins(1), 1u);
  EXPECT_EQ(P.sum(1), 5u);
  EXPECT_EQ(P.count(1), 1u);
  EXPECT_EQ(P.count(0), 1u);
  ASSERT_EQ(P.Lanes.size(), 2u);
  EXPECT_EQ(P.Lanes[1].CurrentSlot, format::NoSlot);
}

/// A region in a node's code must not make the node's own time disappear.
TEST_F(Root, RegionInsideARunTakesNothingFromTheSpansAroundIt) {
  recordIt([] {
    uint32_t Name = regionNumber("inner");
    uint64_t R = enter(site(7, 0));
    uint64_t Begin = beginRegion(Name);
    span(site(7, 1), 5);
    endRegion(Begin, Name);
    uint64_t Node = beginSpan(site(7, 2));
    Begin = beginRegion(Name);
    advanceClock(3);
    endRegion(Begin, Name);
    endSpan(Node, site(7, 2));
    endSpan(R, site(7, 0));
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.cell(0).Sum, 8u);
  EXPECT_EQ(P.cell(0).Nested, 0u);
  EXPECT_EQ(P.cell(2).Nested, 0u);
  ASSERT_EQ(P.Children.size(), 2u); // one name below two parents
  EXPECT_EQ(P.Children[0].Parent, format::Slot{0});
  EXPECT_EQ(P.sum(number(P.Children[0].Site)), 5u);
  EXPECT_EQ(P.Children[1].Parent, format::Slot{2});
  EXPECT_EQ(P.sum(number(P.Children[1].Site)), 3u);
}

TEST_F(Root, RunInARegionInANodeIsPartOfBoth) {
  recordIt([] {
    addTestModel(8, 2);
    uint32_t Outer = regionNumber("outer"), Inner = regionNumber("inner");
    uint64_t R = enter(site(7, 0));
    uint64_t Node = beginSpan(site(7, 1));
    uint64_t A = beginRegion(Outer), B = beginRegion(Inner);
    deeper([] {
      uint64_t Call = enter(site(8, 0));
      advanceClock(10);
      endSpan(Call, site(8, 0));
    });
    endRegion(B, Inner);
    endRegion(A, Outer);
    advanceClock(1);
    endSpan(Node, site(7, 1));
    endSpan(R, site(7, 0));
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.cell(1).Nested, 10u);
  EXPECT_EQ(P.cell(P.region("inner")).Nested, 10u);
  EXPECT_EQ(P.cell(P.region("outer")).Nested, 10u); // the inner region's time
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
}

TEST_F(Root, RegionsThatEndInAnotherOrderOrElsewhereAreUnfinishedNotLost) {
  recordIt([] {
    uint32_t Outer = regionNumber("outer"), Inner = regionNumber("inner");
    uint64_t A = beginRegion(Outer), B = beginRegion(Inner);
    advanceClock(3);
    endRegion(A, Outer);
    endRegion(B, Inner);
    uint64_t Moved = beginRegion(regionNumber("moved"));
    std::thread([&] { endRegion(Moved, regionNumber("moved")); }).join();
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.sum(P.region("outer")), 3u);
  for (const char *Name : {"inner", "moved"}) {
    EXPECT_EQ(P.begins(P.region(Name)), 1u);
    EXPECT_EQ(P.count(P.region(Name)), 0u);
  }
  EXPECT_EQ(P.counter(Counter::MisplacedEnds), 2u);
  EXPECT_EQ(P.counter(Counter::LostNoMemory), 0u);
}

TEST_F(Root, RegionsDeeperThanTheFrameTableStillCount) {
  recordIt([] {
    uint32_t Name = regionNumber("r");
    std::vector<uint64_t> Begins;
    for (int I = 0; I < 100; ++I) {
      advanceClock(1);
      Begins.push_back(beginRegion(Name));
    }
    while (!Begins.empty()) {
      endRegion(Begins.back(), Name);
      Begins.pop_back();
    }
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.Children.size(), 100u); // each one inside the one before it
  for (const ReadProfile::ChildOf &C : P.Children)
    EXPECT_EQ(P.count(number(C.Site)), 1u);
}
