//===- ManyThreadsTest.cpp - no thread waits for another ------------------===//

#include "Control.h"
#include "Memory.h"
#include "Probe.h"
#include "Process.h"
#include "TestSupport.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

constexpr unsigned ThreadCount = 64;
constexpr unsigned RunCount = 300; ///< of each thread; its ring of runs turns

[[gnu::noinline]] void run() {
  uint64_t R = enterRoot(
      site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  for (uint32_t Index : {1, 2, 3}) {
    FrameSpan Span{Slot(Index)};
    noteAllocated(64);
    Span.end();
    endSpan(beginSpan(site(7, Index)), site(7, Index));
    noteFreed(64);
  }
  endSpan(R, site(7, 0));
}

/// What a thread records beside time, and how it is kept.
class ManyThreads
    : public testing::TestWithParam<std::pair<const char *, const char *>> {};

TEST_P(ManyThreads, RecordWhileAnotherHoldsTheProcessLock) {
  auto [Record, Mode] = GetParam();
  TestFolder Folder;
  std::atomic<unsigned> Ready = 0, Done = 0;
  std::atomic<bool> Go = false;
  record(Folder.file("p.tprof"), [&, Record = Record, Mode = Mode] {
    ASSERT_EQ(setOption("record", Record), 0);
    ASSERT_EQ(setOption("mode", Mode), 0);
    addTestModel(7, 4);
    std::vector<std::thread> Threads;
    for (unsigned T = 0; T < ThreadCount; ++T)
      Threads.emplace_back([&] {
        run(); // makes the lane and its cells
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

} // namespace
