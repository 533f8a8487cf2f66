//===- LoadEventsTest.cpp - files that the framework has loaded -----------===//

#include "Clock.h"
#include "Control.h"
#include "TestSupport.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

using LoadEventsTest = RecordedModel;

void load(std::string_view Name, uint64_t Ticks = 1) {
  LoadEvent Event{};
  Event.BeginTicks = 900;
  Event.Ticks = Ticks;
  setFile(Event, Name);
  addLoad(Event);
}

void node() { span(site(7, 1), 5); }

std::string storedName(std::string_view Name) {
  LoadEvent Event;
  setFile(Event, Name);
  return std::string(fileOf(Event));
}

} // namespace

TEST_F(LoadEventsTest, WaitForTheFirstProbe) {
  recordIt([] {
    load("/models/net.pt", 20);
    EXPECT_EQ(profilePath(), "");
    node();
    load("");
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Loads.size(), 2u);
  EXPECT_EQ(fileOf(P.Loads[0]), "/models/net.pt");
  EXPECT_EQ(P.Loads[0].BeginTicks, 900u);
  EXPECT_EQ(P.Loads[0].Ticks, 20u);
  EXPECT_NE(P.Loads[0].Thread, 0u);
  EXPECT_EQ(fileOf(P.Loads[1]), "");
}

TEST_F(LoadEventsTest, AreGoneAfterAReset) {
  recordIt([] {
    load("/models/net.pt");
    node();
    reset();
  });
  EXPECT_TRUE(profile().Loads.empty());
}

TEST_F(LoadEventsTest, MakeNoFileByThemselves) {
  recordIt([] { load("a.pt"); });
  struct stat Status;
  EXPECT_NE(stat(Folder.file("p.tprof").c_str(), &Status), 0);
}

TEST_F(LoadEventsTest, LeaveOptionsToBeSet) {
  recordIt([] {
    load("a.pt");
    EXPECT_EQ(setOption("mode", "trace"), 0);
    node();
    EXPECT_NE(setOption("mode", "aggregate"), 0);
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.Process.Mode, RecordMode::Trace);
  EXPECT_EQ(P.Loads.size(), 1u);
}

TEST_F(LoadEventsTest, AreDroppedWithTheirClock) {
  bool HadCounter = false;
  record(Folder.file("p.tprof"), [&] {
    addTestModel(7, 3);
    if (processor::HasCounter) {
      EXPECT_EQ(setOption("clock", processor::TheCounter.Option), 0);
    }
    HadCounter = clock::kind() != ClockKind::Monotonic;
    load("a.pt", 1);
    EXPECT_EQ(setOption("clock", "monotonic"), 0);
    load("b.pt", 2);
    node();
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.Loads.size(), HadCounter ? 1u : 2u);
  EXPECT_EQ(P.Loads.back().Ticks, 2u);
  EXPECT_EQ(P.counter(Counter::DroppedLoads), HadCounter ? 1u : 0u);
}

TEST_F(LoadEventsTest, WaitBesideAPlanToo) {
  recordIt([] {
    load("a.pt", 1);
    PlanEvent Plan{};
    addPlan(site(7, 0), std::nullopt, Plan);
    load("b.pt", 2);
    node();
    load("c.pt", 3);
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Loads.size(), 3u);
  for (uint64_t I = 0; I < 3; ++I)
    EXPECT_EQ(P.Loads[I].Ticks, I + 1);
}

TEST_F(LoadEventsTest, TheirNumberIsBounded) {
  recordIt([] {
    for (uint32_t I = 0; I < 50; ++I)
      load("a.pt", I);
    node();
    for (uint32_t I = 50; I < MaxEvents + 3; ++I)
      load("a.pt", I);
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Loads.size(), MaxEvents);
  for (uint32_t I = 0; I < MaxEvents; ++I)
    EXPECT_EQ(P.Loads[I].Ticks, I);
  EXPECT_EQ(P.counter(Counter::DroppedLoads), 3u);
}

TEST_F(LoadEventsTest, ThoseThatWaitAreBoundedToo) {
  recordIt([] {
    for (uint32_t I = 0; I < MaxEvents + 2; ++I)
      load("a.pt");
    node();
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.Loads.size(), MaxEvents);
  EXPECT_EQ(P.counter(Counter::DroppedLoads), 2u);
}

TEST_F(LoadEventsTest, SnapshotsHaveThemAndForkedChildrenTheirOwn) {
  recordIt([&] {
    load("a.pt");
    // Of a parent that has recorded nothing, and of one that has.
    EXPECT_EQ(runChild([&] {
                ASSERT_EQ(setOption("file", Folder.file("c.tprof")), 0);
                load("b.pt");
                node();
              }),
              0);
    node();
    EXPECT_EQ(snapshot(Folder.file("s.tprof")), 0);
    EXPECT_EQ(runChild([] {
                load("b.pt");
                node();
              }),
              0);
  });
  EXPECT_EQ(readProfile(Folder.file("s.tprof")).Loads.size(), 1u);
  EXPECT_EQ(profile().Loads.size(), 1u);
  for (const char *Name : {"c.tprof", "p.1.tprof"}) {
    ReadProfile Child = readProfile(Folder.file(Name));
    ASSERT_EQ(Child.Loads.size(), 1u);
    EXPECT_EQ(fileOf(Child.Loads[0]), "b.pt");
  }
}

TEST_F(LoadEventsTest, AKilledProcessLeavesThem) {
  EXPECT_EQ(runChild([&] {
              ASSERT_EQ(setOption("file", Folder.file("p.tprof")), 0);
              addTestModel(7, 3);
              load("a.pt");
              node();
              raise(SIGKILL);
            }),
            -SIGKILL);
  EXPECT_EQ(profile().Loads.size(), 1u);
}

TEST(LoadName, KeepsItsEndAndWholeCharacters) {
  std::string Long = std::string(3, 'x') + std::string(100, 'y');
  EXPECT_EQ(storedName(Long), Long);
  EXPECT_EQ(storedName("/" + Long), "/" + Long);
  EXPECT_EQ(storedName("a/" + Long), "/" + Long);
  // Two bytes of the first character lie beyond the room.
  EXPECT_EQ(storedName("\xe2\x82\xac" + Long), Long);
  EXPECT_EQ(storedName(std::string(200, '\x80')).size(), 101u);
}

TEST(LoadName, IsNotReadBeyondItsRoom) {
  LoadEvent Event{};
  Event.NameBytes = 5000;
  EXPECT_EQ(fileOf(Event).size(), sizeof(Event.Name));
}
