//===- LevelsTest.cpp - what threads held when spans ended ----------------===//

#include "Control.h"
#include "DeviceInUse.h"
#include "Memory.h"
#include "Probe.h"
#include "RootSupport.h"
#include "TestSupport.h"

#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <thread>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

/// Runs \p Body with memory and further options on the test's clock.
ReadProfile recorded(
    const std::function<void()> &Body,
    std::initializer_list<std::pair<const char *, const char *>> More = {}) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    useTestClock();
    ASSERT_EQ(setOption("record", "memory"), 0);
    for (auto [Name, Value] : More)
      ASSERT_EQ(setOption(Name, Value), 0);
    addTestModel(7, 4);
    Body();
  });
  return readProfile(Folder.file("p.tprof"));
}

[[gnu::noinline]] void run(const std::function<void()> &Body) {
  uint64_t R = enterRoot(
      site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  Body();
  advanceClock(10);
  endSpan(R, site(7, 0));
}

/// One that takes five ticks by itself.
void slowNode(unsigned Index, const std::function<void()> &Body) {
  FrameSpan Span{Slot(Index)};
  Body();
  advanceClock(5);
  Span.end();
}

struct ExpectedLevel {
  uint64_t End;
  int64_t Held;
  uint64_t Peak;
  Slot Site, PeakSite;
  bool operator==(const ExpectedLevel &) const = default;
};

std::ostream &operator<<(std::ostream &OS, const ExpectedLevel &E) {
  return OS << "slot " << number(E.Site) << " at " << E.End << ": " << E.Held
            << ", peak " << E.Peak << " in " << number(E.PeakSite);
}

std::vector<ExpectedLevel> levels(const ReadProfile &P, bool OfRuns,
                                  MemoryPlace Place = MemoryPlace::Cpu) {
  std::vector<ExpectedLevel> Found;
  for (const ReadProfile::LevelOf &L : P.Levels)
    if (L.OfRuns == OfRuns && L.Place == Place)
      Found.push_back({L.Data.EndTicks, L.Data.Held, L.Data.Peak, L.Data.Site,
                       L.Data.PeakSite});
  return Found;
}

using Levels = std::vector<ExpectedLevel>;

TEST(Levels, RunsHaveTheirPeakAndTheNodeItWasIn) {
  ReadProfile P = recorded([] {
    noteAllocated(7); // before: held, and in no peak
    run([] {
      slowNode(1, [] { noteAllocated(100); });
      slowNode(2, [] {
        noteAllocated(30);
        noteFreed(100);
      });
      slowNode(3, [] { noteAllocated(20); });
    });
    run([] { noteFreed(50); });
    run([] {
      noteAllocated(9);
      noteFreed(9);
    });
  });
  EXPECT_EQ(levels(P, true), (Levels{{1025, 57, 130, Slot(0), Slot(2)},
                                     {1035, 7, 0, Slot(0), NoSlot},
                                     {1045, 7, 9, Slot(0), Slot(0)}}));
  EXPECT_EQ(levels(P, false), Levels{});
}

TEST(Levels, TraceKeepsThoseOfSpansToo) {
  auto Body = [] {
    run([] {
      slowNode(1, [] { noteAllocated(100); });
      slowNode(2, [] { noteFreed(40); });
    });
  };
  ReadProfile P = recorded(Body, {{"mode", "trace"}});
  EXPECT_EQ(levels(P, false), (Levels{{1005, 100, 0, Slot(1), NoSlot},
                                      {1010, 60, 0, Slot(2), NoSlot},
                                      {1020, 60, 0, Slot(0), NoSlot}}));
}

TEST(Levels, TraceKeepsTheFirstOrTheLast) {
  auto Body = [] {
    for (int I = 0; I < 10; ++I)
      run([] { slowNode(1, [] { noteAllocated(1); }); });
  };
  for (bool First : {true, false}) {
    ReadProfile P = recorded(Body, {{"mode", "trace"},
                                    {"trace_events", "16"},
                                    {"trace_keep", First ? "first" : "last"}});
    Levels Kept = levels(P, false);
    ASSERT_EQ(Kept.size(), 16u);
    EXPECT_EQ(Kept.front().Held, First ? 1 : 3);
    EXPECT_EQ(Kept.back().Held, First ? 8 : 10);
  }
}

TEST(Levels, DevicesHaveTheirOwn) {
  DeviceInUse Device;
  auto Body = [] {
    run([] {
      slowNode(1,
               [] { noteAllocated(8); }); // no block of a device was seen yet
      slowNode(2, [] {
        noteDeviceAllocated(512);
        noteDeviceAllocated(1024);
        noteDeviceFreed(512);
      });
      slowNode(3, [] { noteFreed(8); });
    });
    run([] {
      slowNode(1, [] { noteDeviceAllocated(256); });
      noteDeviceFreed(1280);
    });
  };
  ReadProfile P = recorded(Body, {{"mode", "trace"}});
  EXPECT_EQ(levels(P, true), (Levels{{1025, 0, 8, Slot(0), Slot(1)},
                                     {1040, 0, 0, Slot(0), NoSlot}}));
  EXPECT_EQ(levels(P, true, MemoryPlace::Devices),
            (Levels{{1025, 1024, 1536, Slot(0), Slot(2)},
                    {1040, 0, 256, Slot(0), Slot(1)}}));
  EXPECT_EQ(levels(P, false, MemoryPlace::Devices),
            (Levels{{1010, 1024, 0, Slot(2), NoSlot},
                    {1015, 1024, 0, Slot(3), NoSlot},
                    {1025, 1024, 0, Slot(0), NoSlot},
                    {1030, 1280, 0, Slot(1), NoSlot},
                    {1040, 0, 0, Slot(0), NoSlot}}));
}

TEST(Levels, DeviceWhoseBlocksAreNotSeenHasNone) {
  DeviceInUse Device;
  ReadProfile P = recorded([] { run([] { noteAllocated(8); }); });
  EXPECT_EQ(levels(P, true).size(), 1u);
  EXPECT_TRUE(levels(P, true, MemoryPlace::Devices).empty());
}

TEST(Levels, ThreadsThatShareALaneOneAfterTheOtherAddUp) {
  ReadProfile P = recorded([] {
    for (int I = 0; I < 2; ++I)
      std::thread([] { run([] { noteAllocated(10); }); }).join();
  });
  EXPECT_EQ(levels(P, true), (Levels{{1010, 10, 10, Slot(0), Slot(0)},
                                     {1020, 20, 10, Slot(0), Slot(0)}}));
}

/// What the last levels of all lanes add up to.
int64_t heldByAll(const ReadProfile &P) {
  std::map<uint32_t, int64_t> Last;
  for (const ReadProfile::LevelOf &L : P.Levels)
    if (!L.OfRuns)
      Last[L.Lane] = L.Data.Held;
  int64_t Sum = 0;
  for (auto [Lane, Held] : Last)
    Sum += Held;
  return Sum;
}

TEST(Levels, ThreadsWithoutARunFreeWhatRunsAllocated) {
  ReadProfile P = recorded(
      [] {
        for (int I = 0; I < 5; ++I) {
          run([] { slowNode(1, [] { noteAllocated(100); }); });
          std::thread([] { noteFreed(100); }).join();
        }
        run([] { noteAllocated(7); });
      },
      {{"mode", "trace"}});
  EXPECT_EQ(heldByAll(P), 7);
  for (const ExpectedLevel &L : levels(P, false))
    EXPECT_LE(L.Held, 100) << L;
  EXPECT_EQ(levels(P, true).back().Held, 507); // the thread's own
}

TEST(Levels, ThreadsFreeAfterTheirLastSpanAndBetweenSpans) {
  ReadProfile P = recorded(
      [] {
        std::atomic<int> Step = 0;
        std::thread Other([&] {
          run([] { noteAllocated(10); });
          Step = 1;
          while (Step != 2)
            std::this_thread::yield();
          noteFreed(100); // what the other thread allocated
        });
        while (Step != 1)
          std::this_thread::yield();
        run([] { noteAllocated(100); });
        Step = 2;
        Other.join();
        noteAllocated(3);
        run([] { noteFreed(4); });
        // A thread that takes over the other's lane.
        std::thread([] { run([] { noteAllocated(1); }); }).join();
      },
      {{"mode", "trace"}});
  EXPECT_EQ(heldByAll(P), 10 + 3 - 4 + 1);
}

TEST(Levels, ThreadFreesWhileItsRunWaitsOrHasGoneOnElsewhere) {
  ReadProfile P = recorded(
      [] {
        addModelOf({{NoIndex, "method"}, {0, "aten::wait"}});
        std::thread([] {
          uint64_t Stack =
              reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
          uint64_t R = enterRoot(site(9, 0), Stack);
          noteAllocated(100);
          uint64_t Wait = beginSpan(site(9, 1));
          std::thread([&] {
            endSpan(Wait, site(9, 1));
            noteAllocated(20);
            endSpan(R, site(9, 0));
          }).join();
          noteFreed(120);
        }).join();
        run([] { noteAllocated(7); });
      },
      {{"mode", "trace"}});
  EXPECT_EQ(heldByAll(P), 7);
}

TEST(Levels, FullRingLeavesWhatIsOutsideOfSpansToOthers) {
  ReadProfile P = recorded(
      [] {
        auto Main = [] { run([] { noteAllocated(1); }); };
        for (int I = 0; I < 16; ++I)
          Main();
        noteAllocated(1000);
        Main(); // in no level any more
        std::thread([&] { run([] { noteAllocated(2); }); }).join();
      },
      {{"mode", "trace"}, {"trace_events", "16"}, {"trace_keep", "first"}});
  EXPECT_EQ(heldByAll(P), 16 + 1000 + 2);
}

TEST(Levels, ForkedChildDoesNotCountWhatItsParentHeld) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    ASSERT_EQ(setOption("record", "memory"), 0);
    addTestModel(7, 4);
    run([] { noteAllocated(100); });
    EXPECT_EQ(runChild([] { run([] { noteAllocated(30); }); }), 0);
  });
  ASSERT_EQ(Folder.names().size(), 2u);
  for (const std::string &Name : Folder.names()) {
    Levels Kept = levels(readProfile(Folder.file(Name)), true);
    ASSERT_EQ(Kept.size(), 1u) << Name;
    EXPECT_EQ(Kept.front().Held, Name == "p.tprof" ? 100 : 30);
  }
}

TEST(Levels, ForkedChildBeginsWithNothingOutsideOfSpans) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    ASSERT_EQ(setOption("record", "memory"), 0);
    ASSERT_EQ(setOption("mode", "trace"), 0);
    addTestModel(7, 4);
    run([] { noteAllocated(100); });
    noteAllocated(50);
    EXPECT_EQ(runChild([] {
                noteFreed(100); // the parent's
                run([] { noteAllocated(30); });
                noteAllocated(5);
                run([] {});
              }),
              0);
    run([] {});
  });
  ASSERT_EQ(Folder.names().size(), 2u);
  for (const std::string &Name : Folder.names())
    EXPECT_EQ(heldByAll(readProfile(Folder.file(Name))),
              Name == "p.tprof" ? 150 : 35);
}

TEST(Levels, ResetForgetsThem) {
  for (void (*Empty)() : {reset, resetThread}) {
    ReadProfile P = recorded([=] {
      run([] { noteAllocated(1); });
      Empty();
      advanceClock(1); // what began in the tick of the reset is of the past
      run([] { noteAllocated(2); });
    });
    ASSERT_EQ(levels(P, true).size(), 1u);
    EXPECT_EQ(levels(P, true).front().Held, 3);
  }
}

TEST(Levels, ResetKeepsTheLastOfSpans) {
  const ExpectedLevel Before = {1020, 3, 0, Slot(0), NoSlot};
  for (void (*Empty)() : {reset, resetThread})
    for (bool GoesOn : {false, true}) {
      auto Body = [=] {
        run([] { noteAllocated(1); });
        run([] { noteAllocated(2); });
        Empty();
        advanceClock(1);
        if (GoesOn)
          run([] { noteFreed(3); });
      };
      Levels Expected = {Before};
      if (GoesOn)
        Expected.push_back({1031, 0, 0, Slot(0), NoSlot});
      EXPECT_EQ(levels(recorded(Body, {{"mode", "trace"}}), false), Expected);
    }
}

TEST(Levels, ResetKeepsTheLastOfAFullRing) {
  for (const char *Keep : {"first", "last"}) {
    auto Body = [] {
      for (int I = 0; I < 20; ++I)
        run([] { noteAllocated(1); });
      reset();
      advanceClock(1);
      run([] { noteAllocated(1); });
    };
    Levels Kept = levels(recorded(Body, {{"mode", "trace"},
                                         {"trace_events", "16"},
                                         {"trace_keep", Keep}}),
                         false);
    ASSERT_EQ(Kept.size(), 2u) << Keep;
    // Later ones were not kept.
    EXPECT_EQ(Kept.front().Held, Keep == std::string("first") ? 16 : 20);
    EXPECT_EQ(Kept.back().Held, 21);
  }
}

TEST(Levels, ThereAreNoneOfTimeAlone) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 4);
    run([] { noteAllocated(1); });
  });
  EXPECT_TRUE(readProfile(Folder.file("p.tprof")).Levels.empty());
}

} // namespace
