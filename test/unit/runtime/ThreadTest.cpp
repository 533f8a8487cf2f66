//===- ThreadTest.cpp - lanes and their owners ----------------------------===//

#include "../IsSanitized.h"
#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <set>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;

/// Runs the threads one after the other.
static void shortThreads(unsigned Count, format::SiteId Site) {
  for (unsigned I = 0; I < Count; ++I)
    std::thread([Site] { endSpan(beginSpan(Site), Site); }).join();
}

TEST(Thread, DeadThreadsLaneIsContinuedByTheNext) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    shortThreads(5, site(7, 1));
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  ASSERT_EQ(P.Lanes.size(), 1u);
  EXPECT_EQ(P.Lanes[0].Threads, 5u);
  EXPECT_EQ(P.Lanes[0].State, format::LaneState::Free);
  EXPECT_EQ(P.cell(1).Word, 10u);
}

TEST(Thread, HundredThousandShortThreadsLeaveMemoryBoundedAndNothingLost) {
  TestFolder Folder;
  constexpr unsigned Count = IsSanitized ? 10'000 : 100'000;
  RecordProperty("figure", std::to_string(Count) + " threads of one span each");
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    std::thread Other([] { shortThreads(Count / 2, site(7, 1)); });
    shortThreads(Count / 2, site(7, 1));
    Other.join();
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(1), Count);
  EXPECT_EQ(P.begins(1), Count);
  // Two at a time; a thread's lane is free a moment after it was joined.
  EXPECT_LE(P.Lanes.size(), 4u);
  EXPECT_LE(P.Header.FileBytes, 700'000u);
}

TEST(Thread, EachLiveThreadHasALaneOfItsOwn) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    std::vector<std::thread> Threads;
    std::atomic<unsigned> Ready{0};
    for (int I = 0; I < 8; ++I)
      Threads.emplace_back([&] {
        endSpan(beginSpan(site(7, 1)), site(7, 1));
        ++Ready;
        while (Ready < 8)
          std::this_thread::yield();
      });
    for (std::thread &T : Threads)
      T.join();
    EXPECT_EQ(totals().Lanes, 8u);
    EXPECT_EQ(totals().Count, 8u);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  ASSERT_EQ(P.Lanes.size(), 8u);
  EXPECT_EQ(P.count(1), 8u);
  std::set<uint64_t> Ids;
  for (const format::LaneRecord &L : P.Lanes)
    Ids.insert(L.Thread);
  EXPECT_EQ(Ids.size(), 8u);
}

TEST(Thread, LaneKnowsItsOwnersName) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    std::thread([] {
      pthread_setname_np(pthread_self(), "worker-1");
      endSpan(beginSpan(site(7, 1)), site(7, 1));
    }).join();
  });
  EXPECT_STREQ(readProfile(Folder.file("p.tprof")).Lanes[0].Name, "worker-1");
}

static void namedThread(const std::string &Name) {
  std::thread([&Name] {
    pthread_setname_np(pthread_self(), Name.c_str());
    endSpan(beginSpan(site(7, 1)), site(7, 1));
  }).join();
}

TEST(Thread, OnlyThreadsOfOneNameShareALane) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    for (const char *Name : {"read", "write", "read", "write", "read"})
      namedThread(Name);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  ASSERT_EQ(P.Lanes.size(), 2u);
  EXPECT_STREQ(P.Lanes[0].Name, "read");
  EXPECT_EQ(P.Lanes[0].Threads, 3u);
  EXPECT_STREQ(P.Lanes[1].Name, "write");
  EXPECT_EQ(P.Lanes[1].Threads, 2u);
}

TEST(Thread, NamesWithoutEndShareLanes) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    for (unsigned I = 0; I < 200; ++I)
      namedThread("request-" + std::to_string(I));
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.Lanes.size(), 65u);
  EXPECT_EQ(P.count(1), 200u);
}

TEST(Thread, CellsOfManySitesAreTwoKilobytesEach) {
  TestFolder Folder;
  constexpr unsigned Sites = 2000;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, Sites);
    for (unsigned Round = 0; Round < 3; ++Round)
      for (unsigned I = 0; I < Sites; ++I)
        endSpan(beginSpan(site(7, I)), site(7, I));
    EXPECT_EQ(totals().Count, 3 * Sites); // of cells in many segments
    EXPECT_EQ(totals().Begins, 3 * Sites);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.Cells.size(), Sites);
  EXPECT_EQ(P.count(Sites - 1), 3u);
  // Cells, at most a quarter of them unused, and a few pages beside them.
  EXPECT_LE(P.Header.FileBytes, Sites * 2048 * 5 / 4 + 200'000u);
}

TEST(Thread, FileStopsGrowingAfterTheFirstRuns) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 50);
    auto Run = [] {
      for (unsigned I = 1; I < 50; ++I)
        endSpan(beginSpan(site(7, I)), site(7, I));
    };
    Run();
    uint64_t Bytes = totals().FileBytes;
    for (int I = 0; I < 10'000; ++I)
      Run();
    EXPECT_EQ(totals().FileBytes, Bytes);
  });
}

TEST(Thread, ProbesInThreadLocalDestructorsAreRecorded) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    struct AtThreadEnd {
      ~AtThreadEnd() { endSpan(beginSpan(site(7, 1)), site(7, 1)); }
    };
    for (int I = 0; I < 3; ++I)
      std::thread([] {
        thread_local AtThreadEnd Last;
        (void)Last;
      }).join();
  });
  EXPECT_EQ(readProfile(Folder.file("p.tprof")).count(1), 3u);
}

/// A run with nodes and a region: what a host's thread does again and again.
static void hotPath() {
  static const uint32_t Region = regionNumber("request");
  uint64_t R = beginRegion(Region);
  uint64_t Root = enterRoot(
      site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  for (uint64_t I = 1; I < 10; ++I)
    endSpan(beginSpan(site(7, I)), site(7, I));
  endSpan(Root, site(7, 0));
  endRegion(R, Region);
}

TEST(Thread, HotPathMakesNoSystemCall) {
  if (IsSanitized)
    GTEST_SKIP() << "sanitizers make system calls of their own";
  TestFolder Folder;
  EXPECT_EQ(runChild([&] {
              setOption("file", Folder.file("p.tprof"));
              useTestClock(); // this mode of seccomp forbids rdtsc as well
              addTestModel(7, 10);
              hotPath();
              // From here on any system call but exit kills.
              if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
                _exit(77);
              for (int I = 0; I < 1000; ++I)
                hotPath();
              syscall(SYS_exit, 0);
            }),
            0);
  EXPECT_EQ(readProfile(Folder.file("p.tprof")).count(9), 1001u);
}

TEST(Thread, HotPathAllocatesNothingAndCausesNoPageFault) {
  if (IsSanitized)
    GTEST_SKIP() << "sanitizers touch pages of their own";
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 10);
    hotPath();
    struct rusage Before, After;
    size_t Heap = mallinfo2().uordblks;
    getrusage(RUSAGE_THREAD, &Before);
    for (int I = 0; I < 20'000; ++I)
      hotPath();
    getrusage(RUSAGE_THREAD, &After);
    EXPECT_EQ(mallinfo2().uordblks, Heap);
    // The kernel takes a few of its own, for write-back or its statistics;
    // the 220 000 spans would make at least one per page.
    EXPECT_LE(After.ru_minflt - Before.ru_minflt, 20);
  });
}
