//===- StressTest.cpp - everything at once --------------------------------===//
//
// Threads record several models while others start, stop, reset, flush and
// take snapshots. Nothing may be counted twice, torn or deadlocked; under
// ThreadSanitizer nothing may race.
//
//===----------------------------------------------------------------------===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <cerrno>
#include <cstdio>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;

namespace {
constexpr unsigned Workers = 4, ModelCount = 3, Sites = 20;

void runModel(uint64_t Id) {
  uint64_t R = enterRoot(
      site(Id, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  for (uint64_t I = 1; I < Sites; ++I)
    endSpan(beginSpan(site(Id, I)), site(Id, I));
  endSpan(R, site(Id, 0));
}

/// True if the profile says what \p Site is.
bool isKnown(const ReadProfile &P, format::Slot Site) {
  for (const format::ModelRecord &M : P.Models)
    if (Site >= M.FirstSlot && Site - M.FirstSlot < M.SiteCount)
      return true;
  for (const ReadProfile::ChildOf &C : P.Children)
    if (C.Site == Site)
      return true;
  return false;
}
} // namespace

static void hammer(const char *Mode, const char *Fold) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    EXPECT_EQ(setOption("mode", Mode), 0);
    EXPECT_EQ(setOption("fold", Fold), 0);
    EXPECT_EQ(setOption("trace_events", "64"), 0);
    for (uint64_t Id = 1; Id <= ModelCount; ++Id)
      addTestModel(Id, Sites);
    runModel(1); // there is a profile from here on
    std::atomic<bool> Done{false};
    std::vector<std::thread> Threads;
    for (unsigned W = 0; W < Workers; ++W)
      Threads.emplace_back([&, W] {
        for (unsigned I = 0; !Done; ++I) {
          runModel(1 + (W + I) % ModelCount);
          if (I % 16 == 0)
            std::thread([] { runModel(1); }).join();
        }
      });
    Threads.emplace_back([&] {
      uint32_t Region = regionNumber("stress");
      while (!Done)
        endRegion(beginRegion(Region), Region);
    });
    Threads.emplace_back([&] {
      // Models loaded meanwhile; without a bound a slow machine has more and
      // more of them to copy.
      for (uint64_t Id = 100; !Done && Id < 160; ++Id) {
        addModel(manifestText(Id, 5));
        runModel(Id);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
    for (unsigned I = 0; I < 30; ++I) {
      stop();
      start();
      flush();
      if (I % 7 == 3)
        reset();
      EXPECT_EQ(snapshot(Folder.file("s")), 0);
      totals();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    Done = true;
    for (std::thread &T : Threads)
      T.join();
    // Quiet now: what began and was not recorded was cut.
    Totals T = totals();
    EXPECT_EQ(T.Begins, T.Count + T.Cut);
  });
  for (const std::string &Name : Folder.names()) {
    bool IsSnapshot = Name != "p.tprof";
    std::set<uint32_t> Torn;
    ReadProfile P = readProfile(Folder.file(Name));
    for (const auto &C : P.Cells) {
      EXPECT_TRUE(isKnown(P, C.Data.Site)) << Name;
      if (C.Data.Word % 2 == 0 || !IsSnapshot)
        expectWhole(C.Data); // nobody was in a cell of the profile at its end
      else // a snapshot waits for an owner off its processor, but not for long
        EXPECT_TRUE(Torn.insert(C.Lane).second) << "lane " << C.Lane;
    }
  }
}

TEST(Stress, StartStopResetFlushSnapshotWhileThreadsRecord) {
  RecordProperty("figure", "4 recording threads, 30 rounds of start, stop, "
                           "reset, flush and snapshot");
  hammer("aggregate", "run");
}

TEST(Stress, TraceModeWhileThreadsRecord) { hammer("trace", "run"); }

TEST(Stress, FoldingThreadWhileThreadsRecord) { hammer("aggregate", "thread"); }

TEST(Stress, FoldingThreadInTraceMode) { hammer("trace", "thread"); }

static void countRuns(const char *Fold) {
  TestFolder Folder;
  constexpr unsigned Runs = 2000;
  unsigned OfModel[ModelCount] = {};
  for (unsigned W = 0; W < Workers; ++W)
    for (unsigned I = 0; I < Runs; ++I)
      ++OfModel[(W + I) % ModelCount];
  record(Folder.file("p.tprof"), [&] {
    EXPECT_EQ(setOption("fold", Fold), 0);
    for (uint64_t Id = 1; Id <= ModelCount; ++Id)
      addTestModel(Id, Sites);
    std::vector<std::thread> Threads;
    for (unsigned W = 0; W < Workers; ++W)
      Threads.emplace_back([W] {
        for (unsigned I = 0; I < Runs; ++I)
          runModel(1 + (W + I) % ModelCount);
      });
    for (std::thread &T : Threads)
      T.join();
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  ASSERT_EQ(P.Models.size(), ModelCount);
  for (const format::ModelRecord &M : P.Models)
    for (uint32_t I = 0; I < Sites; ++I) {
      uint32_t Slot = number(M.FirstSlot) + I;
      EXPECT_EQ(P.count(Slot), OfModel[M.ModelId - 1]) << "model " << M.ModelId;
      EXPECT_EQ(P.begins(Slot), OfModel[M.ModelId - 1])
          << "model " << M.ModelId;
    }
  uint64_t All = 0; // also of slots that are no model's
  for (const auto &C : P.Cells)
    All += C.count();
  EXPECT_EQ(All, Workers * Runs * Sites);
}

TEST(Stress, CountsAreExactWithoutWindows) {
  RecordProperty("figure", "4 threads, 3 models, 2000 runs each");
  countRuns("run");
}

TEST(Stress, CountsOfTheFoldingThreadAreExact) { countRuns("thread"); }

/// Lanes, and segments of each of them, come to be while they are added up.
/// \p CountSpans is how, in a folder.
static void addUpWhileThreadsComeAndGo(
    const char *Fold,
    const std::function<uint64_t(const TestFolder &)> &CountSpans) {
  TestFolder Folder;
  constexpr unsigned LongThreads = 24, Runs = 200;
  record(Folder.file("p.tprof"), [&] {
    EXPECT_EQ(setOption("fold", Fold), 0);
    std::atomic<uint64_t> Begun{0}, Ended{0};
    auto Run = [&](uint64_t Id) {
      ++Begun;
      runModel(Id);
      ++Ended;
    };
    // What had ended before is there, and nothing twice.
    auto Check = [&] {
      uint64_t Least = Ended;
      uint64_t Count = CountSpans(Folder);
      EXPECT_GE(Count, Least * Sites);
      EXPECT_LE(Count, Begun * Sites);
    };
    std::atomic<unsigned> Idle{0};
    std::atomic<bool> Done{false};
    std::vector<std::thread> Threads;
    for (uint64_t Newest = 1; Newest <= LongThreads; ++Newest) {
      addTestModel(Newest, Sites);
      Threads.emplace_back([&, Newest] {
        for (unsigned I = 0; I < Runs; ++I) {
          Run(1 + I % Newest);
          if (I % 16 == 0)
            std::thread([&] { Run(Newest); }).join();
        }
        ++Idle;
        while (!Done) // its lane goes to no other thread
          std::this_thread::yield();
      });
      Check();
    }
    while (Idle < LongThreads) {
      Check();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    Totals T = totals();
    EXPECT_EQ(T.Count, Ended * Sites);
    EXPECT_EQ(T.Begins, Ended * Sites);
    EXPECT_EQ(T.Cut, 0u);
    EXPECT_GE(T.Lanes, LongThreads);
    Done = true;
    for (std::thread &Long : Threads)
      Long.join();
  });
}

static uint64_t countInTotals(const TestFolder &) { return totals().Count; }

static uint64_t countInSnapshot(const TestFolder &Folder) {
  std::string Name = Folder.file("s");
  uint64_t Count = 0;
  for (bool IsTorn = true; IsTorn && !testing::Test::HasFailure();) {
    int Status = snapshot(Name);
    if (Status == ENODATA)
      return 0;
    EXPECT_EQ(Status, 0);
    Count = 0;
    IsTorn = false;
    for (const auto &C : readProfile(Name).Cells) {
      Count += C.count();
      IsTorn |= C.Data.Word % 2 != 0;
    }
    std::remove(Name.c_str());
  }
  return Count;
}

TEST(Stress, TotalsAreExactWhileThreadsComeAndGo) {
  RecordProperty("figure", "24 threads and 312 short ones, 24 models");
  addUpWhileThreadsComeAndGo("run", countInTotals);
}

TEST(Stress, TotalsOfTheFoldingThreadAreExactWhileThreadsComeAndGo) {
  addUpWhileThreadsComeAndGo("thread", countInTotals);
}

TEST(Stress, SnapshotsAreExactWhileThreadsComeAndGo) {
  for (const char *Fold : {"run", "thread"})
    addUpWhileThreadsComeAndGo(Fold, countInSnapshot);
}
