//===- CollectorSupport.cpp - recordings for tests ------------------------===//

#include "Clock.h"
#include "Control.h"
#include "Memory.h"
#include "Probe.h"
#include "TestSupport.h"

#include <atomic>
#include <gtest/gtest.h>
#include <new>
#include <sched.h>
#include <string>
#include <thread>
#include <vector>

namespace torchprof::test {

/// A lineage is never deleted, because a thread may still be in it; its bytes
/// are kept where the leak checker sees what they point to.
static void keepForLeakChecker(const Lineage &Left) {
  static auto &Kept = *new std::vector<std::string>(); // outlives the checker
  Kept.emplace_back(reinterpret_cast<const char *>(&Left), sizeof(Left));
}

void waitForFold() {
  Recording *R = Recording::existing();
  for (Lane *L = R ? R->lanes().first() : nullptr; L; L = L->NextLane) {
    while (L->CellsReady && L->FoldUpTo > format::loadAcquire(L->Log->Folded))
      sched_yield();
    FoldLock Lock(*L);
  }
}

void startAfresh() {
  for (MemoryCounters &M : ThisMemory)
    M = {};
  waitForFold();
  // What a fork wipes, and then what a child inherits.
  keepForLeakChecker(Line);
  new (&Process) ProcessPage();
  ThisLane = nullptr;
  new (&Line) Lineage();
  clock::inject(nullptr);
  setMemoryHook(nullptr);
}

void record(const std::string &File, const std::function<void()> &Body) {
  startAfresh();
  ASSERT_EQ(setOption("file", File), 0);
  Body();
  if (Recording *R = Recording::existing())
    R->close();
  startAfresh();
}

void recordModel(const std::string &File, unsigned Sites,
                 const std::function<void()> &Body) {
  record(File, [&] {
    useTestClock();
    addTestModel(7, Sites);
    Body();
  });
}

void recordInChild(const std::string &File, const std::function<void()> &Body) {
  EXPECT_EQ(runChild([&] {
              ASSERT_EQ(setOption("file", File), 0);
              Body();
            }),
            0);
}

void addTestModel(uint64_t ModelId, unsigned Sites) {
  addModel(manifestText(ModelId, Sites));
}

void resetWhile(std::vector<std::thread> &Threads) {
  std::atomic<bool> Done = false;
  std::thread Resetter([&] {
    while (!Done) {
      reset();
      std::this_thread::yield();
    }
  });
  for (std::thread &T : Threads)
    T.join();
  Done = true;
  Resetter.join();
}

static std::atomic<uint64_t> Now{1000};

void useTestClock(uint64_t Start) {
  Now = Start;
  clock::inject([] { return Now.load(std::memory_order_relaxed); });
}
void setClock(uint64_t Ticks) { Now = Ticks; }
void advanceClock(uint64_t Ticks) { Now += Ticks; }

void span(format::SiteId Site, uint64_t Ticks) {
  uint64_t Begin = beginSpan(Site);
  advanceClock(Ticks);
  endSpan(Begin, Site);
}

[[gnu::noinline]] void inRun(const std::function<void()> &Body) {
  uint64_t R = enterRoot(
      site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  Body();
  endSpan(R, site(7, 0));
}

void timedNode(unsigned Index, const std::function<void()> &Body) {
  FrameSpan Span{format::Slot(Index)};
  Body();
  Span.end();
}

void pairedNode(unsigned Index, const std::function<void()> &Body) {
  uint64_t Begin = beginSpan(site(7, Index));
  Body();
  endSpan(Begin, site(7, Index));
}

} // namespace torchprof::test
