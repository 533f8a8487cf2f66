//===- FormatTest.cpp - the layout that docs/profile-format.md describes --===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <cstddef>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

TEST(Format, OffsetsAreThoseOfTheDocumentation) {
  EXPECT_EQ(offsetof(FileHeader, State), 20u);
  EXPECT_EQ(offsetof(FileHeader, FileBytes), 24u);
  EXPECT_EQ(offsetof(FileHeader, SegmentCount), 32u);
  EXPECT_EQ(offsetof(FileHeader, Epoch), 40u);
  EXPECT_EQ(offsetof(FileHeader, ResetTicks), 48u);
  EXPECT_EQ(offsetof(SegmentHeader, Bytes), 8u);
  EXPECT_EQ(offsetof(SegmentHeader, PayloadBytes), 16u);
  EXPECT_EQ(offsetof(SegmentHeader, Lane), 28u);
  EXPECT_EQ(offsetof(ProcessRecord, Clock), 40u);
  EXPECT_EQ(offsetof(ProcessRecord, NominalTicksPerSecond), 48u);
  EXPECT_EQ(offsetof(ProcessRecord, PairOffsetTicksX16), 72u);
  EXPECT_EQ(offsetof(ProcessRecord, Host), 80u);
  EXPECT_EQ(offsetof(ProcessRecord, Command), 144u);
  EXPECT_EQ(offsetof(ProcessRecord, Runtime), 656u);
  EXPECT_EQ(offsetof(ProcessRecord, Framework), 720u);
  EXPECT_EQ(offsetof(ProcessRecord, Schedule), 784u);
  EXPECT_EQ(offsetof(ProcessRecord, Counters), 912u);
  EXPECT_EQ(offsetof(LaneRecord, Thread), 8u);
  EXPECT_EQ(offsetof(LaneRecord, Name), 24u);
  EXPECT_EQ(offsetof(Cell, Word), 8u);
  EXPECT_EQ(offsetof(Cell, Folded), 16u);
  EXPECT_EQ(offsetof(Cell, Begins), 24u);
  EXPECT_EQ(offsetof(Cell, Sum), 32u);
  EXPECT_EQ(offsetof(Cell, Min), 48u);
  EXPECT_EQ(offsetof(Cell, Nested), 88u);
  EXPECT_EQ(offsetof(Cell, Gradients), 96u);
  EXPECT_EQ(offsetof(Cell, Pairs), 72u);
  EXPECT_EQ(offsetof(Cell, First), 104u);
  EXPECT_EQ(offsetof(Cell, Histogram), 144u);
  EXPECT_EQ(offsetof(LogRecord, Written), 0u);
  EXPECT_EQ(offsetof(LogRecord, Current), 16u);
  EXPECT_EQ(offsetof(LogRecord, Folded), 64u);
  EXPECT_EQ(offsetof(LogRecord, UndoNumber), 72u);
  EXPECT_EQ(offsetof(LogRecord, Spans), 112u);
  EXPECT_EQ(offsetof(LogRecord, Keep), 128u);
  EXPECT_EQ(offsetof(LogRecord, Capacity), 160u);
  EXPECT_EQ(offsetof(LogRecord, UndoCut), 168u);
  EXPECT_EQ(offsetof(LogRecord, UndoPairs), 184u);
  EXPECT_EQ(offsetof(LogRecord, UndoCount), 192u);
  EXPECT_EQ(offsetof(DynamicSite, NameOffset), 16u);
  EXPECT_EQ(offsetof(PlanEvent, Kind), 8u);
  EXPECT_EQ(offsetof(PlanEvent, BeginTicks), 16u);
  EXPECT_EQ(offsetof(PlanEvent, Thread), 40u);
  EXPECT_EQ(offsetof(PlanEvent, Groups), 56u);
  EXPECT_EQ(offsetof(PlanEvent, Flags), 60u);
  EXPECT_EQ(offsetof(PlanEvent, Caller), 64u);
  EXPECT_EQ(offsetof(LoadEvent, Thread), 16u);
  EXPECT_EQ(offsetof(LoadEvent, Name), 24u);
  EXPECT_EQ(offsetof(MeasuresRecord, Measures), 16u);
  EXPECT_EQ(offsetof(MeasureRecord, Name), 16u);
  EXPECT_EQ(offsetof(MeasureCell, Sum), 24u);
  EXPECT_EQ(offsetof(MeasureCell, Max), 64u); // its second line
  EXPECT_EQ(offsetof(MeasureCell, Nested), 96u);
}

/// Sixteen bytes per line, as `xxd -g1` prints them but without the text.
static std::string dump(const std::string &Bytes, uint64_t From,
                        uint64_t Count) {
  std::string Out;
  char Piece[16];
  for (uint64_t I = 0; I < Count; ++I) {
    if (I % 16 == 0) {
      snprintf(Piece, sizeof(Piece),
               "%08llx:", static_cast<unsigned long long>(From + I));
      Out += Piece;
    }
    snprintf(Piece, sizeof(Piece), " %02x", uint8_t(Bytes[From + I]));
    Out += Piece;
    if (I % 16 == 15)
      Out += '\n';
  }
  return Out;
}

TEST(Format, WorkedExampleIsInTheDocumentation) {
  TestFolder Folder;
  std::string Path = Folder.file("p.tprof");
  record(Path, [] {
    useTestClock(1000);
    addTestModel(7, 2);
    span(site(7, 1), 100);
    totals(); // folds
    span(site(7, 1), 300);
  });
  std::ifstream File(Path, std::ios::binary);
  std::string Bytes{std::istreambuf_iterator<char>(File), {}};
  ASSERT_EQ(Bytes.size(), 188416u);
  std::ifstream Page(TORCHPROF_DOCS "/profile-example.md");
  std::string Text{std::istreambuf_iterator<char>(Page), {}};
  constexpr uint64_t Log = 0x4000, Cells = 0x26000, First = Cells + 2048;
  for (auto [From, Count] : {std::pair<uint64_t, uint64_t>{0, 48},
                             {Log + 64, 32},
                             {Log + 128, 80},
                             {Log + 4096, 64},
                             {Cells, 48},
                             {First, 152},
                             {First + 144 + 4 * 20, 16}}) {
    std::string Wanted = dump(Bytes, From, Count);
    EXPECT_NE(Text.find(Wanted), std::string::npos)
        << "not in profile-example.md:\n"
        << Wanted;
  }
}
