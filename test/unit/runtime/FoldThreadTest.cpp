//===- FoldThreadTest.cpp - logs folded by a background thread ------------===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

constexpr unsigned Sites = 100;

/// A run: a root, a pair in each site but the last, and a span of one native
/// frame in the last.
void run(unsigned Rounds = 1) {
  uint64_t Root = enterRoot(
      site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  for (unsigned Round = 0; Round < Rounds; ++Round) {
    for (unsigned I = 1; I < Sites - 1; ++I)
      endSpan(beginSpan(site(7, I)), site(7, I));
    FrameSpan(Slot{Sites - 1}).end();
  }
  endSpan(Root, site(7, 0));
}

/// Expects so many runs of all sites from \p First on.
void expectRuns(const ReadProfile &P, uint64_t Runs, unsigned First = 0) {
  for (unsigned I = First; I < Sites; ++I) {
    EXPECT_EQ(P.count(I), Runs) << "site " << I;
    EXPECT_EQ(P.begins(I), Runs) << "site " << I;
  }
}

/// Directories in /proc of this process's folding threads.
std::vector<std::filesystem::path> foldThreads() {
  std::vector<std::filesystem::path> Found;
  for (const auto &Entry :
       std::filesystem::directory_iterator("/proc/self/task")) {
    std::string Name;
    std::getline(std::ifstream(Entry.path() / "comm"), Name);
    if (Name == "torchprof-fold")
      Found.push_back(Entry.path());
  }
  return Found;
}

/// The value of a line of a thread's status.
std::string statusOf(const std::filesystem::path &Thread,
                     const std::string &Key) {
  std::ifstream Status(Thread / "status");
  for (std::string Line; std::getline(Status, Line);)
    if (Line.starts_with(Key + ":\t"))
      return Line.substr(Key.size() + 2);
  return "";
}

std::string contentsOf(const std::string &Path) {
  std::string Bytes(std::filesystem::file_size(Path), '\0');
  std::ifstream(Path).read(Bytes.data(), std::streamsize(Bytes.size()));
  return Bytes;
}

bool isFolded(const Lane &L) { return loadAcquire(L.Log->Folded) == L.Written; }

class FoldThreadTest : public testing::Test {
protected:
  ReadProfile recorded(const std::function<void()> &Body) {
    record(file(), [&] {
      begin();
      Body();
    });
    return readProfile(file());
  }
  void begin() {
    ASSERT_EQ(setOption("fold", "thread"), 0);
    addTestModel(7, Sites);
  }
  std::string file() const { return Folder.file("p.tprof"); }

  TestFolder Folder;
};

} // namespace

TEST_F(FoldThreadTest, RunsAfterTheFirstAreFoldedInTheBackground) {
  ReadProfile P = recorded([] {
    run(); // makes the cells
    EXPECT_TRUE(isFolded(*ThisLane));
    uint64_t Own = ThisLane->Clock.apart();
    EXPECT_EQ(ThisLane->Log->ApartTicks, Own);
    for (unsigned I = 0; I < 5; ++I)
      run();
    waitForFold();
    EXPECT_TRUE(isFolded(*ThisLane));
    EXPECT_GT(ThisLane->Log->ApartTicks, Own);
    EXPECT_EQ(ThisLane->Clock.apart(), Own); // no part of what is subtracted
  });
  expectRuns(P, 6);
}

TEST_F(FoldThreadTest, OneThreadThatDisplacesNoneTakesNoSignal) {
  size_t Before = foldThreads().size();
  recorded([&] {
    run();
    EXPECT_EQ(foldThreads().size(), Before); // nothing was left to it
    run();
    std::thread([] {
      run();
      run();
    }).join();
    waitForFold(); // it has its name by then
    ASSERT_EQ(foldThreads().size(), Before + 1);
    std::filesystem::path Thread = foldThreads().back();
    pid_t Id = std::stoi(Thread.filename().string());
    EXPECT_EQ(sched_getscheduler(Id), SCHED_BATCH);
    uint64_t Blocked = std::stoull(statusOf(Thread, "SigBlk"), nullptr, 16);
    for (int Signal : {SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGPROF})
      EXPECT_TRUE(Blocked >> (Signal - 1) & 1) << Signal;
  });
}

TEST_F(FoldThreadTest, LogOfALongRunIsFoldedMeanwhile) {
  constexpr unsigned Rounds = 100; // five rings of records
  ReadProfile P = recorded([] {
    run();
    run(Rounds);
  });
  EXPECT_EQ(P.count(0), 2u);
  EXPECT_EQ(P.count(1), 1 + Rounds);
  EXPECT_EQ(P.begins(1), 1 + Rounds);
  EXPECT_EQ(P.count(Sites - 1), 1 + Rounds);
  EXPECT_EQ(P.begins(Sites - 1), 1 + Rounds);
}

TEST_F(FoldThreadTest, SiteThatIsNewIsLeftToItsThread) {
  ReadProfile P = recorded([] {
    run();
    addModel(manifestText(8, 3));
    Slot New = Line.Models.slotOf(site(8, 1));
    FrameSpan(New).end(); // has no cell, nor has the lane room for one
    run();
    waitForFold();
    EXPECT_FALSE(isFolded(*ThisLane));
    run();
    EXPECT_TRUE(isFolded(*ThisLane));
    run();
    waitForFold();
    EXPECT_TRUE(isFolded(*ThisLane));
  });
  expectRuns(P, 4);
  EXPECT_EQ(P.count(Sites + 1), 1u);
  EXPECT_EQ(P.begins(Sites + 1), 1u);
}

TEST_F(FoldThreadTest, LongSpansOfManyPagesAreExact) {
  constexpr uint64_t Long = uint64_t(1) << 41; // has two records and its begin
  constexpr unsigned Spans = 500;
  ReadProfile P = recorded([] {
    useTestClock();
    run();
    run();
    waitForFold(); // in the middle of a page
    for (unsigned I = 0; I < Spans; ++I)
      span(site(7, 1), Long);
    run();
    waitForFold();
    EXPECT_TRUE(isFolded(*ThisLane));
  });
  expectRuns(P, 3, /*First=*/2);
  EXPECT_EQ(P.count(1), Spans + 3);
  EXPECT_EQ(P.sum(1), Spans * Long);
}

TEST_F(FoldThreadTest, FullBucketIsLeftToItsThread) {
  constexpr uint64_t Long = uint64_t(1) << 41; // has two records
  ReadProfile P = recorded([] {
    useTestClock();
    run();
    span(site(7, 1), Long);
    totals(); // folds
    Cell &C = *knownEntry(*ThisLane, Slot{1})->Data;
    C.Histogram[histogramBucket(Long)] = UINT32_MAX - 1;
    C.Begins += UINT32_MAX - 2;
    C.Word += 2 * uint64_t(UINT32_MAX - 2);
    for (unsigned I = 0; I < 4; ++I) {
      span(site(7, 1), Long);
      run();
      waitForFold();
    }
  });
  EXPECT_EQ(P.count(1), uint64_t(UINT32_MAX) - 1 + 4 + 5);
  EXPECT_EQ(P.begins(1), P.count(1));
  EXPECT_EQ(P.sum(1), 5 * Long);
  uint64_t InBucket = 0;
  for (const auto &C : P.Cells)
    InBucket += C.Data.Histogram[histogramBucket(Long)];
  EXPECT_EQ(InBucket, uint64_t(UINT32_MAX) - 1 + 4);
}

TEST_F(FoldThreadTest, ResetLeavesOneRunToItsThread) {
  ReadProfile P = recorded([] {
    for (unsigned I = 0; I < 50; ++I) {
      for (unsigned Run = 0; Run < I % 4; ++Run)
        run();
      reset();
    }
    run();
    EXPECT_TRUE(isFolded(*ThisLane));
    uint64_t Own = ThisLane->Clock.apart();
    run();
    waitForFold();
    EXPECT_TRUE(isFolded(*ThisLane));
    EXPECT_EQ(ThisLane->Clock.apart(), Own);
  });
  expectRuns(P, 2);
}

TEST_F(FoldThreadTest, ThreadsThatEmptyTheirOwnPartAreExact) {
  RecordProperty("figure", "4 threads, 500 resets of its own each");
  ReadProfile P = recorded([] {
    std::atomic<unsigned> Ended{0};
    std::vector<std::thread> Threads;
    for (unsigned T = 0; T < 4; ++T)
      Threads.emplace_back([&] {
        for (unsigned I = 0; I < 500; ++I) {
          for (unsigned Run = 0; Run < I % 5; ++Run)
            run();
          resetThread();
        }
        for (unsigned Run = 0; Run < 3; ++Run)
          run();
        ++Ended;
        while (Ended < 4) // its lane goes to no other thread
          std::this_thread::yield();
      });
    for (std::thread &T : Threads)
      T.join();
  });
  expectRuns(P, 4 * 3);
}

TEST_F(FoldThreadTest, SnapshotsLiveFilesAndStatsAreExact) {
  recorded([&] {
    for (unsigned I = 1; I <= 50; ++I) {
      // Nobody records, but the folding thread may be at any point.
      std::thread([] { run(); }).join();
      EXPECT_EQ(totals().Count, (2 * I - 1) * Sites);
      EXPECT_EQ(totals().Begins, (2 * I - 1) * Sites);
      std::thread([] { run(); }).join();
      std::string Name = Folder.file("s").append(std::to_string(I));
      ASSERT_EQ(snapshot(Name), 0);
      expectRuns(readProfile(Name), 2 * I);
      expectRuns(readProfile(file()), 2 * I);
      reset();
      for (unsigned Run = 0; Run < I; ++Run)
        std::thread([] { run(); }).join();
      reset();
      for (unsigned Run = 0; Run < 2 * I; ++Run)
        run();
      EXPECT_EQ(totals().Count, 2 * I * Sites);
      reset();
      for (unsigned Run = 0; Run < 2 * I; ++Run)
        std::thread([] { run(); }).join();
    }
  });
}

TEST_F(FoldThreadTest, ThreadsThatEndLeaveTheirLogsToTheNext) {
  RecordProperty("figure", "2000 threads of one run each, 4 at a time");
  ReadProfile P = recorded([] {
    std::vector<std::thread> Threads;
    for (unsigned T = 0; T < 4; ++T)
      Threads.emplace_back([] {
        for (unsigned I = 0; I < 500; ++I)
          std::thread([] { run(); }).join();
      });
    for (std::thread &T : Threads)
      T.join();
    EXPECT_EQ(totals().Count, 2000u * Sites);
  });
  expectRuns(P, 2000);
  EXPECT_LE(P.Lanes.size(), 8u);
}

TEST_F(FoldThreadTest, ChildOfForkStartsItsOwn) {
  size_t Before = foldThreads().size();
  recorded([&] {
    for (unsigned I = 0; I < 20; ++I)
      run();
    waitForFold();
    EXPECT_EQ(foldThreads().size(), Before + 1);
    EXPECT_EQ(runChild([] {
                EXPECT_EQ(foldThreads().size(), 0u);
                run();
                EXPECT_EQ(foldThreads().size(), 0u);
                for (unsigned I = 0; I < 9; ++I)
                  run();
                waitForFold();
                EXPECT_TRUE(isFolded(*ThisLane));
                EXPECT_EQ(foldThreads().size(), 1u);
              }),
              0);
    for (unsigned I = 0; I < 20; ++I)
      run();
  });
  expectRuns(readProfile(file()), 40);
  expectRuns(readProfile(Folder.file("p.1.tprof")), 10);
}

TEST_F(FoldThreadTest, ForksWhileItFoldsCountEverythingOnce) {
  RecordProperty("figure", "40 forks, 4 at a time, between 3 runs each");
  recorded([] {
    for (unsigned I = 0; I < 40; I += 4) {
      for (unsigned Run = 0; Run < 3; ++Run)
        run();
      std::vector<pid_t> Children;
      for (unsigned K = 0; K < 4; ++K) {
        pid_t Child = fork();
        if (Child == 0) {
          for (unsigned Run = 0; Run < 5; ++Run)
            run();
          _exit(0);
        }
        Children.push_back(Child);
      }
      for (pid_t Child : Children)
        EXPECT_EQ(waitpid(Child, nullptr, 0), Child);
    }
  });
  std::vector<std::string> Names = Folder.names();
  EXPECT_EQ(Names.size(), 41u);
  for (const std::string &Name : Names)
    expectRuns(readProfile(Folder.file(Name)), Name == "p.tprof" ? 30 : 5);
}

TEST_F(FoldThreadTest, ProcessThatEndsBeforeItLosesNothing) {
  recordInChild(file(), [&] {
    begin();
    for (unsigned I = 0; I < 10; ++I)
      run();
  });
  ReadProfile P = readProfile(file());
  EXPECT_EQ(P.Header.State, FileState::Closed);
  expectRuns(P, 10);
}

TEST_F(FoldThreadTest, ProcessThatIsKilledMeanwhileLosesNothing) {
  constexpr unsigned Spans = 2;
  std::string Last;
  unsigned Changes = 0;
  unsigned Steps = stepThrough(
      [&] {
        setOption("file", file());
        addTestModel(7, Sites);
        run();
        for (unsigned I = 0; I < Spans; ++I) {
          endSpan(beginSpan(site(7, 1)), site(7, 1));
          FrameSpan(Slot{2}).end();
        }
        ThisLane->FoldUpTo = ThisLane->Written;
      },
      [] { foldLeftPage(*ThisLane); }, // what the thread does
      [&] {
        std::string Bytes = contentsOf(file());
        if (Bytes == Last)
          return;
        Last = Bytes;
        ++Changes;
        ReadProfile P = readProfile(file());
        EXPECT_EQ(P.begins(1), Spans + 1);
        EXPECT_EQ(P.count(1), Spans + 1);
        EXPECT_EQ(P.begins(2), Spans + 1);
        EXPECT_EQ(P.count(2), Spans + 1);
        for (const auto &C : P.Cells)
          expectWhole(C.Data);
      });
  if (!Steps)
    GTEST_SKIP() << "single steps are not possible here";
  EXPECT_GT(Changes, 10 * Spans);
}

TEST_F(FoldThreadTest, TraceKeepsItsSpans) {
  for (const char *Keep : {"first", "last"}) {
    TestFolder Traces;
    record(Traces.file("p.tprof"), [&] {
      ASSERT_EQ(setOption("mode", "trace"), 0);
      ASSERT_EQ(setOption("trace_keep", Keep), 0);
      ASSERT_EQ(setOption("trace_events", "256"), 0);
      begin();
      useTestClock();
      for (unsigned I = 0; I < 100; ++I) {
        advanceClock(1);
        run();
      }
    });
    ReadProfile P = readProfile(Traces.file("p.tprof"));
    expectRuns(P, 100);
    ASSERT_EQ(P.Traces.size(), 1u);
    EXPECT_EQ(P.Traces[0].Written, 100u * Sites);
    ASSERT_EQ(P.Traces[0].Events.size(), 256u);
    EXPECT_EQ(P.Traces[0].Events.back().BeginTicks,
              1000u + (Keep == std::string("last") ? 100 : 3));
  }
}

TEST_F(FoldThreadTest, WithoutAThreadRunsFoldAndOneWarningSaysSo) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(runChild([&] {
              ASSERT_EQ(setOption("file", file()), 0);
              begin();
              run();
              // A limit that binds: root is exempt.
              rlimit None{0, 0};
              setrlimit(RLIMIT_NPROC, &None);
              if (getuid() == 0 && setuid(65534) != 0)
                _exit(77);
              for (unsigned I = 0; I < 3; ++I) {
                run();
                EXPECT_TRUE(isFolded(*ThisLane));
              }
              _exit(HasFailure()); // a sanitizer would start a thread at exit
            }),
            0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "torchprof: warning: cannot start the folding thread: Resource "
            "temporarily unavailable; folding at the end of each run\n");
  expectRuns(readProfile(file()), 4);
}
