//===- CalledMethodTest.cpp - methods that nodes call ---------------------===//

#include "RootSupport.h"

#include "OpenFrames.h"
#include "Probe.h"

#include <gtest/gtest.h>
#include <thread>

using namespace torchprof;
using namespace torchprof::test;

namespace {

class CalledMethod : public RecordedModel {
protected:
  CalledMethod() : RecordedModel(4) {}
};

} // namespace

/// A model with a method, 0, whose node 1 calls another method, 2, with node 3.
static void addCallingModel(const char *Called = "second") {
  addModelOf({{NoIndex, "method"},
              {0, "prim::CallMethod"},
              {NoIndex, "method", Called},
              {2, "aten::relu"}});
}

/// The node that calls takes two ticks, and the method four.
static void callingNode() {
  uint64_t Node = beginSpan(site(9, 1));
  advanceClock(2);
  uint64_t Inner = enter(site(9, 2));
  advanceClock(4);
  endSpan(Inner, site(9, 2));
  endSpan(Node, site(9, 1));
}

TEST_F(CalledMethod, MethodThatANodeCallsInItsOwnNativeFrameIsACall) {
  recordIt([] {
    addCallingModel();
    for (int I = 0; I < 2; ++I) {
      uint64_t Outer = enter(site(9, 0));
      advanceClock(1);
      callingNode();
      endSpan(Outer, site(9, 0));
    }
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Runs.size(), 1u);
  EXPECT_EQ(P.Runs[0].Count, 2u);
  EXPECT_EQ(P.sum(4), 2u * 7u);
  EXPECT_EQ(P.sum(5), 2u * 6u);
  EXPECT_EQ(P.cell(5).Nested, 2u * 4u);
  EXPECT_EQ(P.sum(6), 2u * 4u);
}

TEST_F(CalledMethod, MethodThatOnlyMethodsCallIsACall) {
  recordIt([] {
    addCallingModel("__enter__");
    uint64_t Outer = enter(site(9, 0));
    uint64_t Inner = enter(site(9, 2));
    advanceClock(4);
    endSpan(Inner, site(9, 2));
    endSpan(Outer, site(9, 0));
  });
  ASSERT_EQ(profile().Runs.size(), 1u);
  EXPECT_EQ(profile().cell(4).Nested, 4u);
}

TEST_F(CalledMethod, MethodThatATaskCallsIsACall) {
  for (const char *Called : {"second", "__enter__"}) {
    recordIt([Called] {
      addCallingModel(Called);
      EXPECT_EQ(setOption("schedule", "active=100"), 0);
      uint64_t Outer = enter(site(9, 0));
      std::thread([] { // the task: its body has no root
        for (int I = 0; I < 2; ++I)
          callingNode();
        EXPECT_EQ(ThisLane->Depth, 0u);
      })
          .join();
      endSpan(Outer, site(9, 0));
    });
    ReadProfile P = profile();
    ASSERT_EQ(P.Runs.size(), 1u) << Called;
    EXPECT_EQ(P.Runs[0].Count, 1u);
    EXPECT_EQ(P.counter(format::Counter::Steps), 1u);
    EXPECT_EQ(P.sum(5), 2u * 6u);
    EXPECT_EQ(P.cell(5).Nested, 2u * 4u);
    EXPECT_EQ(P.sum(6), 2u * 4u);
    EXPECT_EQ(P.begins(5), P.count(5));
  }
}

TEST_F(CalledMethod, RunAfterAnExceptionInATaskIsARun) {
  recordIt([] {
    addCallingModel();
    std::thread([] {
      beginSpan(site(9, 1));
      deeper([] { enter(site(9, 2)); }); // throws
      for (int I = 0; I < 3; ++I) {
        uint64_t R = enter(site(9, 0));
        advanceClock(1);
        endSpan(R, site(9, 0));
      }
      EXPECT_EQ(ThisLane->Depth, 0u);
    }).join();
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Runs.size(), 1u);
  EXPECT_EQ(P.Runs[0].Count, 3u);
  EXPECT_EQ(P.sum(4), 3u);
}

TEST_F(CalledMethod, ExceptionInACalledMethodEndsItsCallerToo) {
  recordIt([] {
    addCallingModel();
    for (int I = 0; I < 2; ++I) {
      enter(site(9, 0));
      beginSpan(site(9, 1));
      enter(site(9, 2));
      FrameSpan(Line.Models.slotOf(site(9, 3))).abandon();
    }
    enter(site(9, 0));
    beginSpan(site(9, 1));
    enter(site(9, 2)); // throws where no node is
    for (int I = 0; I < 3; ++I) {
      uint64_t R = enter(site(9, 0));
      advanceClock(1);
      endSpan(R, site(9, 0));
    }
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.Runs[0].Count, 3u);
  EXPECT_EQ(P.begins(4), 6u);
  EXPECT_EQ(P.sum(4), 3u);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::NoSlot);
}

TEST_F(CalledMethod, RaiseInACalledMethodEndsItsCallerToo) {
  recordIt([] {
    addCallingModel();
    enter(site(9, 0));
    beginSpan(site(9, 1));
    enter(site(9, 2));
    leave();
    EXPECT_EQ(ThisLane->Depth, 0u);
  });
  EXPECT_EQ(profile().begins(4), 1u);
  EXPECT_EQ(profile().begins(6), 1u);
  EXPECT_EQ(profile().Lanes[0].CurrentSlot, format::NoSlot);
}

TEST_F(CalledMethod, RaiseInAMethodThatATaskCallsLeavesTheWaitingRunOpen) {
  recordIt([] {
    addCallingModel();
    uint64_t Outer = enter(site(9, 0));
    std::thread([] { // the task: its body has no root
      beginSpan(site(9, 1));
      enter(site(9, 2));
      leave();
      EXPECT_EQ(openRoots(*ThisLane), 0u);
    })
        .join();
    advanceClock(3);
    endSpan(Outer, site(9, 0));
  });
  ASSERT_EQ(profile().Runs.size(), 1u);
  EXPECT_EQ(profile().sum(4), 3u);
  EXPECT_EQ(profile().begins(6), 1u);
}
