//===- TestSupport.cpp - profiles of child processes ----------------------===//

#include "TestSupport.h"
#include "torchprof/format/LiveReader.h"
#include "torchprof/format/Manifest.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
/// Cases run in children, some of which start threads after threads forked.
extern "C" const char *__tsan_default_options() { return "die_after_fork=0"; }
#endif

namespace torchprof::test {

using namespace format;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads fixed-size records from a file's bytes; running over the end fails.
class Bytes {
public:
  explicit Bytes(const std::string &Path) {
    std::ifstream File(Path, std::ios::binary);
    Data.assign(std::istreambuf_iterator<char>(File), {});
  }
  template <typename T> T at(uint64_t Offset) const {
    T Record{};
    if (Offset + sizeof(T) > Data.size()) {
      ADD_FAILURE() << "record at " << Offset << " runs over the end";
      return Record;
    }
    memcpy(static_cast<void *>(&Record), Data.data() + Offset, sizeof(T));
    return Record;
  }
  std::string text(uint64_t Offset, uint64_t Length) const {
    return Offset + Length <= Data.size() ? Data.substr(Offset, Length) : "";
  }

private:
  std::string Data;
};
} // namespace

static void readSegment(ReadProfile &P, const Bytes &B, uint64_t Offset,
                        const SegmentHeader &Head) {
  uint64_t Payload = Offset + sizeof(SegmentHeader);
  switch (Head.Type) {
  case SegmentType::Process:
    P.Process = B.at<ProcessRecord>(Payload);
    break;
  case SegmentType::Manifest: {
    P.Models.push_back(B.at<ModelRecord>(Payload));
    P.Manifests.push_back(
        B.text(Payload + sizeof(ModelRecord), P.Models.back().TextBytes));
    break;
  }
  case SegmentType::Clock: {
    auto Clock = B.at<ClockRecord>(Payload);
    for (uint32_t I = 0; I < Clock.Count; ++I)
      P.Anchors.push_back(B.at<ClockAnchor>(Payload + sizeof(ClockRecord) +
                                            I * sizeof(ClockAnchor)));
    break;
  }
  case SegmentType::Lane:
    P.Lanes.push_back(B.at<LaneRecord>(Payload));
    break;
  case SegmentType::Cells: {
    auto Cells = B.at<CellsRecord>(Payload);
    EXPECT_LE(Cells.Used, Cells.Capacity);
    for (uint32_t I = 0; I < Cells.Used; ++I) {
      auto C = B.at<Cell>(Offset + CellsOffset + I * sizeof(Cell));
      if (C.Epoch == P.Header.Generation)
        P.Cells.push_back({Head.Lane, C});
    }
    break;
  }
  case SegmentType::Runs: {
    auto Runs = B.at<RunsRecord>(Payload);
    ReadProfile::RunsOf R{Head.Lane, Runs.Slot, Runs.Count, {}};
    for (uint64_t I = 0; I < Runs.Count && I < Runs.Capacity; ++I)
      R.Samples.push_back(B.at<RunSample>(Payload + sizeof(RunsRecord) +
                                          I * sizeof(RunSample)));
    P.Runs.push_back(R);
    break;
  }
  case SegmentType::Trace: {
    ReadProfile::TraceOf T{Head.Lane, B.at<TraceRecord>(Payload), {}};
    if (T.Head.Epoch != P.Header.Generation)
      T.Head.Written = 0;
    for (uint64_t I = 0; I < T.Head.Written && I < T.Head.Capacity; ++I)
      T.Events.push_back(
          B.at<TraceEvent>(Offset + TraceOffset + I * sizeof(TraceEvent)));
    P.Traces.push_back(T);
    break;
  }
  case SegmentType::Regions:
  case SegmentType::Groups: {
    auto Regions = B.at<RegionsRecord>(Payload);
    for (uint32_t I = 0; I < Regions.Used; ++I) {
      auto R =
          B.at<RegionRecord>(Offset + RegionsOffset + I * sizeof(RegionRecord));
      (Head.Type == SegmentType::Regions ? P.Regions : P.Groups)[R.Slot] =
          R.Name;
    }
    break;
  }
  }
}

ReadProfile readProfile(const std::string &Path) {
  ReadProfile P;
  Bytes B(Path);
  P.Header = B.at<FileHeader>(0);
  EXPECT_EQ(memcmp(P.Header.Magic, FileMagic, sizeof(FileMagic)), 0) << Path;
  uint64_t Offset = P.Header.HeaderBytes;
  uint32_t Index = 0;
  while (Offset < P.Header.FileBytes) {
    auto Head = B.at<SegmentHeader>(Offset);
    EXPECT_EQ(Head.Magic, SegmentMagic);
    EXPECT_EQ(Head.Index, Index);
    if (Head.Magic != SegmentMagic || Head.Bytes < PageBytes)
      break;
    readSegment(P, B, Offset, Head);
    Offset += Head.Bytes;
    ++Index;
  }
  EXPECT_EQ(P.Header.SegmentCount, Index);
  EXPECT_EQ(P.Header.FileBytes, Offset);
  return P;
}

void expectWhole(const Cell &C) {
  EXPECT_EQ(C.Word % 2, 0u);
  EXPECT_GE(C.Begins, C.Word / 2);
  uint64_t InHistogram = 0;
  for (unsigned I = 0; I < HistogramBuckets; ++I)
    InHistogram += histogramCount(C, I);
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
    if (C.Data.Slot == Slot)
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

const Cell &ReadProfile::cell(uint32_t Slot) const {
  static const Cell None{};
  const Cell *Found = nullptr;
  for (const CellOf &C : Cells)
    if (C.Data.Slot == Slot) {
      EXPECT_EQ(Found, nullptr) << "slot " << Slot << " has several cells";
      Found = &C.Data;
    }
  EXPECT_NE(Found, nullptr) << "slot " << Slot << " has no cell";
  return Found ? *Found : None;
}

uint32_t ReadProfile::region(const std::string &Name) const {
  for (const auto &[Slot, Text] : Regions)
    if (Text == Name)
      return Slot;
  return NoSlot;
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
