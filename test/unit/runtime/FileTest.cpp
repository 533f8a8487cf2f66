//===- FileTest.cpp - where the file cannot be had ------------------------===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"
#include "Warn.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace torchprof;
using namespace torchprof::test;
using torchprof::format::Counter;

static void spans(uint64_t Index, unsigned Count) {
  for (unsigned I = 0; I < Count; ++I)
    endSpan(beginSpan(site(7, Index)), site(7, Index));
}

/// Of sites 1 to before \p End, in the file, and those that it says are not.
static uint64_t recordedAndLost(const ReadProfile &P, uint32_t End) {
  uint64_t Spans = P.counter(Counter::LostNoRoom);
  for (uint32_t I = 1; I < End; ++I)
    Spans += P.count(I);
  return Spans;
}

static uint64_t lines(const std::string &Text) {
  return uint64_t(std::count(Text.begin(), Text.end(), '\n'));
}

TEST(File, MissingFolderIsOneWarningAndTheHostGoesOn) {
  TestFolder Folder;
  record(Folder.file("none/p.tprof"), [&] {
    addTestModel(7, 3);
    testing::internal::CaptureStderr();
    spans(1, 5);
    std::thread([] { spans(2, 5); }).join();
    std::string Warning = testing::internal::GetCapturedStderr();
    EXPECT_EQ(lines(Warning), 1u) << Warning;
    EXPECT_NE(Warning.find("cannot create the profile: No such file"),
              std::string::npos)
        << Warning;
    EXPECT_EQ(totals().Count, 10u); // in memory
    EXPECT_EQ(profilePath(), "");
    EXPECT_EQ(flush(), EIO);
    EXPECT_EQ(snapshot(Folder.file("s.tprof")), 0);
  });
  EXPECT_EQ(readProfile(Folder.file("s.tprof")).count(1), 5u);
  EXPECT_EQ(readProfile(Folder.file("s.tprof")).counter(Counter::FileErrors),
            1u);
}

TEST(File, ReadOnlyFolderIsOneWarningAndTheHostGoesOn) {
  TestFolder Folder;
  std::string Locked = Folder.file("locked");
  ASSERT_EQ(mkdir(Locked.c_str(), 0555), 0);
  recordInChild(Locked + "/p.tprof", [&] {
    if (geteuid() == 0) { // root may write anywhere
      ASSERT_EQ(setresuid(65534, 65534, 65534), 0);
    }
    addTestModel(7, 2);
    testing::internal::CaptureStderr();
    spans(1, 5);
    EXPECT_EQ(lines(testing::internal::GetCapturedStderr()), 1u);
    EXPECT_EQ(totals().Count, 5u);
  });
}

TEST(File, SizeLimitNeverRaisesASignal) {
  // Limits below each of the steps by which the file grows.
  for (uint64_t Limit :
       {0, 4096, 8192, 20'000, 40'000, 60'000, 100'000, 250'000}) {
    TestFolder Folder;
    recordInChild(Folder.file("p.tprof"), [&] {
      // Even the warning goes to a file that must not grow.
      ASSERT_NE(freopen(Folder.file("log").c_str(), "w", stderr), nullptr);
      rlimit Size{Limit, Limit};
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Size), 0);
      addTestModel(7, 200);
      for (uint64_t I = 1; I < 200; ++I)
        spans(I, 2);
      std::thread([] { spans(1, 2); }).join();
      EXPECT_EQ(totals().Count, 400u);
      EXPECT_GE(counters()[unsigned(Counter::FileErrors)], 1u);
      EXPECT_EQ(snapshot(Folder.file("s.tprof")), EFBIG);
    });
    std::vector<std::string> Names = Folder.names();
    EXPECT_EQ(std::count(Names.begin(), Names.end(), "s.tprof"), 0);
    if (std::count(Names.begin(), Names.end(), "p.tprof")) {
      ReadProfile P = readProfile(Folder.file("p.tprof")); // well formed
      EXPECT_LE(P.Header.FileBytes, Limit);
      if (P.Process.Pid) { // the counters have room
        EXPECT_EQ(recordedAndLost(P, 200), 400u);
      }
    }
  }
}

TEST(File, WarningIntoAPipeThatNobodyReadsNeverRaisesASignal) {
  TestFolder Folder;
  recordInChild(Folder.file("none/p.tprof"), [&] {
    int Ends[2];
    ASSERT_EQ(pipe(Ends), 0);
    ASSERT_EQ(dup2(Ends[1], STDERR_FILENO), STDERR_FILENO);
    close(Ends[0]);
    close(Ends[1]);
    addTestModel(7, 2);
    spans(1, 5);
    EXPECT_EQ(totals().Count, 5u);
    // One that the host waits for stays.
    sigset_t Pipe, Pending;
    sigemptyset(&Pipe);
    sigaddset(&Pipe, SIGPIPE);
    ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &Pipe, nullptr), 0);
    sigpending(&Pending);
    EXPECT_EQ(sigismember(&Pending, SIGPIPE), 0);
    ASSERT_EQ(pthread_kill(pthread_self(), SIGPIPE), 0);
    warn("of a test");
    sigpending(&Pending);
    EXPECT_EQ(sigismember(&Pending, SIGPIPE), 1);
  });
}

TEST(File, WhatDidNotFitIsAppendedAtTheExitIfItFitsThen) {
  TestFolder Folder;
  recordInChild(Folder.file("p.tprof"), [&] {
    rlimit Size{40'000, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Size), 0);
    addTestModel(7, 100);
    testing::internal::CaptureStderr();
    for (uint64_t I = 1; I < 100; ++I)
      spans(I, 2);
    std::string Warning = testing::internal::GetCapturedStderr();
    EXPECT_EQ(lines(Warning), 1u) << Warning;
    EXPECT_NE(Warning.find("cannot grow the profile: File too large"),
              std::string::npos)
        << Warning;
    EXPECT_EQ(flush(), EIO); // the rest is in memory
    Size.rlim_cur = RLIM_INFINITY;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Size), 0);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  for (uint32_t I = 1; I < 100; ++I)
    EXPECT_EQ(P.count(I), 2u);
  EXPECT_EQ(P.Header.State, format::FileState::Closed);
}

TEST(File, SaysHowMuchOfItIsInMemoryOnly) {
  TestFolder Folder;
  std::string Path = Folder.file("p.tprof");
  auto UnsavedIn = [](const std::string &Name) {
    return readProfile(Name).counter(Counter::UnsavedParts);
  };
  recordInChild(Path, [&] {
    addTestModel(7, 100);
    spans(1, 2);
    EXPECT_EQ(UnsavedIn(Path), 0u);
    struct stat Now;
    ASSERT_EQ(stat(Path.c_str(), &Now), 0);
    rlimit Size{rlim_t(Now.st_size), RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Size), 0);
    testing::internal::CaptureStderr();
    std::thread([] { // its lane and its cells are in memory
      for (uint64_t I = 2; I < 100; ++I)
        spans(I, 2);
    })
        .join();
    testing::internal::GetCapturedStderr();
    EXPECT_GT(UnsavedIn(Path), 0u); // as if the process was killed here
    Size.rlim_cur = RLIM_INFINITY;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Size), 0);
    EXPECT_EQ(snapshot(Folder.file("s.tprof")), 0);
  });
  EXPECT_EQ(UnsavedIn(Folder.file("s.tprof")), 0u);
  EXPECT_EQ(UnsavedIn(Path), 0u);
  EXPECT_EQ(recordedAndLost(readProfile(Folder.file("s.tprof")), 100), 198u);
}

TEST(File, WhatComesAfterAFullMomentIsReadable) {
  TestFolder Folder;
  std::string Path = Folder.file("p.tprof");
  recordInChild(Path, [&] {
    addTestModel(7, 100);
    spans(1, 2);
    struct stat Now;
    ASSERT_EQ(stat(Path.c_str(), &Now), 0);
    std::thread([&] {
      rlimit Size{rlim_t(Now.st_size), RLIM_INFINITY};
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Size), 0);
      testing::internal::CaptureStderr();
      spans(2, 2); // this thread's lane and its first cells are in memory
      testing::internal::GetCapturedStderr();
      Size.rlim_cur = RLIM_INFINITY;
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Size), 0);
      for (uint64_t I = 3; I < 100; ++I)
        spans(I, 2);
    }).join();
    spans(1, 2);
    std::thread([] { spans(2, 2); }).join();
  });
  ReadProfile P = readProfile(Path);
  EXPECT_EQ(P.count(1), 4u);
  EXPECT_EQ(P.count(2), 4u);
  for (uint32_t I = 3; I < 100; ++I)
    EXPECT_EQ(P.count(I), 2u);
  EXPECT_EQ(P.counter(Counter::LostNoRoom), 0u);
}

TEST(File, SpansOfAModelThatHasNoRoomAreLost) {
  TestFolder Folder;
  std::string Path = Folder.file("p.tprof");
  recordInChild(Path, [&] {
    addTestModel(7, 3);
    addTestModel(8, 3000);
    addTestModel(9, 3);
    spans(1, 2);
    struct stat Now;
    ASSERT_EQ(stat(Path.c_str(), &Now), 0);
    rlimit Size{rlim_t(Now.st_size), RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Size), 0);
    testing::internal::CaptureStderr();
    // The log and the first cells are in the file, and have room; only the
    // last spans are still in the log in the end.
    for (uint64_t Model : {8, 9, 8})
      for (unsigned I = 0; I < 10'000; ++I)
        endSpan(beginSpan(site(Model, 1)), site(Model, 1));
    testing::internal::GetCapturedStderr();
    // At the exit there is room for the smaller model.
    Size.rlim_cur += 4096;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Size), 0);
  });
  ReadProfile P = readProfile(Path);
  ASSERT_EQ(P.Models.size(), 2u);
  EXPECT_EQ(P.count(1), 2u);
  EXPECT_EQ(P.Models[1].ModelId, 9u);
  EXPECT_EQ(P.count(number(P.Models[1].FirstSlot) + 1), 10'000u);
  EXPECT_EQ(P.counter(Counter::LostNoRoom), 20'000u);
}

TEST(File, FullDiskIsOneWarningAndTheHostGoesOn) {
  TestFolder Folder;
  std::string Disk = Folder.file("disk");
  ASSERT_EQ(mkdir(Disk.c_str(), 0755), 0);
  if (mount("tmpfs", Disk.c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "mounting needs root";
  record(Disk + "/p.tprof", [&] {
    addTestModel(7, 300);
    testing::internal::CaptureStderr();
    for (uint64_t I = 1; I < 300; ++I)
      spans(I, 2);
    std::string Warning = testing::internal::GetCapturedStderr();
    EXPECT_EQ(lines(Warning), 1u) << Warning;
    EXPECT_NE(Warning.find("No space left on device"), std::string::npos)
        << Warning;
    EXPECT_EQ(totals().Count, 598u);
  });
  ReadProfile P = readProfile(Disk + "/p.tprof");
  EXPECT_GE(P.counter(Counter::FileErrors), 1u);
  EXPECT_EQ(recordedAndLost(P, 300), 598u);
  umount(Disk.c_str());
}

TEST(File, DescriptorTakenOverByTheHostIsNeverGrown) {
  TestFolder Folder;
  std::string Profile = Folder.file("p.tprof"),
              Precious = Folder.file("precious");
  auto Bytes = [](const std::string &Path) {
    struct stat Status;
    return stat(Path.c_str(), &Status) == 0 ? Status.st_size : -1;
  };
  recordInChild(Profile, [&] {
    addTestModel(7, 3);
    spans(1, 1);
    for (int Fd = 3; Fd < 256; ++Fd) // as daemons do
      close(Fd);
    int Mine[8];
    for (int &Fd : Mine)
      Fd = open(Precious.c_str(), O_RDWR | O_CREAT, 0600);
    off_t Before = Bytes(Profile);
    std::thread([] { spans(2, 1); }).join(); // whose log needs room
    EXPECT_GT(Bytes(Profile), Before);
  });
  EXPECT_EQ(Bytes(Precious), 0);
  EXPECT_EQ(readProfile(Profile).count(2), 1u);
}

TEST(File, ClosedFileIsGrownUnderTheNameThatItHasByThen) {
  TestFolder Folder;
  std::string First = Folder.file("p.tprof"), Then = Folder.file("a b.tprof");
  recordInChild(First, [&] {
    addTestModel(7, 3);
    spans(1, 1);
    for (int Fd = 3; Fd < 256; ++Fd)
      close(Fd);
    ASSERT_EQ(rename(First.c_str(), Then.c_str()), 0);
    std::ofstream(First) << "of another process";
    testing::internal::CaptureStderr();
    std::thread([] { spans(2, 1); }).join(); // whose log needs room
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  });
  EXPECT_EQ(readProfile(Then).count(2), 1u);
  struct stat Status;
  ASSERT_EQ(stat(First.c_str(), &Status), 0);
  EXPECT_EQ(Status.st_size, 18);
}

TEST(File, PathStaysRightWhenTheHostChangesItsFolder) {
  TestFolder Folder;
  recordInChild("relative.tprof", [&] {
    ASSERT_EQ(chdir(Folder.path().c_str()), 0);
    addTestModel(7, 100);
    spans(1, 1);
    ASSERT_EQ(chdir("/"), 0);
    EXPECT_EQ(profilePath(), Folder.file("relative.tprof"));
    for (uint64_t I = 2; I < 100; ++I)
      spans(I, 1);
  });
  EXPECT_EQ(readProfile(Folder.file("relative.tprof")).count(99), 1u);
}

/// A mapping of four MiB and more: begin, offset in the file, and whether the
/// kernel shows that it was asked for huge pages.
struct LargeMapping {
  uint64_t Begin, Offset;
  bool IsAsked;
};

/// Those whose line in /proc/self/smaps has \p Text in it.
static std::vector<LargeMapping> largeMappings(const std::string &Text) {
  std::vector<LargeMapping> Found;
  std::ifstream Maps("/proc/self/smaps");
  bool IsLarge = false;
  for (std::string Line; std::getline(Maps, Line);) {
    unsigned long Begin, End, Offset;
    if (sscanf(Line.c_str(), "%lx-%lx %*s %lx", &Begin, &End, &Offset) == 3) {
      IsLarge = Line.find(Text) != std::string::npos && End - Begin >= 4 << 20;
      if (IsLarge)
        Found.push_back({Begin, Offset, false});
    } else if (IsLarge && Line.rfind("VmFlags:", 0) == 0) {
      Found.back().IsAsked = Line.find(" hg") != std::string::npos;
    }
  }
  return Found;
}

/// Whether a mapping that was asked for huge pages is shown as such: not by a
/// kernel without them, nor under qemu-user 7.2, which does not ask for them.
static bool showsRequestsForHugePages() {
  int Descriptor = memfd_create("huge-pages", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(Descriptor, 4 << 20), 0);
  void *Asked = mmap(nullptr, 4 << 20, PROT_READ, MAP_SHARED, Descriptor, 0);
  madvise(Asked, 4 << 20, MADV_HUGEPAGE);
  std::vector<LargeMapping> Found = largeMappings("memfd:huge-pages");
  EXPECT_EQ(Found.size(), 1u);
  munmap(Asked, 4 << 20);
  close(Descriptor);
  return !Found.empty() && Found[0].IsAsked;
}

TEST(File, LargeSegmentsLieWhereTheKernelCanUseHugePages) {
  TestFolder Folder;
  recordInChild(Folder.file("p.tprof"), [&] {
    ASSERT_EQ(setOption("mode", "trace"), 0);
    ASSERT_EQ(setOption("trace_events", "262144"), 0); // 8 MiB
    bool AreShown = showsRequestsForHugePages();
    addTestModel(7, 2);
    auto OnThreads = [] { std::thread([] { spans(1, 300'000); }).join(); };
    spans(1, 1);
    OnThreads();
    OnThreads();
    std::vector<LargeMapping> Found = largeMappings(profilePath());
    ASSERT_EQ(Found.size(), 2u); // the second thread continued the first's
    for (const LargeMapping &M : Found) {
      EXPECT_EQ(M.Begin % (2 << 20), M.Offset % (2 << 20));
      EXPECT_EQ(M.IsAsked, AreShown);
    }
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(1), 600'001u);
}

TEST(File, ExecInheritsNeitherMappingNorDescriptor) {
  TestFolder Folder;
  std::string Links = Folder.file("links");
  recordInChild(Folder.file("p.tprof"), [&] {
    addTestModel(7, 2);
    spans(1, 1);
    std::string Command = "(ls -l /proc/$$/fd; cat /proc/$$/maps) > " + Links;
    execl("/bin/sh", "sh", "-c", Command.c_str(), nullptr);
  });
  std::ifstream File(Links);
  std::string Text{std::istreambuf_iterator<char>(File), {}};
  EXPECT_NE(Text, "");
  EXPECT_EQ(Text.find("tprof"), std::string::npos) << Text;
}

TEST(File, WhatIsPrintedWhereStandardStreamsAreClosedIsNotInTheFile) {
  TestFolder Folder;
  std::ofstream(Folder.file("p.tprof")) << "taken"; // which is a note
  std::ofstream(Folder.file("s.tprof")) << "taken";
  recordInChild(Folder.file("p.tprof"), [&] {
    for (int Stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      close(Stream);
    addTestModel(7, 2);
    spans(1, 5);
    EXPECT_EQ(snapshot(Folder.file("s.tprof")), 0);
    warn("of a test");
    EXPECT_EQ(fcntl(STDERR_FILENO, F_GETFD), -1);
  });
  EXPECT_EQ(readProfile(Folder.file("p.1.tprof")).count(1), 5u);
  EXPECT_EQ(readProfile(Folder.file("s.1.tprof")).count(1), 5u);
}

TEST(File, ProbesAfterTheExitHandlerGoOnRecording) {
  TestFolder Folder;
  recordInChild(Folder.file("p.tprof"), [] {
    // Handlers run in reverse order: this one after the collector's.
    atexit([] { spans(1, 3); });
    addTestModel(7, 2);
    spans(1, 2);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.Header.State, format::FileState::Closed);
  EXPECT_EQ(P.count(1), 5u);
}
