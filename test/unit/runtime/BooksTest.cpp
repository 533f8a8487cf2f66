//===- BooksTest.cpp - which node allocated what is alive -----------------===//

#include "Books.h"

#include "Control.h"
#include "DeviceInUse.h"
#include "Memory.h"
#include "Pages.h"
#include "Probe.h"
#include "TestSupport.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

//===----------------------------------------------------------------------===//
// The map
//===----------------------------------------------------------------------===//

const void *address(uint64_t Number) {
  return reinterpret_cast<const void *>(Number);
}

TEST(BlockMap, FindsEachBlockOnce) {
  BlockMap Map(PageSource::system());
  const uint64_t Places[] = {0x40, 0x80, (1ull << 26) - 64, 1ull << 26,
                             0x7fff'ffff'ffc0};
  uint32_t Number = 0;
  for (uint64_t Place : Places)
    EXPECT_TRUE(Map.set(address(Place), ++Number));
  for (uint64_t Place : {0xc0ull, 0x41ull, 1ull << 47})
    EXPECT_EQ(Map.take(address(Place)), 0u) << Place;
  Number = 0;
  for (uint64_t Place : Places)
    EXPECT_EQ(Map.take(address(Place)), ++Number);
  for (uint64_t Place : Places)
    EXPECT_EQ(Map.take(address(Place)), 0u);
}

TEST(BlockMap, RefusesWhatItCannotHold) {
  BlockMap Map(PageSource::system());
  EXPECT_FALSE(Map.set(address(0x48), 1)); // not aligned
  EXPECT_FALSE(Map.set(address(1ull << 48), 1));
  struct NoPages : PageSource {
    void *plain(uint64_t) override { return nullptr; }
  } None;
  BlockMap Poor(None);
  EXPECT_FALSE(Poor.set(address(0x40), 1));
  EXPECT_EQ(Poor.take(address(0x40)), 0u);
}

//===----------------------------------------------------------------------===//
// The books
//===----------------------------------------------------------------------===//

/// Runs \p Body with books.
ReadProfile kept(const std::function<void()> &Body) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    ASSERT_EQ(setOption("record", "blocks"), 0);
    addTestModel(7, 4);
    Body();
  });
  return readProfile(Folder.file("p.tprof"));
}

/// Block number \p N comes, or goes.
void make(uint64_t N, uint64_t Bytes) { noteAllocated(Bytes, address(N * 64)); }
void drop(uint64_t N, uint64_t Bytes) { noteFreed(Bytes, address(N * 64)); }

/// Live, AtPeak, AtRunEnd and the marks of an account.
std::vector<int64_t> held(const ReadProfile &P, Slot Site) {
  BlockAccount A = P.account(Site);
  return {A.Live, A.AtPeak.Bytes, A.AtRunEnd.Bytes, A.AtMarks[0], A.AtMarks[1]};
}

using Bytes = std::vector<int64_t>;

TEST(Books, BlocksAreOnTheAccountOfTheNodeThatAllocatedThem) {
  ReadProfile P = kept([] {
    make(9, 1000); // before the recording: in no account
    inRun([] {
      make(1, 5);
      timedNode(1, [] { make(2, 100); });
      timedNode(2, [] {
        make(3, 30);
        drop(2, 100);
      });
      timedNode(1, [] { make(4, 40); });
    });
    make(5, 7); // outside of all spans
    drop(9, 1000);
    drop(3, 30);
  });
  EXPECT_EQ(held(P, Slot(0)), (Bytes{5, 5, 5, 0, 0}));
  EXPECT_EQ(held(P, Slot(1)), (Bytes{40, 100, 40, 0, 0}));
  EXPECT_EQ(held(P, Slot(2)), (Bytes{0, 30, 30, 0, 0}));
  EXPECT_EQ(held(P, NoSlot), (Bytes{7, 0, 0, 0, 0}));
  EXPECT_EQ(P.account(Slot(1)).Blocks, 1);
  EXPECT_EQ(P.account(Slot(2)).Blocks, 0);
  EXPECT_EQ(P.Books.Live, 52);
  EXPECT_EQ(P.Books.Peak, 135);
  EXPECT_EQ(P.Books.PeakSite, Slot(2));
}

TEST(Books, PeakIsOfThatMomentWhateverComesLater) {
  ReadProfile P = kept([] {
    for (uint64_t Size : {50, 80, 60})
      inRun([Size] {
        timedNode(1, [Size] { make(1, Size); });
        timedNode(2, [Size] { make(2, 2 * Size); });
        timedNode(3, [Size] {
          drop(1, Size);
          drop(2, 2 * Size);
          make(3, 1);
          drop(3, 1);
        });
      });
  });
  EXPECT_EQ(P.Books.Peak, 240);
  EXPECT_EQ(P.account(Slot(1)).AtPeak.Bytes, 80);
  EXPECT_EQ(P.account(Slot(2)).AtPeak.Bytes, 160);
  EXPECT_EQ(P.account(Slot(3)).AtPeak.Bytes, 0);
  EXPECT_EQ(P.Books.Live, 0);
}

TEST(Books, MarksTellWhatGrowsFromWhatStays) {
  ReadProfile P = kept([] {
    for (uint64_t I = 1; I <= 11; ++I)
      inRun([I] {
        timedNode(1, [I] { make(100 + I, 10); }); // never freed
        timedNode(2, [I] {                        // the newest one stays
          make(200 + I, 8);
          if (I > 1)
            drop(200 + I - 1, 8);
        });
        if (I == 1)
          timedNode(3, [] { make(300, 500); });
      });
    for (uint64_t I = 1; I <= 11; ++I) // the host ends
      drop(100 + I, 10);
  });
  EXPECT_EQ(P.Books.Runs, 11u);
  EXPECT_EQ(P.Books.MarkRuns[0], 4u);
  EXPECT_EQ(P.Books.MarkRuns[1], 8u);
  EXPECT_EQ(held(P, Slot(1)), (Bytes{0, 110, 110, 40, 80}));
  EXPECT_EQ(held(P, Slot(2)), (Bytes{8, 16, 8, 8, 8}));
  EXPECT_EQ(held(P, Slot(3)), (Bytes{500, 500, 500, 500, 500}));
}

TEST(Books, LastRunIsNoMark) {
  ReadProfile P = kept([] {
    for (uint64_t I = 1; I <= 8; ++I)
      inRun([I] {
        timedNode(1, [I] { make(100 + I, 10); });
        if (I == 6) // once, and for ever
          timedNode(2, [] { make(300, 500); });
      });
  });
  EXPECT_EQ(P.Books.Runs, 8u);
  EXPECT_EQ(P.Books.MarkRuns[0], 2u);
  EXPECT_EQ(P.Books.MarkRuns[1], 4u);
  EXPECT_EQ(held(P, Slot(1)), (Bytes{80, 80, 80, 20, 40}));
  EXPECT_EQ(held(P, Slot(2)), (Bytes{500, 500, 500, 0, 0}));
}

TEST(Books, MarksAreOfTheEndsOfTheirRuns) {
  ReadProfile P = kept([] {
    uint64_t Runs = 0;
    auto RunTo = [&](uint64_t Last, const std::function<void()> &Body) {
      for (; Runs < Last; ++Runs)
        inRun([&] { timedNode(1, Body); });
    };
    RunTo(4, [N = 0]() mutable { make(uint64_t(++N), 10); });
    drop(1, 10); // before the mark of run 4 is made
    RunTo(8, [] {});
    make(100, 1000); // and before that of run 8
    RunTo(9, [] {});
    drop(100, 1000);
    drop(2, 10);
  });
  EXPECT_EQ(P.Books.MarkRuns[0], 4u);
  EXPECT_EQ(P.Books.MarkRuns[1], 8u);
  EXPECT_EQ(held(P, Slot(1)), (Bytes{20, 30, 30, 40, 30}));
  EXPECT_EQ(held(P, NoSlot), (Bytes{0, 1000, 1000, 0, 0}));
}

TEST(Books, MarksOfWhatDidNotChangeAreWhatItHeld) {
  for (uint64_t Runs : {2, 3, 6}) {
    ReadProfile P = kept([Runs] {
      inRun([] { timedNode(1, [] { make(1, 10); }); });
      make(2, 5);
      for (uint64_t I = 1; I < Runs; ++I)
        inRun([] {});
    });
    EXPECT_EQ(held(P, Slot(1)), (Bytes{10, 10, 10, Runs == 2 ? 0 : 10, 10}))
        << Runs;
    // Not there at the end of run 1, but from then on.
    EXPECT_EQ(held(P, NoSlot),
              (Bytes{5, 5, 5, Runs == 6 ? 5 : 0, Runs == 2 ? 0 : 5}))
        << Runs;
  }
}

TEST(Books, SnapshotsAreOfOneMoment) {
  TestFolder Folder;
  auto Name = [&](int I) { return Folder.file("s" + std::to_string(I)); };
  kept([&] {
    std::atomic<bool> Done{false};
    std::thread Owner([&] {
      for (uint64_t I = 1; !Done; ++I) // the peak rises with each
        inRun([I] {
          timedNode(1, [I] { make(1, I); });
          timedNode(2, [I] { make(2, 2 * I); });
          timedNode(3, [I] {
            drop(1, I);
            drop(2, 2 * I);
          });
        });
    });
    while (totals().Count < 1000)
      std::this_thread::yield();
    for (int I = 0; I < 20; ++I)
      EXPECT_EQ(snapshot(Name(I)), 0);
    Done = true;
    Owner.join();
  });
  for (int I = 0; I < 20; ++I) {
    ReadProfile P = readProfile(Name(I));
    int64_t Live = 0, AtPeak = 0;
    for (const BlockAccount &A : P.Accounts) {
      Live += A.Live;
      AtPeak += A.AtPeak.Bytes;
    }
    EXPECT_EQ(Live, P.Books.Live);
    EXPECT_EQ(AtPeak, P.Books.Peak);
    EXPECT_GT(P.Books.Peak, 0);
  }
}

TEST(Books, ThreadMayFreeWhatAnotherAllocated) {
  ReadProfile P = kept([] {
    inRun([] { timedNode(1, [] { make(1, 64); }); });
    std::thread([] { drop(1, 64); }).join();
    std::thread([] {
      inRun([] { timedNode(2, [] { make(1, 32); }); });
    }).join();
  });
  EXPECT_EQ(P.account(Slot(1)).Live, 0);
  EXPECT_EQ(P.account(Slot(2)).Live, 32);
  EXPECT_EQ(P.Books.Peak, 64);
}

TEST(Books, ResetKeepsWhatIsAliveAndBeginsAnewWithThePeak) {
  ReadProfile P = kept([] {
    for (int I = 0; I < 4; ++I)
      inRun([] {
        timedNode(1, [] { make(1, 100); });
        drop(1, 100);
      });
    inRun([] { timedNode(2, [] { make(2, 10); }); });
    reset();
    inRun([] { timedNode(3, [] { make(3, 20); }); });
  });
  EXPECT_EQ(P.Books.Peak, 30);
  EXPECT_EQ(P.Books.PeakSite, Slot(3));
  EXPECT_EQ(P.Books.Runs, 1u);
  EXPECT_EQ(P.account(Slot(1)).AtPeak.Bytes, 0);
  EXPECT_EQ(P.account(Slot(2)).AtPeak.Bytes, 10);
  EXPECT_EQ(P.account(Slot(3)).AtPeak.Bytes, 20);
}

TEST(Books, PeaksWhileNothingIsRecordedDoNotCount) {
  ReadProfile P = kept([] {
    inRun([] { timedNode(1, [] { make(1, 10); }); });
    stop();
    inRun([] {
      make(2, 1000);
      drop(2, 1000);
    });
    start();
    inRun([] { timedNode(1, [] { make(3, 10); }); });
  });
  EXPECT_EQ(P.Books.Peak, 20);
}

TEST(Books, WhatNodesAllocateWhileNothingIsRecordedIsNotTheHosts) {
  ReadProfile P = kept([] {
    inRun([] { timedNode(1, [] { make(1, 10); }); });
    make(2, 3); // the host's
    stop();
    inRun([] { pairedNode(2, [] { make(3, 1000); }); });
    start();
    inRun([] { timedNode(1, [] { make(4, 10); }); });
    make(5, 4);
  });
  std::vector<std::pair<uint32_t, int64_t>> Outside;
  for (const BlockAccount &A : P.Accounts)
    if (A.Site == NoSlot)
      Outside.push_back({A.IsShut, A.Live});
  EXPECT_EQ(Outside,
            (std::vector<std::pair<uint32_t, int64_t>>{{0, 7}, {1, 1000}}));
  EXPECT_EQ(P.account(Slot(1)).IsShut, 0u);
}

TEST(Books, ForkedChildHasBooksOfItsOwn) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    ASSERT_EQ(setOption("record", "blocks"), 0);
    addTestModel(7, 4);
    inRun([] { timedNode(1, [] { make(1, 100); }); });
    EXPECT_EQ(runChild([] {
                inRun([] { timedNode(2, [] { make(2, 30); }); });
                drop(1, 100); // of the parent's blocks
              }),
              0);
  });
  ASSERT_EQ(Folder.names().size(), 2u);
  for (const std::string &Name : Folder.names()) {
    ReadProfile P = readProfile(Folder.file(Name));
    ASSERT_EQ(P.Accounts.size(), 1u) << Name;
    bool IsParent = Name == "p.tprof";
    EXPECT_EQ(P.Accounts.front().Site, Slot(IsParent ? 1 : 2));
    EXPECT_EQ(P.Books.Live, IsParent ? 100 : 30);
  }
}

TEST(Books, ThreadsBookWhileAnotherResets) {
  ReadProfile P = kept([] {
    std::vector<std::thread> Threads;
    for (uint64_t T = 0; T < 3; ++T)
      Threads.emplace_back([T] {
        for (uint64_t I = 0; I < 2000; ++I)
          inRun([T, I] {
            timedNode(1, [T, I] { make(1 + T + 3 * (I % 50), 8); });
            timedNode(2, [T, I] { drop(1 + T + 3 * (I % 50), 8); });
          });
      });
    resetWhile(Threads);
    inRun([] { timedNode(3, [] { make(999, 8); }); });
  });
  EXPECT_EQ(P.account(Slot(1)).Live, 0);
  EXPECT_EQ(P.account(Slot(1)).Blocks, 0);
  EXPECT_EQ(P.Books.Live, 8);
}

TEST(Books, DevicesHaveTheirOwn) {
  DeviceInUse Device;
  constexpr auto OnDevices = MemoryPlace::Devices;
  ReadProfile P = kept([] {
    for (int I = 0; I < 4; ++I)
      inRun([I] {
        // One address in both places is two blocks.
        timedNode(1, [I] {
          make(1, 8);
          noteDeviceAllocated(512, address(64 * uint64_t(I + 1)));
        });
        timedNode(2, [] {
          noteDeviceAllocated(2048, address(64 * 100));
          drop(1, 8);
          noteDeviceFreed(2048, address(64 * 100));
        });
      });
  });
  EXPECT_EQ(held(P, Slot(1)), (Bytes{0, 8, 0, 0, 0}));
  EXPECT_EQ(P.Accounts.size(), 1u);
  BlockAccount Kept = P.account(Slot(1), OnDevices);
  EXPECT_EQ(Kept.Live, 4 * 512);
  EXPECT_EQ(Kept.Blocks, 4);
  EXPECT_EQ(Kept.AtPeak.Bytes, 4 * 512);
  EXPECT_EQ(Kept.AtMarks[0], 512);
  EXPECT_EQ(Kept.AtMarks[1], 2 * 512);
  EXPECT_EQ(P.account(Slot(2), OnDevices).AtPeak.Bytes, 2048);
  EXPECT_EQ(P.DeviceBooks.Peak, 4 * 512 + 2048);
  EXPECT_EQ(P.DeviceBooks.PeakSite, Slot(2));
  EXPECT_EQ(P.DeviceBooks.Runs, 4u);
  EXPECT_EQ(P.Books.Peak, 8);
}

TEST(Books, AreNotKeptUnlessAskedFor) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    ASSERT_EQ(setOption("record", "memory"), 0);
    addTestModel(7, 4);
    inRun([] { timedNode(1, [] { make(1, 8); }); });
  });
  EXPECT_TRUE(readProfile(Folder.file("p.tprof")).Accounts.empty());
}

TEST(Books, MemoryIsMeasuredWithThem) {
  ReadProfile P = kept([] { inRun([] { timedNode(1, [] { make(1, 8); }); }); });
  EXPECT_EQ(P.measure(MeasureId::Allocated, 1).Sum, 8u);
}

} // namespace
