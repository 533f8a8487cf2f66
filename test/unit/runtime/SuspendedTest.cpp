//===- SuspendedTest.cpp - runs that wait for tasks -----------------------===//

#include "RootSupport.h"

#include "EndedRuns.h"
#include "Probe.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

using namespace torchprof;
using namespace torchprof::test;

namespace {

class Suspended : public RecordedModel {
protected:
  Suspended() : RecordedModel(4) {}
};

} // namespace

/// A model with a method, 0, whose node 1 waits for a task, and another, 2.
static void addWaitingModel() {
  addModelOf({{NoIndex, "method"}, {0, "aten::wait"}, {NoIndex, "method"}});
}

TEST_F(Suspended, RunThatEndsOnAnotherThreadIsInNoSpanThere) {
  recordIt([] {
    addWaitingModel();
    uint64_t R = enter(site(9, 0));
    uint64_t First = beginSpan(site(9, 1));
    advanceClock(5);
    std::thread([&] {
      endSpan(First, site(9, 1));
      uint64_t Second = beginSpan(site(9, 1)); // stays open on this thread
      std::thread([&] { endSpan(Second, site(9, 1)); }).join();
      endSpan(R, site(9, 0));
    }).join();
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.sum(4), 5u);
  EXPECT_EQ(P.count(5), 2u);
  for (const ReadProfile::CellOf &C : P.Cells)
    EXPECT_EQ(C.Data.Nested, 0u);
}

/// A run, with a node that waits or without any, that ends on another thread.
static void runThatEndsElsewhere(bool HasNode) {
  addWaitingModel();
  uint64_t R = enter(site(9, 0));
  uint64_t Wait = HasNode ? beginSpan(site(9, 1)) : 0;
  std::thread([&] {
    if (HasNode)
      endSpan(Wait, site(9, 1));
    endSpan(R, site(9, 0));
  }).join();
  EXPECT_NE(format::slotOfCurrent(ThisLane->Current), format::NoSlot);
}

TEST_F(Suspended, WaitThatHasEndedElsewhereIsCurrentNowhere) {
  recordIt([] { runThatEndsElsewhere(/*HasNode=*/true); });
  for (const ReadProfile::LaneOf &L : profile().Lanes)
    EXPECT_EQ(L.CurrentSlot, format::NoSlot);
}

TEST_F(Suspended, RunThatHasEndedElsewhereIsCurrentNowhere) {
  recordIt([] { runThatEndsElsewhere(/*HasNode=*/false); });
  for (const ReadProfile::LaneOf &L : profile().Lanes)
    EXPECT_EQ(L.CurrentSlot, format::NoSlot);
}

TEST_F(Suspended, FileSaysThatAProcessDiedInAWait) {
  EXPECT_EQ(runChild([&] {
              setOption("file", Folder.file("p.tprof"));
              runThatEndsElsewhere(/*HasNode=*/true);
              deeper([] {
                enter(site(9, 0));
                beginSpan(site(9, 1));
                abort();
              });
            }),
            -SIGABRT);
  EXPECT_EQ(profile().Lanes[0].CurrentSlot, format::Slot{1});
}

namespace {
/// A thread of a pool: runs one thing after the other.
class PoolThread {
public:
  PoolThread() : Thread([this] { serve(); }) {}
  ~PoolThread() {
    run(nullptr);
    Thread.join();
  }
  void run(std::function<void()> Work) {
    std::unique_lock Lock(Mutex);
    Body = std::move(Work);
    IsDue = true;
    Changed.notify_all();
    Changed.wait(Lock, [&] { return !IsDue; });
  }

private:
  void serve() {
    std::unique_lock Lock(Mutex);
    for (bool IsLast = false; !IsLast;) {
      Changed.wait(Lock, [&] { return IsDue; });
      IsLast = !Body;
      if (Body)
        Body();
      IsDue = false;
      Changed.notify_all();
    }
  }

  std::mutex Mutex;
  std::condition_variable Changed;
  std::function<void()> Body;
  bool IsDue = false;
  std::thread Thread;
};
} // namespace

TEST_F(Suspended, SuspendedWaitsDoNotPileUpOnAPoolsThreads) {
  recordIt([] {
    addWaitingModel();
    PoolThread First, Second;
    uint32_t Deepest = 0;
    for (int Run = 0; Run < 100; ++Run) {
      uint64_t R = enter(site(9, 0));
      uint64_t Wait = beginSpan(site(9, 1));
      First.run([&] {
        endSpan(Wait, site(9, 1));
        Wait = beginSpan(site(9, 1)); // stays open on this thread
        advanceClock(3);
        Deepest = std::max(Deepest, ThisLane->Depth);
      });
      Second.run([&] {
        endSpan(Wait, site(9, 1));
        endSpan(R, site(9, 0));
        EXPECT_EQ(ThisLane->Depth, 0u);
      });
    }
    EXPECT_EQ(Deepest, 1u);
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.count(5), 200u);
  EXPECT_EQ(P.sum(5), 300u);
  EXPECT_EQ(P.count(4), 100u);
}

TEST_F(Suspended, RegionAfterASuspendedRunIsNotInItsWait) {
  recordIt([] {
    addWaitingModel();
    uint32_t Name = regionNumber("post");
    uint64_t R = enter(site(9, 0));
    uint64_t Wait = beginSpan(site(9, 1));
    std::thread([&] {
      endSpan(Wait, site(9, 1));
      endSpan(R, site(9, 0));
    }).join();
    EXPECT_EQ(operatorSite("aten::relu", /*Stays=*/false), format::NoSlot);
    uint64_t Post = beginRegion(Name);
    deeper([] {
      uint64_t Next = enter(site(9, 2));
      advanceClock(4);
      endSpan(Next, site(9, 2));
    });
    endRegion(Post, Name);
  });
  ReadProfile P = profile();
  unsigned Runs = 0;
  for (const ReadProfile::RunsOf &Of : P.Runs)
    Runs += Of.Count;
  EXPECT_EQ(Runs, 2u);
  EXPECT_EQ(P.child(format::DynamicKind::Region, "post").Parent,
            format::NoSlot);
}

TEST_F(Suspended, WhatFollowsASuspendedRunIsNotInIt) {
  recordIt([] {
    addWaitingModel();
    uint64_t R = enter(site(9, 0));
    uint64_t Wait = beginSpan(site(9, 1));
    advanceClock(5);
    std::thread([&] {
      endSpan(Wait, site(9, 1));
      endSpan(R, site(9, 0));
    }).join();
    deeper([] {
      uint64_t Next = enter(site(9, 2));
      advanceClock(4);
      endSpan(Next, site(9, 2));
    });
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.sum(6), 4u);
  unsigned Runs = 0;
  for (const ReadProfile::RunsOf &Of : P.Runs)
    Runs += Of.Count;
  EXPECT_EQ(Runs, 2u);
  for (const ReadProfile::CellOf &C : P.Cells)
    EXPECT_EQ(C.Data.Nested, 0u);
}

/// A run that ends on another thread, after \p Meanwhile on the one on which it
/// began.
static void enterHereAndEndElsewhere(const std::function<void()> &Meanwhile) {
  uint64_t R = enter(site(9, 0));
  Meanwhile();
  std::thread([&] { endSpan(R, site(9, 0)); }).join();
}

/// A run of method 2, from a deeper native frame, with a call of itself.
static void deeperRun() {
  deeper([] {
    uint64_t R = enter(site(9, 2));
    deeper([] { endSpan(enter(site(9, 2)), site(9, 2)); });
    advanceClock(4);
    endSpan(R, site(9, 2));
  });
}

static uint64_t runsOf(const ReadProfile &P, unsigned Slot) {
  uint64_t Runs = 0;
  for (const ReadProfile::RunsOf &Of : P.Runs)
    if (Of.Site == format::Slot(Slot))
      Runs += Of.Count;
  return Runs;
}

TEST_F(Suspended, RunThatEndsElsewhereWhileTheGateIsShutIsOneStep) {
  recordIt([] {
    ASSERT_EQ(setOption("schedule", "wait=3,active=2"), 0);
    addWaitingModel();
    enterHereAndEndElsewhere([] {
      EXPECT_TRUE(beganShut(beginSpan(site(9, 1)))); // the wait
    });
    for (int Step = 1; Step < 10; ++Step) {
      advanceClock(1);
      deeperRun();
    }
  });
  EXPECT_EQ(Folder.names(),
            (std::vector<std::string>{"p.1.tprof", "p.2.tprof", "p.tprof"}));
  EXPECT_EQ(profile().counter(format::Counter::Steps), 10u);
  EXPECT_EQ(profile("p.1.tprof").count(6), 4u); // each run calls itself
  EXPECT_EQ(profile("p.1.tprof").cut(4), 0u);
  EXPECT_EQ(runsOf(profile(), 6), 2u);
}

TEST_F(Suspended, RunThatAnExceptionEndsElsewhereWhileTheGateIsShutIsLeft) {
  recordIt([] {
    ASSERT_EQ(setOption("schedule", "wait=3,active=2"), 0);
    addWaitingModel();
    enter(site(9, 0));
    beginSpan(site(9, 1)); // the wait, behind which another thread goes on
    std::thread([] { leave(); }).join();
    for (int Step = 0; Step < 5; ++Step) {
      advanceClock(1);
      deeperRun();
    }
  });
  EXPECT_EQ(profile().counter(format::Counter::Steps), 5u);
  EXPECT_EQ(runsOf(profile(), 6), 2u);
}

TEST_F(Suspended, RunThatAnExceptionEndsElsewhereWhileStoppedIsLeft) {
  recordIt([] {
    addWaitingModel();
    enter(site(9, 0));
    stop();
    beginSpan(site(9, 1));
    std::thread([] { leave(); }).join();
    start();
    advanceClock(1);
    deeperRun();
  });
  EXPECT_EQ(runsOf(profile(), 6), 1u);
}

TEST_F(Suspended, WaitThatEndsHereWhileTheGateIsShutLeavesItsRunOpen) {
  recordIt([] {
    ASSERT_EQ(setOption("schedule", "wait=1,active=2"), 0);
    addWaitingModel();
    uint64_t R = enter(site(9, 0));
    uint64_t Wait = beginSpan(site(9, 1));
    endSpan(Wait, site(9, 1));
    deeperRun(); // a call: no step
    endSpan(R, site(9, 0));
    advanceClock(1);
    deeperRun();
  });
  EXPECT_EQ(profile().counter(format::Counter::Steps), 2u);
  EXPECT_EQ(runsOf(profile(), 6), 1u);
}

TEST_F(Suspended, RunThatEndsElsewhereInAWindowThatItDidNotSeeOpenIsCut) {
  recordIt([] {
    ASSERT_EQ(setOption("schedule", "wait=1,active=8"), 0);
    addWaitingModel();
    uint64_t R = enter(site(9, 0));
    std::thread([R] {
      deeperRun(); // a step, which opens the gate
      advanceClock(1);
      deeperRun();
      endSpan(R, site(9, 0));
    }).join();
    deeperRun();
  });
  EXPECT_EQ(profile().count(4), 0u);
  EXPECT_EQ(profile().cut(4), 1u);
  EXPECT_EQ(profile().begins(4), 1u);
  EXPECT_EQ(runsOf(profile(), 6), 2u);
}

TEST_F(Suspended, RunIsNotInOneThatEndedElsewhereWithoutANodeThatWaits) {
  recordIt([] {
    addWaitingModel();
    enterHereAndEndElsewhere([] {});
    uint64_t Region = beginRegion(regionNumber("next"));
    deeperRun();
    endRegion(Region, regionNumber("next"));
  });
  ReadProfile P = profile();
  EXPECT_EQ(runsOf(P, 6), 1u);
  EXPECT_EQ(P.child(format::DynamicKind::Region, "next").Parent,
            format::NoSlot);
}

TEST_F(Suspended, RootThatIsOpenOutlivesARunBelowThatEndsElsewhere) {
  recordIt([] {
    addWaitingModel();
    uint64_t Below = enter(site(9, 0));
    deeper([Below] {
      uint64_t R = enter(site(9, 2));
      std::thread([Below] { endSpan(Below, site(9, 0)); }).join();
      deeperRun();
      endSpan(R, site(9, 2));
    });
    deeperRun();
  });
  EXPECT_EQ(profile().count(6), 5u);
  EXPECT_EQ(runsOf(profile(), 6), 1u);
}

TEST(EndedRuns, AreTakenOnceEach) {
  EndedRuns Ended;
  EXPECT_FALSE(Ended.take(1000, format::Slot{1}));
  Ended.add(1000, format::Slot{1});
  Ended.add(1000, format::Slot{2});
  EXPECT_FALSE(Ended.take(1001, format::Slot{1}));
  EXPECT_TRUE(Ended.take(1000, format::Slot{1}));
  EXPECT_FALSE(Ended.take(1000, format::Slot{1}));
  EXPECT_FALSE(Ended.empty());
  EXPECT_TRUE(Ended.take(1000, format::Slot{2}));
  EXPECT_TRUE(Ended.empty());
}

TEST(EndedRuns, TakeThePlaceOfThoseThatNobodyAskedFor) {
  EndedRuns Ended;
  unsigned Kept = 0;
  for (uint64_t Begin = 1000; Begin < 3000; ++Begin)
    Ended.add(Begin, format::Slot{1});
  EXPECT_TRUE(Ended.take(2999, format::Slot{1}));
  for (uint64_t Begin = 1000; Begin < 2999; ++Begin)
    Kept += Ended.take(Begin, format::Slot{1});
  EXPECT_EQ(Kept, 255u);
  EXPECT_TRUE(Ended.empty());
}

TEST_F(Suspended, GradientAfterASuspendedRunIsNotInItsWait) {
  recordIt([] {
    addWaitingModel();
    for (bool IsSuspended : {false, true}) {
      uint64_t R = enter(site(9, 0));
      uint64_t Wait = beginSpan(site(9, 1));
      advanceClock(5);
      auto End = [&] {
        endSpan(Wait, site(9, 1));
        endSpan(R, site(9, 0));
      };
      if (IsSuspended)
        std::thread(End).join();
      else
        End(); // its cell is known on this thread from now on
    }
    for (int I = 0; I < 2; ++I) {
      uint64_t Begin = beginFunction(format::Slot{1});
      advanceClock(7);
      endSlot(Begin, format::Slot{1});
    }
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.sum(1), 14u);
  for (const ReadProfile::CellOf &C : P.Cells)
    EXPECT_EQ(C.Data.Gradients, 0u);
}
