//===- ManyThreadsTest.cpp - no thread waits for another ------------------===//

#include "Control.h"
#include "Memory.h"
#include "Probe.h"
#include "Process.h"
#include "TestSupport.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

/// While it is stuck, what asks the disk does not return.
std::atomic<bool> DiskIsStuck = false, DiskIsAsked = false;

void askDisk() {
  if (!DiskIsStuck)
    return;
  DiskIsAsked = true;
  while (DiskIsStuck)
    std::this_thread::yield();
}

} // namespace

// In the C library's place.
extern "C" {
int msync(void *Address, size_t Bytes, int Flags) {
  askDisk();
  return int(syscall(SYS_msync, Address, Bytes, Flags));
}
ssize_t pwrite(int File, const void *Data, size_t Bytes, off_t Offset) {
  askDisk();
  return syscall(SYS_pwrite64, File, Data, Bytes, Offset);
}
}

namespace {

constexpr unsigned ThreadCount = 64;
constexpr unsigned RunCount = 300; ///< of each thread; its ring of runs turns

[[gnu::noinline]] void run() {
  uint64_t R = enterRoot(
      site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  for (uint32_t Index : {1, 2, 3}) {
    if (ensureRecording()) { // as timed nodes ask
      FrameSpan Span{Slot(Index)};
      noteAllocated(64);
      Span.end();
      noteFreed(64);
    }
    endSpan(beginSpan(site(7, Index)), site(7, Index));
  }
  endSpan(R, site(7, 0));
}

/// Runs \p Ask, which comes to the disk, on a thread. True if meanwhile, with
/// that stuck, another one gets \p Body done.
bool getsDone(const std::function<void()> &Body,
              const std::function<void()> &Ask) {
  auto Latest = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  auto IsSet = [&](const std::atomic<bool> &Flag) {
    while (!Flag && std::chrono::steady_clock::now() < Latest)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Flag.load();
  };
  DiskIsStuck = true;
  DiskIsAsked = false;
  std::thread Asking(Ask);
  EXPECT_TRUE(IsSet(DiskIsAsked));
  std::atomic<bool> Done = false;
  std::thread Other([&] {
    Body();
    Done = true;
  });
  bool GotDone = IsSet(Done);
  DiskIsStuck = false;
  Asking.join();
  Other.join();
  return GotDone;
}

/// Runs on threads that begin and end, each of which is a step of a schedule;
/// every second one measures more.
void runOnNewThreads() {
  for (int I = 0; I < 2; ++I)
    std::thread([] {
      for (int Run = 0; Run < 4; ++Run)
        run();
    }).join();
}

TEST(StuckDisk, HoldsUpNobodyButWhoAsksIt) {
  for (int (*Ask)() : {+[] { return flush(); }, +[] { return snapshot(""); }}) {
    TestFolder Folder;
    record(Folder.file("p.tprof"), [Ask] {
      ASSERT_EQ(setOption("record", "memory"), 0);
      ASSERT_EQ(setOption("record_every", "2"), 0);
      ASSERT_EQ(setOption("schedule", "active=1000"), 0);
      addTestModel(7, 4);
      run();
      auto Body = [] {
        runOnNewThreads();
        EXPECT_EQ(waitForSnapshot(0, 1), 0u);
      };
      EXPECT_TRUE(getsDone(Body, [Ask] { EXPECT_EQ(Ask(), 0); }));
    });
    EXPECT_EQ(readProfile(Folder.file("p.tprof")).count(0), 9u);
  }
}

TEST(StuckDisk, HoldsUpNoRunBeforeTheNextCycle) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    ASSERT_EQ(setOption("schedule", "wait=9,active=1"), 0);
    addTestModel(7, 4);
    for (int Step = 0; Step < 9; ++Step)
      run();
    EXPECT_TRUE(getsDone(runOnNewThreads, [] { run(); })); // the cycle's
    EXPECT_EQ(snapshots(), 1u);
    run(); // the last one that waits
    run();
  });
  for (const char *Name : {"p.1.tprof", "p.2.tprof", "p.tprof"})
    EXPECT_EQ(readProfile(Folder.file(Name)).count(0), 1u) << Name;
  EXPECT_EQ(readProfile(Folder.file("p.tprof")).counter(Counter::Steps), 20u);
}

TEST(StuckDisk, TakesNoActiveStepFromTheNextCycle) {
  constexpr unsigned Waiting = 8;
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    ASSERT_EQ(setOption("schedule", "wait=2,active=4"), 0);
    addTestModel(7, 4);
    for (int Step = 0; Step < 5; ++Step)
      run();
    std::atomic<unsigned> Begun = 0;
    DiskIsAsked = false;
    std::vector<std::thread> Threads;
    for (unsigned T = 0; T < Waiting; ++T)
      Threads.emplace_back([&] {
        uint64_t R =
            enterRoot(site(7, 0),
                      reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
        ++Begun;
        while (!DiskIsAsked)
          std::this_thread::yield();
        endSpan(R, site(7, 0));
      });
    while (Begun < Waiting)
      std::this_thread::yield();
    DiskIsStuck = true;
    Threads.emplace_back([] { run(); }); // ends the cycle
    while (totals().Cut < Waiting)       // all others have ended outside of it
      std::this_thread::yield();
    DiskIsStuck = false;
    // Two of them make the steps of wait, the second one when the copy is made.
    for (std::thread &T : Threads)
      T.join();
    for (int Step = 0; Step < 4; ++Step)
      run();
    EXPECT_EQ(snapshots(), 2u);
  });
  for (const char *Name : {"p.1.tprof", "p.2.tprof"})
    EXPECT_EQ(readProfile(Folder.file(Name)).count(0), 4u) << Name;
}

TEST(StuckDisk, CountsASpanThatEndsMeanwhileOnce) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    ASSERT_EQ(setOption("schedule", "active=1,repeat=1"), 0);
    addTestModel(7, 4);
    std::atomic<bool> IsOpen = false;
    DiskIsAsked = false;
    std::thread Other([&] {
      uint64_t R = enterRoot(
          site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
      EXPECT_TRUE(ensureRecording());
      FrameSpan Span{Slot(1)};
      DiskIsStuck = true;
      IsOpen = true;
      while (!DiskIsAsked) // for its lane's log, which is the first
        std::this_thread::yield();
      Span.end();
      endSpan(R, site(7, 0));
      DiskIsStuck = false;
    });
    while (!IsOpen)
      std::this_thread::yield();
    run();
    Other.join();
  });
  ReadProfile P = readProfile(Folder.file("p.1.tprof"));
  EXPECT_EQ(P.cut(1), 1u);
  EXPECT_EQ(P.begins(1), P.count(1) + P.cut(1));
}

/// Has threads make all but the first two of their runs, which make the lane
/// and its cells, while the process lock is held.
void runWhileTheProcessLockIsHeld() {
  std::atomic<unsigned> Ready = 0, Done = 0;
  std::atomic<bool> Go = false;
  std::vector<std::thread> Threads;
  for (unsigned T = 0; T < ThreadCount; ++T)
    Threads.emplace_back([&] {
      run();
      run();
      ++Ready;
      while (!Go)
        std::this_thread::yield();
      for (unsigned I = 2; I < RunCount; ++I)
        run();
      ++Done;
      while (Go) // the end of a thread gives its lane back
        std::this_thread::yield();
    });
  while (Ready < ThreadCount)
    std::this_thread::yield();
  {
    ProcessLock Lock;
    Go = true;
    auto Latest = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (Done < ThreadCount && std::chrono::steady_clock::now() < Latest)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(Done, ThreadCount);
  }
  while (Done < ThreadCount)
    std::this_thread::yield();
  Go = false;
  for (std::thread &T : Threads)
    T.join();
}

/// What a thread records beside time, and how it is kept.
class ManyThreads
    : public testing::TestWithParam<std::pair<const char *, const char *>> {};

TEST_P(ManyThreads, RecordWhileAnotherHoldsTheProcessLock) {
  auto [Record, Mode] = GetParam();
  TestFolder Folder;
  record(Folder.file("p.tprof"), [Record = Record, Mode = Mode] {
    ASSERT_EQ(setOption("record", Record), 0);
    ASSERT_EQ(setOption("mode", Mode), 0);
    addTestModel(7, 4);
    runWhileTheProcessLockIsHeld();
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(0), uint64_t(ThreadCount) * RunCount);
  for (uint32_t Slot : {1, 2, 3})
    EXPECT_EQ(P.count(Slot), 2 * uint64_t(ThreadCount) * RunCount);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, ManyThreads,
    testing::Values(std::pair("", "aggregate"),
                    std::pair("memory", "aggregate"), std::pair("", "trace"),
                    std::pair("memory", "trace")),
    [](const testing::TestParamInfo<ManyThreads::ParamType> &Info) {
      std::string Record = Info.param.first;
      return std::string(Info.param.second) + (Record.empty() ? "" : "_") +
             Record;
    });

TEST(LastCycle, IsFollowedByRunsWithoutTheProcessLock) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    ASSERT_EQ(setOption("schedule", "active=100,repeat=1"), 0);
    addTestModel(7, 4);
    runWhileTheProcessLockIsHeld();
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.counter(Counter::Steps), uint64_t(ThreadCount) * RunCount);
  EXPECT_EQ(P.counter(Counter::Snapshots), 1u);
}

} // namespace
