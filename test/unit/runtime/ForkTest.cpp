//===- ForkTest.cpp - children write files of their own -------------------===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace torchprof;
using namespace torchprof::test;
using torchprof::format::Counter;

static void spans(unsigned Count) {
  for (unsigned I = 0; I < Count; ++I)
    endSpan(beginSpan(site(7, 1)), site(7, 1));
}

/// Sum of the counts of all files, each of which must be well formed.
static uint64_t countAll(const TestFolder &Folder) {
  uint64_t Sum = 0;
  for (const std::string &Name : Folder.names())
    Sum += readProfile(Folder.file(Name)).count(1);
  return Sum;
}

TEST(Fork, ChildWritesItsOwnFile) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    spans(10);
    EXPECT_EQ(runChild([] { spans(3); }), 0);
    spans(10);
  });
  ReadProfile Parent = readProfile(Folder.file("p.tprof"));
  ReadProfile Child = readProfile(Folder.file("p.1.tprof"));
  EXPECT_EQ(Parent.count(1), 20u);
  EXPECT_EQ(Child.count(1), 3u);
  EXPECT_EQ(Parent.counter(Counter::Forks), 0u);
  EXPECT_EQ(Child.counter(Counter::Forks), 1u);
  EXPECT_EQ(Child.Process.ParentPid, Parent.Process.Pid);
  EXPECT_EQ(Child.Manifests, Parent.Manifests);
  EXPECT_EQ(Child.Header.State, format::FileState::Closed);
}

TEST(Fork, ChildThatNeverProbesLeavesNoFileAndDoesNotCloseItsParents) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    addTestModel(7, 2);
    spans(1);
    EXPECT_EQ(runChild([] {}), 0);
    EXPECT_EQ(readProfile(Folder.file("p.tprof")).Header.State,
              format::FileState::Open);
  });
  EXPECT_EQ(Folder.names(), std::vector<std::string>{"p.tprof"});
}

TEST(Fork, ChildDoesNotWaitForItsParentsWaiters) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "it takes the child's threads for the parent's";
#endif
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    spans(1);
    std::thread Waiter([] { waitForSnapshot(0, 60'000); });
    usleep(50'000); // a fork that comes before the wait shows nothing
    EXPECT_EQ(runChild([] {
                alarm(20);
                spans(1);
                for (int I = 0; I < 3; ++I) {
                  std::thread Own([=] { waitForSnapshot(I, 10'000); });
                  usleep(10'000);
                  EXPECT_EQ(snapshot(""), 0);
                  Own.join();
                }
              }),
              0);
    EXPECT_EQ(snapshot(""), 0);
    Waiter.join();
  });
}

TEST(Fork, ForkOfAForkWritesAThirdFile) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    spans(1);
    EXPECT_EQ(runChild([] {
                spans(2);
                EXPECT_EQ(runChild([] { spans(4); }), 0);
              }),
              0);
  });
  EXPECT_EQ(Folder.names().size(), 3u);
  EXPECT_EQ(countAll(Folder), 7u);
}

TEST(Fork, SpanOpenAcrossTheForkIsCountedOnce) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 3);
    uint64_t Begin = beginSpan(site(7, 1));
    EXPECT_EQ(runChild([Begin] {
                endSpan(Begin, site(7, 1));
                endSpan(beginSpan(site(7, 2)), site(7, 2));
              }),
              0);
    endSpan(Begin, site(7, 1));
  });
  EXPECT_EQ(countAll(Folder), 1u);
  EXPECT_EQ(readProfile(Folder.file("p.1.tprof")).count(2), 1u);
}

TEST(Fork, RegionOpenAtTheForkIsItsParents) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    uint32_t Name = regionNumber("r");
    uint64_t Begin = beginRegion(Name);
    EXPECT_EQ(runChild([=] {
                endRegion(Begin, Name);
                uint64_t Outer = beginRegion(Name), Inner = beginRegion(Name);
                endRegion(Outer, Name);
                endRegion(Inner, Name); // too late
              }),
              0);
    endRegion(Begin, Name);
  });
  ReadProfile Parent = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(Parent.count(Parent.region("r")), 1u);
  EXPECT_EQ(Parent.counter(Counter::MisplacedEnds), 0u);
  ReadProfile Child = readProfile(Folder.file("p.1.tprof"));
  EXPECT_EQ(Child.counter(Counter::MisplacedEnds), 1u); // its own
}

TEST(Fork, ThreadOfTheChildRecordsBeforeTheForkingThread) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    spans(5);
    EXPECT_EQ(runChild([] {
                std::thread([] { spans(2); }).join();
                spans(1);
              }),
              0);
  });
  EXPECT_EQ(readProfile(Folder.file("p.tprof")).count(1), 5u);
  EXPECT_EQ(readProfile(Folder.file("p.1.tprof")).count(1), 3u);
}

TEST(Fork, RawCloneIsAForkToo) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    spans(5);
    long Child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0ul);
    if (Child == 0) {
      spans(2);
      _exit(0);
    }
    int Status;
    EXPECT_EQ(waitpid(pid_t(Child), &Status, 0), Child);
    EXPECT_EQ(Status, 0);
  });
  EXPECT_EQ(readProfile(Folder.file("p.tprof")).count(1), 5u);
  EXPECT_EQ(readProfile(Folder.file("p.1.tprof")).count(1), 2u);
}

TEST(Fork, StormWithRecordingThreadsCountsEverythingOnce) {
  TestFolder Folder;
  constexpr unsigned Children = 60, PerChild = 100;
  RecordProperty("figure", "60 forks with 3 recording threads, 100 spans in "
                           "each child");
  static std::atomic<uint64_t> Own;
  Own = 0;
  std::string Count = Folder.file("count");
  record(Folder.file("p.tprof"), [&] {
    addTestModel(7, 2);
    // The parent takes the file's plain name before any child can.
    spans(50);
    Own += 50;
    std::atomic<bool> Done{false};
    std::vector<std::thread> Threads;
    for (int I = 0; I < 3; ++I)
      Threads.emplace_back([&] {
        while (!Done) {
          spans(50);
          Own += 50;
        }
      });
    // Children are waited for in groups: several live at a time.
    for (unsigned I = 0; I < Children; I += 6) {
      std::vector<pid_t> Pids;
      for (unsigned K = 0; K < 6; ++K) {
        pid_t Child = fork();
        if (Child == 0) {
          spans(PerChild);
          _exit(0);
        }
        Pids.push_back(Child);
      }
      for (pid_t Pid : Pids) {
        int Status = -1;
        EXPECT_EQ(waitpid(Pid, &Status, 0), Pid);
        EXPECT_EQ(Status, 0);
      }
    }
    Done = true;
    for (std::thread &T : Threads)
      T.join();
    EXPECT_EQ(totals().Count, Own);
    EXPECT_EQ(totals().Begins, Own);
  });
  EXPECT_EQ(Folder.names().size(), Children + 1);
  uint64_t Parent = readProfile(Folder.file("p.tprof")).count(1);
  EXPECT_EQ(countAll(Folder), Parent + Children * PerChild);
}

TEST(Fork, EightProcessesWithOneNameShareNoFile) {
  TestFolder Folder;
  std::vector<pid_t> Pids;
  for (int I = 0; I < 8; ++I) {
    pid_t Child = fork();
    if (Child == 0) {
      setOption("file", Folder.file("same.tprof"));
      addTestModel(7, 2);
      spans(100);
      exit(0);
    }
    Pids.push_back(Child);
  }
  for (pid_t Pid : Pids)
    waitpid(Pid, nullptr, 0);
  EXPECT_EQ(Folder.names().size(), 8u);
  EXPECT_EQ(countAll(Folder), 800u);
}

TEST(Fork, ChildFindsTheLockFreeBeforeAnyRecording) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "it takes the parent's lock for the child's";
#endif
  int Status;
  {
    ProcessLock Lock; // as another thread holds it that registers a model
    Status = runChild([] {
      alarm(20);
      EXPECT_NE(regionNumber("r"), 0u);
    });
  }
  EXPECT_EQ(Status, 0);
}

TEST(Fork, ChildIsInNoScopeOfItsParent) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    stop();
    beginScope();
    spans(10);
    EXPECT_EQ(runChild([] { spans(3); }), 0);
    EXPECT_EQ(runChild([] {
                spans(3);
                start();
                endScope(); // its parent's
                spans(5);
              }),
              0);
    spans(10);
    endScope();
    spans(100);
    beginScope();
    stop(); // in a scope, too
    spans(100);
  });
  EXPECT_EQ(Folder.names(), (std::vector<std::string>{"p.1.tprof", "p.tprof"}));
  EXPECT_EQ(readProfile(Folder.file("p.tprof")).count(1), 20u);
  EXPECT_EQ(readProfile(Folder.file("p.1.tprof")).count(1), 5u);
}

/// So many steps with a span in each.
static void steps(unsigned Count) {
  for (unsigned I = 0; I < Count; ++I) {
    spans(1);
    step();
  }
}

TEST(Fork, SchedulesBeginAnewInTheChild) {
  // Before the parent's cycle, in it and behind it.
  for (unsigned Before : {1, 4, 10}) {
    TestFolder Folder;
    record(Folder.file("p.tprof"), [=] {
      ASSERT_EQ(setOption("schedule", "skip_first=2,active=5,repeat=1"), 0);
      addTestModel(7, 2);
      steps(Before);
      EXPECT_EQ(runChild([] { steps(10); }), 0);
      steps(10);
    });
    uint64_t Snapshots = 0;
    for (const std::string &Name : Folder.names()) {
      ReadProfile P = readProfile(Folder.file(Name));
      EXPECT_EQ(P.count(1), 5u) << Name;
      Snapshots += P.Header.State == format::FileState::Snapshot;
    }
    EXPECT_EQ(Snapshots, 2u) << Before;
  }
}

TEST(Fork, RunsAreStepsInAChildThatMakesNone) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    ASSERT_EQ(setOption("schedule", "wait=1,active=1,repeat=1"), 0);
    addTestModel(7, 2);
    steps(1);
    EXPECT_EQ(runChild([] {
                for (int I = 0; I < 4; ++I)
                  inRun([] { spans(1); });
              }),
              0);
  });
  EXPECT_EQ(readProfile(Folder.file("p.tprof")).count(1), 1u);
}
