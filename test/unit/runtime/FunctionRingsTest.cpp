//===- FunctionRingsTest.cpp - which span made an autograd function -------===//

#include "FunctionRings.h"
#include "Control.h"
#include "Lineage.h"
#include "OpenFrames.h"
#include "Pages.h"
#include "Probe.h"
#include "TestSupport.h"

#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace torchprof;
using namespace torchprof::test;
using format::Counter;
using format::NoSlot;
using format::Slot;

namespace {

class Rings : public testing::Test {
protected:
  FunctionRing &ring(uint64_t Thread, uint64_t Next = 0) {
    FunctionRing *R = All.own(Thread, Next, PageSource::system());
    EXPECT_NE(R, nullptr);
    return *R;
  }
  FunctionRings All;
};

class NoPages : public PageSource {
  void *plain(uint64_t) override { return nullptr; }
};

uint64_t forgotten() {
  return counters()[unsigned(Counter::ForgottenFunctions)];
}

} // namespace

TEST_F(Rings, KnowWhoseAFunctionIs) {
  FunctionRing &R = ring(5, /*Next=*/10);
  R.claim(12, Slot(0));
  R.claim(13, NoSlot);
  R.claim(15, Slot(0xfffffe));
  EXPECT_EQ(R.claimed(), 15u);
  EXPECT_EQ(All.makerOf(5, 9), NoSlot); // before the first claim
  EXPECT_EQ(All.makerOf(5, 10), Slot(0));
  EXPECT_EQ(All.makerOf(5, 11), Slot(0));
  EXPECT_EQ(All.makerOf(5, 12), NoSlot);
  EXPECT_EQ(All.makerOf(5, 14), Slot(0xfffffe));
  EXPECT_EQ(All.makerOf(5, 15), NoSlot); // not made yet
  EXPECT_EQ(All.makerOf(6, 10), NoSlot); // of another thread
  // What has no number, such as AccumulateGrad.
  EXPECT_EQ(All.makerOf(5, UINT64_MAX), NoSlot);
}

TEST_F(Rings, ForgetWhatLiesFarBackAndSaySo) {
  FunctionRing &R = ring(5);
  R.claim(3, Slot(1));
  R.claim(FunctionRing::Size + 2, Slot(2));
  uint64_t Before = forgotten();
  EXPECT_EQ(All.makerOf(5, 1), NoSlot);
  EXPECT_EQ(forgotten(), Before + 1);
  EXPECT_EQ(All.makerOf(5, 2), Slot(1));
  EXPECT_EQ(All.makerOf(5, FunctionRing::Size + 1), Slot(2));
  EXPECT_EQ(forgotten(), Before + 1);
  // More at once than it can hold.
  R.claim(10 * FunctionRing::Size, Slot(3));
  EXPECT_EQ(All.makerOf(5, 9 * FunctionRing::Size), Slot(3));
  EXPECT_EQ(All.makerOf(5, 9 * FunctionRing::Size - 1), NoSlot);
  EXPECT_EQ(forgotten(), Before + 2);
}

TEST_F(Rings, OutliveTheirThreadsUntilTheyAreNeeded) {
  for (uint64_t Thread = 0; Thread < FunctionRings::MaxRings; ++Thread)
    ring(Thread).claim(1, Slot(7));
  uint64_t Before = forgotten(), Ended = FunctionRings::ended();
  EXPECT_EQ(All.makerOf(1000, 0), NoSlot); // has made none in a node
  EXPECT_EQ(forgotten(), Before);
  EXPECT_EQ(All.own(1000, 0, PageSource::system()), nullptr);
  EXPECT_EQ(FunctionRings::ended(), Ended);
  EXPECT_EQ(All.makerOf(1000, 0), NoSlot);
  EXPECT_EQ(forgotten(), Before + 1);
  ring(3).release();
  ring(2).release();
  EXPECT_EQ(FunctionRings::ended(), Ended + 2);
  EXPECT_EQ(All.makerOf(3, 0), Slot(7));
  ring(1000);
  EXPECT_EQ(forgotten(), Before + 1);
  EXPECT_EQ(All.makerOf(3, 0), NoSlot); // the one that ended first
  EXPECT_EQ(forgotten(), Before + 2);
  EXPECT_EQ(All.makerOf(1000, 0), NoSlot);
  EXPECT_EQ(forgotten(), Before + 2);
  EXPECT_EQ(All.makerOf(2, 0), Slot(7));
}

TEST_F(Rings, OfAParentsThreadsAreUsedAgainInAChild) {
  for (uint64_t Thread = 0; Thread < FunctionRings::MaxRings; ++Thread)
    ring(Thread).claim(1, Slot(7));
  EXPECT_EQ(runChild([&] {
              ring(5); // the thread that forked
              for (uint64_t Thread = 1; Thread < FunctionRings::MaxRings;
                   ++Thread)
                ring(1000 + Thread);
              EXPECT_EQ(All.makerOf(5, 0), Slot(7));
              EXPECT_EQ(All.own(2000, 0, PageSource::system()), nullptr);
            }),
            0);
}

TEST_F(Rings, GoOnWhereTheirThreadDoes) {
  FunctionRing &R = ring(5);
  R.claim(1, Slot(1));
  R.resume(10);
  R.claim(11, Slot(2));
  EXPECT_EQ(All.makerOf(5, 0), Slot(1));
  EXPECT_EQ(All.makerOf(5, 5), NoSlot);
  EXPECT_EQ(All.makerOf(5, 10), Slot(2));
}

TEST_F(Rings, WithoutMemoryThereIsNone) {
  NoPages None;
  EXPECT_EQ(All.own(1, 0, None), nullptr);
  EXPECT_EQ(All.makerOf(1, 0), NoSlot);
}

namespace {

/// A model of id 7 whose site 1 has a gradient.
class Gradients : public RecordedModel {
protected:
  static Slot gradient(unsigned Site, const char *Name) {
    return Line.Children.childSlot(Slot(Site), format::DynamicKind::Backward,
                                   SiteName(Name));
  }
  /// 10 ticks of \p Outer, and 100 of \p Inner in it.
  static void functionInFunction(Slot Outer, Slot Inner) {
    uint64_t F = beginFunction(Outer);
    EXPECT_TRUE(isOpen(ThisLane)); // the next begins and ends without a lock
    advanceClock(10);
    uint64_t G = beginFunction(Inner);
    advanceClock(100);
    endSlot(G, Inner);
    endSlot(F, Outer);
  }
  /// Computes a function of 100 ticks on another thread, three times: it is
  /// known there from then on. The innermost span here waits for it.
  static void functionsElsewhere() {
    std::thread([Waiting = format::slotOfCurrent(ThisLane->Current),
                 Begin = ThisLane->CurrentTicks, On = ThisLane] {
      Slot Function = gradient(1, "Function");
      for (unsigned I = 0; I < 3; ++I) {
        uint64_t F = beginFunction(Function);
        advanceClock(100);
        endSlot(F, Function, Waiting, Begin, On);
      }
    }).join();
  }
  /// What all threads have computed for a slot.
  static uint64_t gradientsOf(const ReadProfile &P, Slot Of) {
    uint64_t Ticks = 0;
    for (const ReadProfile::CellOf &C : P.Cells)
      if (C.Data.Site == Of)
        Ticks += C.Data.Gradients;
    return Ticks;
  }
  static const format::Cell &cellOf(const ReadProfile &P, const char *Name) {
    return P.cell(number(P.child(format::DynamicKind::Backward, Name).Site));
  }
};

} // namespace

TEST_F(Gradients, AreNoTimeOfTheSpanAroundThem) {
  recordIt([] {
    uint64_t Node = beginSpan(site(7, 2));
    advanceClock(1);
    functionInFunction(gradient(1, "Outer"), gradient(1, "Inner"));
    endSpan(Node, site(7, 2));
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.cell(2).Sum, 111u);
  EXPECT_EQ(P.cell(2).Gradients, 110u);
  EXPECT_EQ(P.cell(2).Nested, 0u);
  EXPECT_EQ(cellOf(P, "Outer").Sum, 110u);
  EXPECT_EQ(cellOf(P, "Outer").Gradients, 100u);
  EXPECT_EQ(cellOf(P, "Inner").Sum, 100u);
  EXPECT_EQ(cellOf(P, "Inner").Gradients, 0u);
}

TEST_F(Gradients, OfFunctionsThatAreKnownAreBookedTheSame) {
  recordIt([] {
    Slot Outer = gradient(1, "Outer"), Inner = gradient(1, "Inner");
    for (unsigned I = 0; I < 4; ++I) {
      if (I == 2)
        reset();
      advanceClock(1);
      uint64_t Node = beginSpan(site(7, 2));
      advanceClock(1);
      functionInFunction(Outer, Inner);
      endSpan(Node, site(7, 2));
      EXPECT_EQ(ThisLane->Depth, 0u);
    }
    uint64_t F = beginFunction(Outer); // in no span
    advanceClock(1000);
    endSlot(F, Outer);
    F = beginFunction(Outer);
    stop();
    endSlot(F, Outer);
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.cell(2).Sum, 2 * 111u);
  EXPECT_EQ(P.cell(2).Gradients, 2 * 110u);
  EXPECT_EQ(cellOf(P, "Outer").Sum, 2 * 110u + 1000u);
  EXPECT_EQ(cellOf(P, "Outer").Word, 2 * 3u);
  EXPECT_EQ(cellOf(P, "Outer").Begins, 4u);
  EXPECT_EQ(cellOf(P, "Outer").Cut, 1u);
  EXPECT_EQ(cellOf(P, "Outer").Pairs, 0u); // pairs of probes are others
  EXPECT_EQ(cellOf(P, "Outer").Gradients, 2 * 100u);
  EXPECT_EQ(cellOf(P, "Inner").Sum, 2 * 100u);
}

TEST_F(Gradients, OfAnotherThreadAreNoTimeOfTheSpanThatWaits) {
  recordIt([] {
    uint64_t Node = beginSpan(site(7, 2));
    functionsElsewhere();
    advanceClock(1);
    endSpan(Node, site(7, 2));
  });
  ReadProfile P = profile();
  EXPECT_EQ(gradientsOf(P, Slot(2)), 300u);
  EXPECT_EQ(P.sum(2), 301u);
  EXPECT_EQ(P.begins(2), 1u);
  EXPECT_EQ(P.count(2), 1u);
  EXPECT_EQ(cellOf(P, "Function").Sum, 300u);
}

TEST_F(Gradients, OfAnotherThreadAreNoTimeOfASpanThatIsCut) {
  auto Reopen = [] {
    stop();
    start();
  };
  for (void (*Cut)() : {+Reopen, resetThread}) {
    TestFolder Files;
    recordModel(Files.file("p.tprof"), 3, [Cut] {
      uint64_t Node = beginSpan(site(7, 2));
      advanceClock(1);
      Cut();
      functionsElsewhere();
      endSpan(Node, site(7, 2));
    });
    ReadProfile P = readProfile(Files.file("p.tprof"));
    EXPECT_EQ(gradientsOf(P, Slot(2)), 0u);
    EXPECT_EQ(P.cut(2), 1u);
    EXPECT_EQ(P.count(2), 0u);
    EXPECT_EQ(cellOf(P, "Function").Sum, 300u);
  }
}

TEST_F(Gradients, OfAnotherThreadArePartsAfterAResetOfAThirdOne) {
  recordIt([] {
    uint64_t Node = beginSpan(site(7, 2));
    std::thread([] {
      span(site(7, 1), 1);
      resetThread();
    }).join();
    advanceClock(1);
    functionsElsewhere();
    endSpan(Node, site(7, 2));
  });
  ReadProfile P = profile();
  EXPECT_EQ(gradientsOf(P, Slot(2)), 300u);
  EXPECT_EQ(P.sum(2), 302u);
}

TEST_F(Gradients, AFunctionIsKnownByItsTypeAndMaker) {
  recordIt([] {
    const char Type[] = "5First", Other[] = "5First"; // told apart by address
    EXPECT_EQ(knownFunction(Slot(1), Type), NoSlot);
    span(site(7, 1), 5);
    EXPECT_EQ(knownFunction(Slot(1), Type), NoSlot);
    Slot First = gradient(1, "First");
    keepFunction(Slot(1), Type, First);
    EXPECT_EQ(knownFunction(Slot(1), Type), First);
    EXPECT_EQ(knownFunction(Slot(2), Type), NoSlot);
    EXPECT_EQ(knownFunction(Slot(1), Other), NoSlot);
    keepFunction(Slot(2), Type, NoSlot); // there was no memory for one
    EXPECT_EQ(knownFunction(Slot(2), Type), NoSlot);
  });
}

TEST_F(Gradients, AreBookedWhenTheyAreOver) {
  recordIt([] {
    Slot Engine = Line.Children.childSlot(NoSlot, format::DynamicKind::Backward,
                                          SiteName("Engine"));
    uint64_t Node = beginSpan(site(7, 2));
    uint64_t Begin = clock::ticks();
    advanceClock(10);
    bookSpan(Engine, Begin, clock::ticks());
    advanceClock(1);
    endSpan(Node, site(7, 2));
    Begin = clock::ticks();
    advanceClock(5);
    stop();
    bookSpan(Engine, Begin, clock::ticks());
    start();
    bookSpan(Engine, Begin, clock::ticks());
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.cell(2).Sum, 11u);
  EXPECT_EQ(P.cell(2).Gradients, 10u);
  EXPECT_EQ(cellOf(P, "Engine").Sum, 10u);
  EXPECT_EQ(cellOf(P, "Engine").Cut, 1u); // across the window's edge
}

TEST_F(Gradients, MayHoldARun) {
  recordIt([] {
    Slot Checkpoint = gradient(1, "Checkpoint");
    uint64_t F = beginFunction(Checkpoint);
    uint64_t Frame = 0; // stands for the address of a native one
    // A function's end comes for sure: the run drops nothing.
    uint64_t R = enterRoot(site(7, 0), reinterpret_cast<uintptr_t>(&Frame));
    advanceClock(10);
    endSpan(R, site(7, 0));
    advanceClock(1);
    endSlot(F, Checkpoint);
  });
  ReadProfile P = profile();
  EXPECT_EQ(cellOf(P, "Checkpoint").Sum, 11u);
  EXPECT_EQ(cellOf(P, "Checkpoint").Nested, 10u);
  ASSERT_EQ(P.Runs.size(), 1u);
  EXPECT_EQ(P.Runs[0].Count, 1u);
}

TEST_F(Gradients, EndAfterWhatAnExceptionLeftOpenInThem) {
  recordIt([] {
    Slot Function = gradient(1, "Function");
    uint64_t F = beginFunction(Function);
    beginSpan(site(7, 2));
    advanceClock(3);
    endSlot(F, Function);
    EXPECT_EQ(ThisLane->Depth, 0u);
  });
  ReadProfile P = profile();
  EXPECT_EQ(cellOf(P, "Function").Sum, 3u);
  EXPECT_EQ(P.begins(2), 1u);
  EXPECT_EQ(P.count(2), 0u);
}

TEST_F(Gradients, AChildOfForkGoesOnWithTheGraphsOfItsParent) {
  recordIt([] {
    span(site(7, 1), 5);
    ThisLane->Functions = Line.Functions.own(77, 0, PageSource::system());
    ThisLane->Functions->claim(3, Slot(1));
    EXPECT_EQ(
        runChild([] {
          EXPECT_EQ(ThisLane->Functions, nullptr); // wiped
          EXPECT_EQ(Line.Functions.makerOf(77, 2), Slot(1));
          Line.Functions.own(77, 3, PageSource::system())->claim(5, Slot(2));
          EXPECT_EQ(Line.Functions.makerOf(77, 4), Slot(2));
          _exit(testing::Test::HasFailure());
        }),
        0);
    EXPECT_EQ(Line.Functions.makerOf(77, 4), NoSlot);
    std::thread Next([] { // has the lane's successor, not its functions
      span(site(7, 1), 5);
      EXPECT_EQ(ThisLane->Functions, nullptr);
    });
    Next.join();
  });
}

TEST_F(Gradients, OfAStoppedRecordingAreNone) {
  recordIt([] {
    Slot Function = gradient(1, "Function");
    span(site(7, 1), 5);
    stop();
    EXPECT_EQ(beginFunction(Function), 0u);
    endSlot(0, Function);
  });
  EXPECT_EQ(profile().count(1), 1u);
}
