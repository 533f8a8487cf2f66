//===- TestSupport.cpp - profiles for tests -------------------------------===//

#include "TestSupport.h"

#include "Profile/ProfileReader.h"
#include "torchprof/format/Manifest.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#if defined(__SANITIZE_THREAD__)
/// Cases run in children, some of which start threads after threads forked.
extern "C" const char *__tsan_default_options() { return "die_after_fork=0"; }
#endif

namespace torchprof::test {

using namespace format;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

template <typename Row> static void addLane(ReadProfile &To, const Row &L) {
  uint32_t Number = L.Record.Lane;
  To.Lanes.push_back({L.Record, L.CurrentSlot, L.CurrentTicks, L.ApartTicks});
  for (const auto &Cells : L.Cells)
    for (const Cell &C : Cells)
      if (C.Epoch == To.Header.Epoch)
        To.Cells.push_back({Number, C});
  for (const report::RunRing &R : L.Runs)
    To.Runs.push_back(
        {Number, R.Slot, R.Count, {R.Samples.begin(), R.Samples.end()}});
  for (const report::TraceBuffer &T : L.Traces) {
    To.Traces.push_back({Number, T.Keep, T.Capacity, T.Written, {}});
    for (const report::TraceEvent &E : T.Events)
      To.Traces.back().Events.push_back({E.BeginTicks, E.Ticks, E.Site});
  }
  for (const auto &M : L.Measures)
    for (const auto &C : M.Cells)
      if (C.Epoch == To.Header.Epoch)
        To.Measures.push_back(
            {Number, M.Id, {C.Site, C.Word, C.Sum, C.Max, C.Time, C.Nested}});
  for (const auto &R : L.Levels)
    for (const Level &Of : R.Entries)
      To.Levels.push_back({Number, R.OfRuns, R.Place, Of});
  for (const auto &R : L.DeviceSpans)
    To.DeviceSpans.insert(To.DeviceSpans.end(), R.Entries.begin(),
                          R.Entries.end());
  for (const auto &Cells : L.Variants)
    for (const VariantCell &C : Cells)
      if (C.Epoch == To.Header.Epoch)
        To.Variants.push_back({Number, C, ""});
}

ReadProfile readProfile(const std::string &Path) {
  ReadProfile To;
  auto Read = report::loadProfile(Path);
  if (!Read) {
    ADD_FAILURE() << llvm::toString(Read.takeError());
    return To;
  }
  for (const std::string &Warning : Read->Warnings)
    ADD_FAILURE() << Path << ": " << Warning;
  To.Header.State = Read->State;
  To.Header.FileBytes = Read->FileBytes;
  To.Header.SegmentCount = Read->SegmentCount;
  To.Header.Epoch = Read->Epoch;
  To.Process = Read->Process;
  To.Anchors = Read->Anchors;
  To.AnchorIntervalNs = Read->AnchorIntervalNs;
  for (const report::Model &M : Read->Models) {
    To.Manifests.push_back(printManifest(*M.Table));
    To.Models.push_back({M.Table->ModelId, M.FirstSlot,
                         uint32_t(M.Table->Sites.size()),
                         To.Manifests.back().size()});
  }
  for (const report::DynamicSite &D : Read->DynamicSites)
    To.Children.push_back({D.Slot, D.Parent, D.Kind, D.Flags, D.Name});
  To.Plans = Read->Plans;
  if (const auto &Books = Read->Books[unsigned(MemoryPlace::Cpu)]) {
    To.Books = Books->Totals;
    To.Accounts = Books->Accounts;
  }
  if (const auto &Books = Read->Books[unsigned(MemoryPlace::Devices)]) {
    To.DeviceBooks = Books->Totals;
    To.DeviceAccounts = Books->Accounts;
  }
  To.Loads = Read->Loads;
  for (const report::Lane &L : Read->Lanes)
    addLane(To, L);
  for (ReadProfile::VariantOf &V : To.Variants)
    for (const ReadProfile::ChildOf &C : To.Children)
      if (C.Site == V.Data.Signature && C.Kind == DynamicKind::Shape &&
          C.Parent == V.Data.Site)
        V.Signature = C.Name;
  return To;
}

BlockAccount ReadProfile::account(Slot Site, MemoryPlace Place) const {
  for (const BlockAccount &A :
       Place == MemoryPlace::Cpu ? Accounts : DeviceAccounts)
    if (A.Site == Site)
      return A;
  ADD_FAILURE() << "no account of slot " << number(Site);
  return {};
}

void expectWhole(const Cell &C) {
  EXPECT_EQ(C.Word % 2, 0u);
  EXPECT_GE(C.Begins, C.Word / 2);
  uint64_t InHistogram = 0;
  for (unsigned I = 0; I < HistogramBuckets; ++I)
    InHistogram += C.Histogram[I];
  EXPECT_EQ(InHistogram, C.Word / 2);
  if (C.Word) {
    EXPECT_LE(C.Min, C.Max);
    EXPECT_LE(C.Min * (C.Word / 2), C.Sum);
    EXPECT_GE(C.Max * (C.Word / 2), C.Sum);
  }
}

template <typename Get>
static uint64_t sumOver(const ReadProfile &P, uint32_t Slot, Get Field) {
  uint64_t Sum = 0;
  for (const ReadProfile::CellOf &C : P.Cells)
    if (number(C.Data.Site) == Slot)
      Sum += Field(C);
  return Sum;
}

uint64_t ReadProfile::count(uint32_t Slot) const {
  return sumOver(*this, Slot, [](const CellOf &C) { return C.count(); });
}
uint64_t ReadProfile::begins(uint32_t Slot) const {
  return sumOver(*this, Slot, [](const CellOf &C) { return C.Data.Begins; });
}
uint64_t ReadProfile::cut(uint32_t Slot) const {
  return sumOver(*this, Slot, [](const CellOf &C) { return C.Data.Cut; });
}
uint64_t ReadProfile::sum(uint32_t Slot) const {
  return sumOver(*this, Slot, [](const CellOf &C) { return C.Data.Sum; });
}
uint64_t ReadProfile::pairs(uint32_t Slot) const {
  return sumOver(*this, Slot, [](const CellOf &C) { return C.Data.Pairs; });
}

const Cell &ReadProfile::cell(uint32_t Slot) const {
  static const Cell None{};
  const Cell *Found = nullptr;
  for (const CellOf &C : Cells)
    if (number(C.Data.Site) == Slot) {
      EXPECT_EQ(Found, nullptr) << "slot " << Slot << " has several cells";
      Found = &C.Data;
    }
  EXPECT_NE(Found, nullptr) << "slot " << Slot << " has no cell";
  return Found ? *Found : None;
}

const ReadProfile::ChildOf &ReadProfile::child(DynamicKind Kind,
                                               const std::string &Name) const {
  static const ChildOf None{NoSlot, NoSlot, Kind, 0, ""};
  for (const ChildOf &C : Children)
    if (C.Kind == Kind && C.Name == Name)
      return C;
  ADD_FAILURE() << "no child of the name " << Name;
  return None;
}

const ReadProfile::Measured &ReadProfile::measure(MeasureId Id,
                                                  uint32_t Slot) const {
  static const Measured None{};
  for (const MeasureOf &M : Measures)
    if (M.Measure == Id && number(M.Data.Site) == Slot)
      return M.Data;
  ADD_FAILURE() << "slot " << Slot << " has no such measure";
  return None;
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

TestFolder::TestFolder() {
  std::string Pattern =
      (std::filesystem::temp_directory_path() / "torchprof-test-XXXXXX")
          .string();
  EXPECT_NE(mkdtemp(Pattern.data()), nullptr);
  Path = Pattern;
}

TestFolder::~TestFolder() {
  std::error_code Ignored;
  std::filesystem::remove_all(Path, Ignored);
}

std::vector<std::string> TestFolder::names() const {
  std::vector<std::string> Names;
  for (const auto &Entry : std::filesystem::directory_iterator(Path))
    Names.push_back(Entry.path().filename().string());
  std::sort(Names.begin(), Names.end());
  return Names;
}

int runChild(const std::function<void()> &Body) {
  fflush(nullptr);
  pid_t Child = fork();
  if (Child == 0) {
    try {
      Body();
    } catch (const std::exception &Error) {
      // Unwinding further would run the rest of the tests in the child too.
      fprintf(stderr, "exception in the child: %s\n", Error.what());
      _exit(98);
    }
    exit(testing::Test::HasFailure() ? 99 : 0);
  }
  int Status = 0;
  EXPECT_EQ(waitpid(Child, &Status, 0), Child);
  return WIFSIGNALED(Status) ? -WTERMSIG(Status) : WEXITSTATUS(Status);
}

// The thread sanitizer must not be entered again from inside itself.
#if defined(__SANITIZE_THREAD__)
static constexpr bool CanStep = false;
#else
static constexpr bool CanStep = true;
#endif

unsigned stepThrough(const std::function<void()> &Before,
                     const std::function<void()> &Body,
                     const std::function<void()> &Check) {
  if (!CanStep)
    return 0;
  fflush(nullptr);
  pid_t Child = fork();
  if (Child == 0) {
    Before();
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
      _exit(1);
    raise(SIGSTOP);
    Body();
    _exit(0);
  }
  unsigned Steps = 0;
  int Status = 0;
  waitpid(Child, &Status, 0);
  for (; WIFSTOPPED(Status); ++Steps) {
    Check();
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "killed after instruction " << Steps;
      kill(Child, SIGKILL);
    }
    ptrace(PTRACE_SINGLESTEP, Child, nullptr, nullptr);
    waitpid(Child, &Status, 0);
  }
  return WIFEXITED(Status) && WEXITSTATUS(Status) == 1 ? 0 : Steps;
}

#if defined(__x86_64__)
static const std::function<void()> *Interruption;
static unsigned UntilInterruption;
static constexpr unsigned long long TrapFlag = 0x100;

static void onInstruction(int, siginfo_t *, void *Context) {
  if (UntilInterruption--)
    return;
  (*Interruption)();
  Interruption = nullptr;
  static_cast<ucontext_t *>(Context)->uc_mcontext.gregs[REG_EFL] &=
      ~static_cast<long long>(TrapFlag);
}

bool interrupt(const std::function<void()> &Body, unsigned Number,
               const std::function<void()> &Between) {
  if (!CanStep) {
    Body();
    return false;
  }
  Interruption = &Between;
  UntilInterruption = Number;
  struct sigaction Action {
  }, Before;
  Action.sa_sigaction = onInstruction;
  Action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &Action, &Before);
  __writeeflags(__readeflags() | TrapFlag);
  Body();
  __writeeflags(__readeflags() & ~TrapFlag);
  sigaction(SIGTRAP, &Before, nullptr);
  return !Interruption;
}
#else
bool interrupt(const std::function<void()> &Body, unsigned,
               const std::function<void()> &) {
  Body();
  return false;
}
#endif

std::string manifestText(uint64_t ModelId, unsigned Sites,
                         const std::string &Kind) {
  Manifest M;
  M.ModelId = ModelId;
  M.Producer = "test";
  M.Scopes.emplace_back();
  for (unsigned I = 0; I < Sites; ++I) {
    ManifestSite S;
    S.Parent = I ? 0 : NoIndex;
    S.Kind = M.intern(I ? Kind : "method");
    S.Flags = I ? 0 : uint32_t(SF_Root);
    M.Sites.push_back(S);
  }
  return printManifest(M);
}

} // namespace torchprof::test
