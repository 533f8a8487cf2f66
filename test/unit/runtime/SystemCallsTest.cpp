//===- SystemCallsTest.cpp - a host whose filter allows little ------------===//
//
// People make filters (seccomp) of the list of system calls in docs/runtime.md.
// Each case runs under such a filter, so the kernel kills it at any other call,
// and looks whether the page names what the filter allows.
//
//===----------------------------------------------------------------------===//

#include "../IsSanitized.h"
#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <cstddef>
#include <fstream>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

struct SystemCall {
  const char *Name;
  unsigned Number;
};

using SystemCalls = std::vector<SystemCall>;

#define CALL(NAME)                                                             \
  { #NAME, SYS_##NAME }
const SystemCalls Always = {CALL(fstat),     CALL(newfstatat), CALL(fallocate),
                            CALL(prlimit64), CALL(mmap),       CALL(madvise),
                            CALL(futex),     CALL(gettid),     CALL(getpid),
                            CALL(prctl)};
const SystemCalls OfFoldThread = {
    CALL(clone3),          CALL(rseq),          CALL(mprotect),
    CALL(set_robust_list), CALL(rt_sigaction),  CALL(sched_setscheduler),
    CALL(rt_sigprocmask),  CALL(clock_gettime),
};
const SystemCalls OfCpuTime = {CALL(clock_gettime)};
/// What the test and the C library's heap need.
const SystemCalls OfTest = {CALL(clock_nanosleep), CALL(exit_group), CALL(brk),
                            CALL(munmap)};
#undef CALL

/// From now on any other system call of this thread, and of those that it
/// starts, kills the process. False if the system has no filters.
bool allowOnly(const SystemCalls &Calls) {
  std::vector<sock_filter> Filter;
  Filter.push_back(
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (const SystemCall &Call : Calls) {
    Filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, Call.Number, 0, 1));
    Filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  Filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  sock_fprog Program{static_cast<unsigned short>(Filter.size()), Filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Program) == 0;
}

void expectOnPage(const SystemCalls &Calls) {
  std::stringstream Page;
  Page << std::ifstream(TORCHPROF_DOCS "/runtime.md").rdbuf();
  for (const SystemCall &Call : Calls)
    EXPECT_NE(Page.str().find("`" + std::string(Call.Name) + "`"),
              std::string::npos)
        << Call.Name;
}

SystemCalls operator+(SystemCalls Left, const SystemCalls &Right) {
  Left.insert(Left.end(), Right.begin(), Right.end());
  return Left;
}

constexpr unsigned SitesPerRun = 3;

void recordRun() {
  uint64_t Root = enterRoot(
      site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  for (unsigned I = 0; I < 100; ++I)
    for (unsigned S = 1; S < SitesPerRun; ++S)
      endSpan(beginSpan(site(7, S)), site(7, S));
  endSpan(Root, site(7, 0));
}

/// Records all under a filter: the first run, and those that a log is folded
/// after.
void recordWith(const SystemCalls &Calls, const char *Option,
                const char *Value) {
  if (IsSanitized)
    GTEST_SKIP() << "sanitizers make system calls of their own";
  expectOnPage(Calls);
  constexpr int NoFilters = 77;
  constexpr unsigned Runs = 200;
  TestFolder Folder;
  int Ended = runChild([&] {
    ASSERT_EQ(setOption("file", Folder.file("p.tprof")), 0);
    ASSERT_EQ(setOption(Option, Value), 0);
    ASSERT_EQ(setOption("open", "early"), 0);
    addTestModel(7, SitesPerRun);
    if (!allowOnly(Calls + OfTest))
      _exit(NoFilters);
    for (unsigned I = 0; I < Runs; ++I) {
      recordRun();
      usleep(100); // a folding thread runs out of work, and sleeps
    }
    _exit(0);
  });
  if (Ended == NoFilters)
    GTEST_SKIP() << "this system has no filters";
  EXPECT_EQ(Ended, 0);
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(0), Runs);
  EXPECT_EQ(P.count(1), Runs * 100);
}

} // namespace

TEST(SystemCalls, RunsThatFoldMakeThoseOfThePage) {
  recordWith(Always, "fold", "run");
}

TEST(SystemCalls, FoldingThreadMakesThoseOfThePage) {
  recordWith(Always + OfFoldThread, "fold", "thread");
}

TEST(SystemCalls, CpuTimeMakesThoseOfThePage) {
  recordWith(Always + OfCpuTime, "record", "cpu");
}
