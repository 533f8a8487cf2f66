//===- PlanEventsTest.cpp - plans that the framework has made -------------===//

#include "Clock.h"
#include "Control.h"
#include "Probe.h"
#include "RootSupport.h"
#include "torchprof/format/Segments.h"

#include <csignal>
#include <cstdint>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

using PlanEventsTest = RecordedModel;

void plan(PlanPart Part, std::optional<SiteId> Root,
          std::optional<SiteId> First = std::nullopt, uint64_t Ticks = 1,
          Slot Waiting = NoSlot, uint64_t BeginTicks = 900) {
  PlanEvent Event{};
  Event.Kind = PlanKind::Optimized;
  Event.Part = Part;
  Event.BeginTicks = BeginTicks;
  Event.Ticks = Ticks;
  Event.Depth = NoDepth;
  addPlan(Root, First, Event, Waiting);
}

void runWithNode() {
  inRun([] { span(site(7, 1), 5); });
}

} // namespace

TEST_F(PlanEventsTest, WaitForTheFirstProbe) {
  recordIt([] {
    plan(PlanPart::Whole, site(7, 0));
    EXPECT_EQ(profilePath(), "");
    runWithNode();
    plan(PlanPart::Whole, site(7, 0), std::nullopt, 20);
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Plans.size(), 2u);
  EXPECT_EQ(P.Plans[0].Root, Slot{0});
  EXPECT_EQ(P.Plans[0].First, NoSlot);
  EXPECT_EQ(P.Plans[0].BeginTicks, 900u);
  EXPECT_NE(P.Plans[0].Thread, 0u);
  EXPECT_EQ(P.Plans[1].Ticks, 20u);
}

TEST_F(PlanEventsTest, MakeNoFileByThemselves) {
  recordIt([] { plan(PlanPart::Whole, site(7, 0)); });
  struct stat Status;
  EXPECT_NE(stat(Folder.file("p.tprof").c_str(), &Status), 0);
}

TEST_F(PlanEventsTest, KnowTheRunOnWhateverThreadItEnds) {
  recordIt([] {
    plan(PlanPart::Whole, site(7, 0));
    runWithNode();
    plan(PlanPart::Backward, site(7, 0));
    plan(PlanPart::Whole, site(7, 0));
    std::thread(runWithNode).join();
    plan(PlanPart::Fallback, site(7, 0));
    stop();
    plan(PlanPart::Whole, site(7, 0));
  });
  std::vector<uint32_t> Runs;
  for (const PlanEvent &E : profile().Plans)
    Runs.push_back(E.Run);
  EXPECT_EQ(Runs, (std::vector<uint32_t>{1, 1, 2, 3, 0}));
}

TEST_F(PlanEventsTest, OfABackwardInTheModelAreOfItsRun) {
  recordIt([] {
    auto Backward = [] { plan(PlanPart::Backward, site(7, 0)); };
    inRun(Backward);
    Backward();
    inRun([&] {
      pairedNode(1, Backward);
      std::thread(Backward).join(); // of another run than this thread's
      std::thread([] {
        plan(PlanPart::Backward, site(7, 0), std::nullopt, 1, Slot(1));
      }).join();
    });
  });
  std::vector<uint32_t> Runs;
  for (const PlanEvent &E : profile().Plans)
    Runs.push_back(E.Run);
  EXPECT_EQ(Runs, (std::vector<uint32_t>{1, 1, 2, 1, 2}));
}

TEST_F(PlanEventsTest, SayWhetherARunGoesOnOnTheirThread) {
  auto Whole = [] { plan(PlanPart::Whole, site(8, 0)); };
  recordIt([&] {
    addTestModel(8, 2);
    Whole();
    inRun([&] {
      Whole();
      timedNode(1, Whole);
      pairedNode(1, [&] {
        uint64_t Region = beginRegion(regionNumber("call"));
        Whole();
        endRegion(Region, regionNumber("call"));
      });
      std::thread(Whole).join();
    });
    Whole();
  });
  constexpr uint32_t InOther = PF_InRun | PF_Called;
  std::vector<uint32_t> Flags;
  for (const PlanEvent &E : profile().Plans)
    Flags.push_back(E.Flags);
  EXPECT_EQ(Flags, (std::vector<uint32_t>{0, InOther, InOther, InOther, 0, 0}));
}

TEST_F(PlanEventsTest, OfACalledMethodAreOfItsCallersRun) {
  recordIt([] {
    addTestModel(8, 2);
    for (int I = 0; I < 3; ++I)
      inRun([] {
        pairedNode(1, [] {
          plan(PlanPart::Whole, site(8, 0));
          uint64_t Called = enter(site(8, 0));
          plan(PlanPart::Fallback, site(8, 0));
          plan(PlanPart::Backward, site(8, 0));
          endSpan(Called, site(8, 0));
        });
      });
    plan(PlanPart::Whole, site(8, 0));
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Plans.size(), 10u);
  for (unsigned I = 0; I < 9; ++I) {
    EXPECT_EQ(P.Plans[I].Root, P.Models[1].FirstSlot);
    EXPECT_EQ(P.Plans[I].Flags, uint32_t(PF_InRun | PF_Called));
    EXPECT_EQ(P.Plans[I].Caller, Slot{0});
    EXPECT_EQ(P.Plans[I].Run, I / 3 + 1);
    EXPECT_EQ(runRootOf(P.Plans[I]), Slot{0});
  }
  EXPECT_EQ(P.Plans[9].Flags, 0u);
  EXPECT_EQ(P.Plans[9].Run, 1u);
  EXPECT_EQ(runRootOf(P.Plans[9]), P.Models[1].FirstSlot);
}

TEST_F(PlanEventsTest, AreGoneAfterAResetWithTheRuns) {
  recordIt([] {
    runWithNode();
    plan(PlanPart::Whole, site(7, 0));
    advanceClock(1);
    reset();
    advanceClock(1);
    plan(PlanPart::Whole, site(7, 0), std::nullopt, 20, NoSlot, clock::ticks());
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Plans.size(), 1u);
  EXPECT_EQ(P.Plans[0].Ticks, 20u);
  EXPECT_EQ(P.Plans[0].Run, 1u);
}

TEST_F(PlanEventsTest, AreGoneOnceTheirThreadIsEmptied) {
  auto Work = [] {
    runWithNode();
    plan(PlanPart::Fallback, site(7, 0));
  };
  recordIt([&] {
    Work();
    std::thread(Work).join();
    resetThread();
    advanceClock(1);
    Work();
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Plans.size(), 2u);
  EXPECT_NE(P.Plans[0].Thread, P.Plans[1].Thread);
  EXPECT_NE(P.Plans[0].Run, 0u);
  EXPECT_NE(P.Plans[1].Run, 0u);
}

TEST_F(PlanEventsTest, CountNoRunThatWasEmptied) {
  recordIt([] {
    runWithNode();
    resetThread();
    advanceClock(1);
    plan(PlanPart::Whole, site(7, 0));
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Plans.size(), 1u);
  EXPECT_EQ(P.Plans[0].Run, 1u);
}

TEST_F(PlanEventsTest, TheRootIsFoundAboveANodeOnceItHasRun) {
  recordIt([] {
    plan(PlanPart::Fork, std::nullopt, site(7, 2));
    runWithNode();
    plan(PlanPart::Fork, std::nullopt, site(7, 2));
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Plans.size(), 2u);
  EXPECT_EQ(P.Plans[0].Root, NoSlot);
  EXPECT_EQ(P.Plans[0].Run, 0u);
  EXPECT_EQ(P.Plans[1].Root, Slot{0});
  EXPECT_EQ(P.Plans[1].First, Slot{2});
  EXPECT_EQ(P.Plans[1].Run, 2u);
}

TEST_F(PlanEventsTest, OfUnknownModelsAreLeftOut) {
  recordIt([] {
    runWithNode();
    plan(PlanPart::Whole, site(9, 0));
    plan(PlanPart::Fork, std::nullopt, site(9, 1));
    plan(PlanPart::Backward, std::nullopt);
  });
  EXPECT_TRUE(profile().Plans.empty());
}

TEST_F(PlanEventsTest, OfUnknownModelsAreOfTheRunThatTheyAreMadeIn) {
  recordIt([] {
    inRun([] {
      timedNode(1, [] { plan(PlanPart::Whole, std::nullopt); });
      plan(PlanPart::Fork, site(9, 0), site(9, 1));
    });
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Plans.size(), 2u);
  for (const PlanEvent &E : P.Plans) {
    EXPECT_EQ(E.Root, Slot{0});
    EXPECT_EQ(E.First, NoSlot);
    EXPECT_EQ(E.Run, 1u);
    EXPECT_EQ(E.Flags, uint32_t(PF_InRun));
  }
  EXPECT_EQ(P.Plans[0].Part, PlanPart::Other);
  EXPECT_EQ(P.Plans[1].Part, PlanPart::Fork);
}

TEST_F(PlanEventsTest, BringTheirModel) {
  recordIt([] {
    addTestModel(8, 2);
    runWithNode();
    plan(PlanPart::Whole, site(8, 0));
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Models.size(), 2u);
  EXPECT_EQ(P.Plans[0].Root, P.Models[1].FirstSlot);
}

TEST_F(PlanEventsTest, TheirNumberIsBounded) {
  recordIt([] {
    for (uint32_t I = 0; I < 50; ++I)
      plan(PlanPart::Whole, site(7, 0), std::nullopt, I);
    runWithNode();
    for (uint32_t I = 50; I < MaxEvents + 3; ++I)
      plan(PlanPart::Whole, site(7, 0), std::nullopt, I);
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Plans.size(), MaxEvents);
  for (uint32_t I = 0; I < MaxEvents; ++I)
    EXPECT_EQ(P.Plans[I].Ticks, I);
  EXPECT_EQ(P.counter(Counter::DroppedPlans), 3u);
}

TEST_F(PlanEventsTest, ThoseThatWaitAreBoundedToo) {
  recordIt([] {
    for (uint32_t I = 0; I < MaxEvents + 2; ++I)
      plan(PlanPart::Whole, site(7, 0));
    runWithNode();
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.Plans.size(), MaxEvents);
  EXPECT_EQ(P.counter(Counter::DroppedPlans), 2u);
}

TEST_F(PlanEventsTest, SnapshotsHaveThemAndForkedChildrenTheirOwn) {
  recordIt([&] {
    plan(PlanPart::Whole, site(7, 0));
    runWithNode();
    EXPECT_EQ(snapshot(Folder.file("s.tprof")), 0);
    EXPECT_EQ(runChild([] {
                plan(PlanPart::Whole, site(7, 0), std::nullopt, 30);
                runWithNode();
              }),
              0);
  });
  EXPECT_EQ(readProfile(Folder.file("s.tprof")).Plans.size(), 1u);
  EXPECT_EQ(profile().Plans.size(), 1u);
  ReadProfile Child = readProfile(Folder.file("p.1.tprof"));
  ASSERT_EQ(Child.Plans.size(), 1u);
  EXPECT_EQ(Child.Plans[0].Ticks, 30u);
}

TEST_F(PlanEventsTest, AKilledProcessLeavesThem) {
  EXPECT_EQ(runChild([&] {
              ASSERT_EQ(setOption("file", Folder.file("p.tprof")), 0);
              addTestModel(7, 3);
              runWithNode();
              plan(PlanPart::Whole, site(7, 0));
              raise(SIGKILL);
            }),
            -SIGKILL);
  EXPECT_EQ(profile().Plans.size(), 1u);
}

TEST_F(PlanEventsTest, AreOfTheLastRunThatTheirNumberHolds) {
  recordIt([] {
    runWithNode();
    constexpr uint64_t TooMany = uint64_t(1) << 32;
    for (const auto &S : Recording::existing()->file().segments())
      if (S.Head->Type == SegmentType::Runs)
        SegmentOf<SegmentType::Runs>(S.Head).record().Count = TooMany;
    plan(PlanPart::Whole, site(7, 0));
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Plans.size(), 1u);
  EXPECT_EQ(P.Plans[0].Run, UINT32_MAX);
}
