//===- InheritedFileTest.cpp - profiles in descriptors, opened early ------===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace torchprof;
using namespace torchprof::test;
using torchprof::format::Counter;

static void spansOfModel(unsigned Count) {
  addTestModel(7, 2);
  for (unsigned I = 0; I < Count; ++I)
    endSpan(beginSpan(site(7, 1)), site(7, 1));
}

namespace {
/// A descriptor of the test's own.
class Descriptor {
public:
  explicit Descriptor(const std::string &Path, int Flags = O_RDWR)
      : Number(open(Path.c_str(), Flags | O_CREAT, 0600)) {}
  explicit Descriptor(int Number) : Number(Number) {}
  ~Descriptor() { close(Number); }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  std::string name() const { return "fd:" + std::to_string(Number); }
  const int Number;
};

/// Options of the environment, while it lives.
class Variable {
public:
  Variable(const char *Name, const std::string &Value) : Name(Name) {
    setenv(Name, Value.c_str(), 1);
  }
  ~Variable() { unsetenv(Name); }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

private:
  const char *Name;
};
} // namespace

/// What is printed while \p File is recorded into and cannot be; recording goes
/// on in memory.
static std::string warningOf(const std::string &File) {
  std::string Warning;
  record(File, [&] {
    testing::internal::CaptureStderr();
    spansOfModel(5);
    Warning = testing::internal::GetCapturedStderr();
    EXPECT_EQ(totals().Count, 5u);
    EXPECT_EQ(profilePath(), "");
  });
  return Warning;
}

static std::string line(const std::string &File, const char *Reason) {
  return "torchprof: warning: " + File +
         ": cannot create the profile: " + Reason +
         "; recording in memory only\n";
}

TEST(InheritedFile, TakesAnEmptyFile) {
  TestFolder Folder;
  Descriptor File(Folder.file("p"));
  record(File.name(), [&] {
    spansOfModel(5);
    EXPECT_EQ(profilePath(), File.name());
    EXPECT_GT(totals().FileBytes, 0u);
  });
  ReadProfile P = readProfile(Folder.file("p"));
  EXPECT_EQ(P.count(1), 5u);
  EXPECT_EQ(P.Header.State, format::FileState::Closed);
  EXPECT_NE(P.Process.Command[0], '\0');
  // It is the host's, and what the host starts must still find it taken.
  EXPECT_EQ(fcntl(File.Number, F_GETFD), 0);
  EXPECT_EQ(Folder.names().size(), 1u);
}

TEST(InheritedFile, TakesMemory) {
  Descriptor File(memfd_create("profile", 0));
  record(File.name(), [] { spansOfModel(5); });
  std::string Path = "/proc/self/fd/" + std::to_string(File.Number);
  EXPECT_EQ(readProfile(Path).count(1), 5u);
}

TEST(InheritedFile, SaysOnceWhatIsWrong) {
  TestFolder Folder;
  {
    Descriptor File(Folder.file("a"), O_RDONLY);
    EXPECT_EQ(warningOf(File.name()),
              line(File.name(),
                   "the descriptor is not open for reading and writing"));
  }
  {
    Descriptor File(Folder.file("a"), O_WRONLY);
    EXPECT_EQ(warningOf(File.name()),
              line(File.name(),
                   "the descriptor is not open for reading and writing"));
  }
  {
    Descriptor File(Folder.file("a"), O_RDWR | O_APPEND);
    EXPECT_EQ(warningOf(File.name()),
              line(File.name(), "the descriptor is open for appending"));
  }
  {
    Descriptor File(open("/dev/null", O_RDWR));
    EXPECT_EQ(
        warningOf(File.name()),
        line(File.name(), "the descriptor is not that of a regular file"));
  }
  {
    Descriptor File(memfd_create("sealed", MFD_ALLOW_SEALING));
    ASSERT_EQ(fcntl(File.Number, F_ADD_SEALS, F_SEAL_GROW), 0);
    EXPECT_EQ(warningOf(File.name()),
              line(File.name(), "Operation not permitted"));
  }
  EXPECT_EQ(warningOf("fd:987654"),
            line("fd:987654", "the descriptor is not open"));
}

TEST(InheritedFile, WhatAnotherProcessLooksAtIsNotTaken) {
  TestFolder Folder;
  Descriptor File(Folder.file("p"));
  int Locked[2], Done[2];
  ASSERT_EQ(pipe(Locked), 0);
  ASSERT_EQ(pipe(Done), 0);
  pid_t Child = fork();
  if (Child == 0) {
    close(Done[1]);
    struct flock Lock {};
    Lock.l_type = F_WRLCK;
    Lock.l_whence = SEEK_SET;
    char Byte = fcntl(File.Number, F_SETLK, &Lock) == 0;
    (void)!write(Locked[1], &Byte, 1);
    (void)!read(Done[0], &Byte, 1);
    _exit(0);
  }
  close(Done[0]);
  close(Locked[1]);
  char IsLocked = 0;
  EXPECT_EQ(read(Locked[0], &IsLocked, 1), 1);
  EXPECT_EQ(IsLocked, 1);
  EXPECT_EQ(warningOf(File.name()),
            line(File.name(), "another process is using it"));
  close(Done[1]);
  close(Locked[0]);
  waitpid(Child, nullptr, 0);
  EXPECT_EQ(lseek(File.Number, 0, SEEK_END), 0);
}

TEST(InheritedFile, NeverTouchesAFileThatIsNotEmpty) {
  TestFolder Folder;
  Descriptor Text(Folder.file("text"));
  ASSERT_EQ(write(Text.Number, "precious", 8), 8);
  EXPECT_EQ(warningOf(Text.name()), line(Text.name(), "the file is not empty"));
  char Read[16];
  EXPECT_EQ(pread(Text.Number, Read, sizeof(Read), 0), 8);

  Descriptor File(Folder.file("p"));
  record(File.name(), [] { spansOfModel(5); });
  EXPECT_EQ(warningOf(File.name()),
            line(File.name(), "it already holds a profile"));
  EXPECT_EQ(readProfile(Folder.file("p")).count(1), 5u);
}

TEST(InheritedFile, NoRoomLeavesItEmpty) {
  TestFolder Folder;
  Descriptor File(Folder.file("p"));
  EXPECT_EQ(runChild([&] {
              rlimit Before;
              ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &Before), 0);
              rlimit Size{100, Before.rlim_max};
              ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Size), 0);
              startAfresh();
              setOption("file", File.name());
              testing::internal::CaptureStderr();
              spansOfModel(5);
              EXPECT_EQ(testing::internal::GetCapturedStderr(),
                        line(File.name(), "File too large"));
              // A sanitizer's last words may go to a file.
              setrlimit(RLIMIT_FSIZE, &Before);
            }),
            0);
  EXPECT_EQ(lseek(File.Number, 0, SEEK_END), 0);
}

TEST(InheritedFile, EnvironmentMeansNoDescriptorThatTheProgramOpened) {
  TestFolder Folder;
  Descriptor File(Folder.file("p"), O_RDWR | O_CLOEXEC);
  Variable Name("TORCHPROF_FILE", File.name());
  startAfresh();
  testing::internal::CaptureStderr();
  spansOfModel(5);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      line(File.name(), "the descriptor is one that the program has opened"));
  EXPECT_EQ(lseek(File.Number, 0, SEEK_END), 0);
  startAfresh();
  // The host itself knows.
  setOption("file", File.name());
  spansOfModel(5);
  startAfresh();
  EXPECT_GT(lseek(File.Number, 0, SEEK_END), 0);
}

TEST(InheritedFile, ChildOfForkRecordsInMemory) {
  TestFolder Folder;
  Descriptor File(Folder.file("p"));
  record(File.name(), [&] {
    spansOfModel(5);
    EXPECT_EQ(runChild([&] {
                testing::internal::CaptureStderr();
                spansOfModel(3);
                EXPECT_EQ(testing::internal::GetCapturedStderr(),
                          line(File.name(), "it already holds a profile"));
                EXPECT_EQ(totals().Count, 3u);
                // The parent's descriptor is not one to close.
                EXPECT_EQ(fcntl(File.Number, F_GETFD), 0);
              }),
              0);
    spansOfModel(5);
  });
  EXPECT_EQ(readProfile(Folder.file("p")).count(1), 10u);
}

TEST(InheritedFile, OneOfManyProcessesTakesIt) {
  TestFolder Folder;
  Descriptor File(Folder.file("p"));
  int Pipe[2];
  ASSERT_EQ(pipe(Pipe), 0);
  std::vector<pid_t> Pids;
  for (unsigned I = 1; I <= 8; ++I) {
    pid_t Child = fork();
    if (Child == 0) {
      close(Pipe[1]);
      char Byte;
      (void)!read(Pipe[0], &Byte, 1); // all begin together
      testing::internal::CaptureStderr();
      startAfresh();
      setOption("file", File.name());
      spansOfModel(I);
      bool Takes = !profilePath().empty();
      bool Warns = !testing::internal::GetCapturedStderr().empty();
      _exit(Takes == Warns ? 99 : Takes ? int(I) : 0);
    }
    Pids.push_back(Child);
  }
  close(Pipe[0]);
  close(Pipe[1]);
  unsigned Takers = 0;
  uint64_t Counted = 0;
  for (pid_t Pid : Pids) {
    int Status = -1;
    waitpid(Pid, &Status, 0);
    ASSERT_TRUE(WIFEXITED(Status));
    Takers += WEXITSTATUS(Status) != 0;
    Counted += uint64_t(WEXITSTATUS(Status));
  }
  EXPECT_EQ(Takers, 1u);
  EXPECT_EQ(readProfile(Folder.file("p")).count(1), Counted);
}

TEST(InheritedFile, SnapshotsNeedANameOrADescriptorOfTheirOwn) {
  TestFolder Folder;
  Descriptor File(Folder.file("p")), Copy(Folder.file("copy"));
  record(File.name(), [&] {
    spansOfModel(5);
    testing::internal::CaptureStderr();
    EXPECT_EQ(snapshot(""), ENOTSUP);
    EXPECT_EQ(snapshot(""), ENOTSUP);
    EXPECT_EQ(snapshot(File.name()), EEXIST);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "torchprof: warning: " + File.name() +
                  ": cannot write a snapshot: a descriptor has no further "
                  "names\n");
    EXPECT_EQ(snapshot(Copy.name()), 0);
    EXPECT_EQ(snapshot(Copy.name()), EEXIST);
    EXPECT_EQ(ftruncate(Copy.Number, 0), 0);
    spansOfModel(5);
    EXPECT_EQ(snapshot(Copy.name()), 0);
    EXPECT_EQ(snapshot(Folder.file("named")), 0);
  });
  EXPECT_EQ(Folder.names(), (std::vector<std::string>{"copy", "named", "p"}));
  EXPECT_EQ(readProfile(Folder.file("copy")).count(1), 10u);
  EXPECT_EQ(readProfile(Folder.file("named")).count(1), 10u);
}

TEST(InheritedFile, SchedulesKeepTheLastCycle) {
  TestFolder Folder;
  Descriptor File(Folder.file("p"));
  record(File.name(), [&] {
    setOption("schedule", "active=1,repeat=2");
    testing::internal::CaptureStderr();
    for (unsigned Count : {3u, 4u, 5u}) {
      spansOfModel(Count);
      step();
    }
    std::string Warnings = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(Warnings.begin(), Warnings.end(), '\n'), 1);
  });
  EXPECT_EQ(readProfile(Folder.file("p")).count(1), 4u);
  EXPECT_EQ(Folder.names().size(), 1u);
}

TEST(InheritedFile, SchedulesKeepACycleUntilTheNextIsDue) {
  // Steps 0 and 1 wait, 2 is active, 3 and 4 wait.
  for (unsigned Steps : {4u, 5u}) {
    TestFolder Folder;
    Descriptor File(Folder.file("p"));
    record(File.name(), [&] {
      setOption("schedule", "wait=2,active=1");
      testing::internal::CaptureStderr();
      for (unsigned I = 0; I < Steps; ++I) {
        spansOfModel(1);
        step();
      }
      testing::internal::GetCapturedStderr();
    });
    EXPECT_EQ(readProfile(Folder.file("p")).count(1), Steps == 4 ? 1u : 0u);
  }
}

TEST(InheritedFile, ClosedByTheHostKeepsWhatItHas) {
  TestFolder Folder;
  std::string Path = Folder.file("p");
  recordInChild("p", [&] {
    int Number = open(Path.c_str(), O_RDWR | O_CREAT, 0600);
    setOption("file", "fd:" + std::to_string(Number));
    spansOfModel(1);
    addTestModel(8, 100);
    close(Number);
    testing::internal::CaptureStderr();
    for (uint64_t I = 1; I < 100; ++I)
      endSpan(beginSpan(site(8, I)), site(8, I));
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "torchprof: warning: fd:" + std::to_string(Number) +
                  ": cannot grow the profile: Bad file descriptor; what does "
                  "not fit is kept in memory\n");
  });
  EXPECT_EQ(readProfile(Path).count(1), 1u);
}

//===----------------------------------------------------------------------===//
// TORCHPROF_OPEN=early
//===----------------------------------------------------------------------===//

TEST(EarlyOpen, MakesTheFileAtOnce) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    EXPECT_EQ(setOption("open", "early"), 0);
    EXPECT_EQ(profilePath(), Folder.file("p.tprof"));
    EXPECT_EQ(setOption("file", "other"), EBUSY);
    setFramework("Torch 9"); // known when the first model is loaded
    spansOfModel(5);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(1), 5u);
  EXPECT_STREQ(P.Process.Framework, "Torch 9");
}

TEST(EarlyOpen, OffAndLateMakeNone) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] { setOption("open", "late"); });
  record(Folder.file("p.tprof"), [] {
    setOption("enabled", "off");
    setOption("open", "early");
  });
  EXPECT_EQ(Folder.names().size(), 0u);
}

TEST(EarlyOpen, ProfileOfNothingIsRemoved) {
  TestFolder Folder;
  recordInChild(Folder.file("p.tprof"), [&] {
    setOption("open", "early");
    addTestModel(7, 2);
    EXPECT_EQ(Folder.names().size(), 1u);
  });
  EXPECT_EQ(Folder.names().size(), 0u);
  // Its name may be another file's by then.
  recordInChild(Folder.file("p.tprof"), [&] {
    setOption("open", "early");
    unlink(Folder.file("p.tprof").c_str());
    Descriptor(Folder.file("p.tprof"));
  });
  EXPECT_EQ(Folder.names().size(), 1u);
}

TEST(EarlyOpen, ChildOfForkRecordsInMemory) {
  TestFolder Folder;
  std::string Name = Folder.file("p.tprof");
  record(Name, [&] {
    setOption("open", "early");
    EXPECT_EQ(runChild([&] {
                testing::internal::CaptureStderr();
                spansOfModel(3);
                EXPECT_EQ(
                    testing::internal::GetCapturedStderr(),
                    line(Name, "TORCHPROF_OPEN=early opens no more files"));
                EXPECT_EQ(totals().Count, 3u);
              }),
              0);
    spansOfModel(5);
  });
  EXPECT_EQ(readProfile(Name).count(1), 5u);
  EXPECT_EQ(Folder.names().size(), 1u);
}

TEST(EarlyOpen, NeverOpensTheFileAgain) {
  TestFolder Folder;
  recordInChild(Folder.file("p.tprof"), [&] {
    setOption("open", "early");
    spansOfModel(1);
    addTestModel(8, 100);
    closefrom(3); // of the tests before this one many may be open
    testing::internal::CaptureStderr();
    for (uint64_t I = 1; I < 100; ++I)
      endSpan(beginSpan(site(8, I)), site(8, I));
    EXPECT_NE(testing::internal::GetCapturedStderr().find(
                  "cannot grow the profile: Bad file descriptor"),
              std::string::npos);
  });
  EXPECT_EQ(readProfile(Folder.file("p.tprof")).count(1), 1u);
}

TEST(EarlyOpen, WritesNoSnapshotUnasked) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    setOption("schedule", "active=1,repeat=1");
    setOption("open", "early");
    testing::internal::CaptureStderr();
    spansOfModel(5);
    step();
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "torchprof: warning: " + Folder.file("p.1.tprof") +
                  ": cannot write a snapshot: TORCHPROF_OPEN=early opens no "
                  "more files\n");
    EXPECT_EQ(snapshot(""), 0); // the host knows whether it may
  });
  EXPECT_EQ(Folder.names(), (std::vector<std::string>{"p.1.tprof", "p.tprof"}));
}
