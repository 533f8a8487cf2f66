//===- KillTest.cpp - what a killed process leaves ------------------------===//
//
// Each child counts the spans that it has completed in a page shared with the
// test, before and after each; then it dies at a random moment. The file must
// hold every completed one.
//
//===----------------------------------------------------------------------===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <csignal>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace torchprof;
using namespace torchprof::test;

namespace {

constexpr unsigned Threads = 2;

struct SharedCounts {
  alignas(64) std::atomic<uint64_t> Started[Threads];
  alignas(64) std::atomic<uint64_t> Done[Threads];
};

/// Records spans of one native frame on one thread, and pairs in runs of 100 on
/// the other.
[[noreturn]] void recordForEver(unsigned Thread, SharedCounts &Counts) {
  format::Slot Slot = Line.Models.slotOf(site(7, 1));
  uint64_t Root = 0;
  for (uint64_t I = 0;; ++I) {
    if (!Thread && I % 100 == 0)
      Root = enterRoot(site(7, 0),
                       reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
    Counts.Started[Thread].fetch_add(1);
    if (Thread)
      FrameSpan(Slot).end();
    else
      endSpan(beginSpan(site(7, 1)), site(7, 1));
    Counts.Done[Thread].fetch_add(1);
    if (!Thread && I % 100 == 99)
      endSpan(Root, site(7, 0));
  }
}

class Kill : public testing::Test {
protected:
  Kill() {
    void *Page = mmap(nullptr, sizeof(SharedCounts), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Counts = static_cast<SharedCounts *>(Page);
  }
  ~Kill() override { munmap(Counts, sizeof(SharedCounts)); }

  /// Starts a recording child, lets it run for \p Us after both of its
  /// threads have begun, ends it with \p End and checks what it left.
  void runOnce(const std::string &File, unsigned Us,
               const std::function<void(pid_t)> &End) {
    for (unsigned I = 0; I < Threads; ++I) {
      Counts->Started[I] = 0;
      Counts->Done[I] = 0;
    }
    pid_t Child = fork();
    if (Child == 0) {
      for (int Signal : {SIGSEGV, SIGBUS, SIGABRT})
        signal(Signal, SIG_DFL); // a sanitizer would handle it
      setOption("file", File);
      setOption("fold", Fold);
      addModel(manifestText(7, 2));
      std::thread Other([&] { recordForEver(1, *Counts); });
      recordForEver(0, *Counts);
    }
    int Status = 0;
    while (!Counts->Done[0] || !Counts->Done[1]) {
      ASSERT_EQ(waitpid(Child, &Status, WNOHANG), 0) << "it died: " << Status;
      usleep(100);
    }
    usleep(Us);
    End(Child);
    waitpid(Child, nullptr, 0);
    check(File);
  }

  void check(const std::string &File) {
    ReadProfile P = readProfile(File);
    EXPECT_EQ(P.Header.State, format::FileState::Open);
    uint64_t Done = Counts->Done[0] + Counts->Done[1];
    uint64_t Started = Counts->Started[0] + Counts->Started[1];
    ASSERT_LE(P.Cells.size(), Threads + 1); // and the root's
    EXPECT_GE(P.count(1), Done);
    EXPECT_LE(P.count(1), Started);
    EXPECT_GE(P.pairs(1), Counts->Done[0]);
    EXPECT_LE(P.pairs(1), Counts->Started[0]);
    EXPECT_EQ(P.pairs(0), 0u);
    EXPECT_GE(P.begins(1), P.count(1));
    EXPECT_LE(P.begins(1), Started);
    for (const ReadProfile::CellOf &C : P.Cells)
      expectWhole(C.Data); // also if it was just being folded into
  }

  static std::string numbered(std::string Name, unsigned Number) {
    return Name.append(std::to_string(Number));
  }

  /// Kills 200 children at random moments.
  void killOften() {
    std::mt19937 Random(1);
    for (unsigned I = 0; I < 200 && !HasFailure(); ++I)
      runOnce(numbered(Folder.file("k"), I), Random() % 1500,
              [](pid_t Child) { kill(Child, SIGKILL); });
  }

  const char *Fold = "run";
  SharedCounts *Counts;
  TestFolder Folder;
};

} // namespace

TEST_F(Kill, TwoHundredKillsLoseNoCompletedSpan) {
  RecordProperty("figure", "200 kills with SIGKILL at random moments");
  killOften();
}

TEST_F(Kill, KillsOfAFoldingThreadLoseNoCompletedSpan) {
  RecordProperty("figure", "200 kills with SIGKILL at random moments");
  Fold = "thread";
  killOften();
}

TEST_F(Kill, CrashesAndAbortsLoseNoCompletedSpan) {
  RecordProperty("figure", "20 ends by SIGSEGV, SIGABRT, SIGBUS and SIGTERM");
  std::mt19937 Random(2);
  for (int Signal : {SIGSEGV, SIGABRT, SIGBUS, SIGTERM})
    for (unsigned I = 0; I < 5 && !HasFailure(); ++I)
      runOnce(numbered(Folder.file("s"), unsigned(Signal) * 100 + I),
              Random() % 1500, [Signal](pid_t Child) { kill(Child, Signal); });
}

TEST_F(Kill, ExitWithoutHandlersLosesNothingAndIsNotClosed) {
  EXPECT_EQ(runChild([&] {
              setOption("file", Folder.file("p.tprof"));
              addTestModel(7, 2);
              for (int I = 0; I < 1000; ++I)
                endSpan(beginSpan(site(7, 1)), site(7, 1));
              _exit(0);
            }),
            0);
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(1), 1000u);
  EXPECT_EQ(P.Header.State, format::FileState::Open);
}

TEST_F(Kill, FileSaysInWhichNodeTheProcessDied) {
  EXPECT_EQ(runChild([&] {
              setOption("file", Folder.file("p.tprof"));
              addTestModel(7, 3);
              endSpan(beginSpan(site(7, 1)), site(7, 1));
              beginSpan(site(7, 2));
              abort();
            }),
            -SIGABRT);
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  ASSERT_EQ(P.Lanes.size(), 1u);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::Slot{2});
  EXPECT_GE(P.Lanes[0].CurrentTicks, P.Process.StartTicks);
  EXPECT_EQ(P.begins(2), 1u);
  EXPECT_EQ(P.count(2), 0u);
}
