//===- SuspendedTest.cpp - runs that wait for tasks -----------------------===//

#include "RootSupport.h"

#include "Probe.h"

#include <algorithm>
#include <condition_variable>
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
