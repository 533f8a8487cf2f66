//===- DamageTest.cpp - files that are not what they were -----------------===//
//
// Every length of truncation and many random changes of a file with every
// segment: an error that names the place, or a salvaged prefix with a warning.
// Sanitizers make this test sharper; without them it finds crashes and hangs.
//
//===----------------------------------------------------------------------===//

#include "../../../tools/torchprof-report/Profile/ProfileReader.h"
#include "../IsSanitized.h"
#include "ExerciseReader.h"
#include "TestProfiles.h"

#include "gtest/gtest.h"

#include <random>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;
using namespace torchprof::report::test;

namespace {

/// What the segments have that are whole in the first bytes of a file.
struct Held {
  uint64_t Segments = 0, Models = 0, Lanes = 0, Cells = 0, Events = 0;

  bool hasRecords() const { return Cells || Events; }
};

Held heldIn(StringRef Bytes) {
  Held H;
  format::SegmentHeader Head;
  size_t At = format::PageBytes;
  while (At + sizeof(Head) <= Bytes.size()) {
    memcpy(&Head, Bytes.data() + At, sizeof(Head));
    if (Head.Bytes > Bytes.size() - At)
      break;
    ++H.Segments;
    H.Models += Head.Type == format::SegmentType::Manifest;
    H.Lanes += Head.Type == format::SegmentType::Lane;
    if (Head.Type == format::SegmentType::Cells) {
      format::CellsRecord Record;
      memcpy(&Record, Bytes.data() + At + sizeof(Head), sizeof(Record));
      H.Cells += Record.Used;
    }
    if (Head.Type == format::SegmentType::Log) {
      format::LogRecord Record;
      memcpy(&Record, Bytes.data() + At + sizeof(Head), sizeof(Record));
      H.Events += Record.Written; // each is a short span
    }
    At += Head.Bytes;
  }
  return H;
}

void expectAll(const Profile &P, const Held &H) {
  EXPECT_EQ(P.SegmentCount, H.Segments);
  EXPECT_EQ(P.Models.size(), H.Models);
  EXPECT_EQ(P.Lanes.size(), H.Lanes);
  uint64_t Cells = 0, Events = 0;
  for (const Lane &L : P.Lanes) {
    for (ArrayRef<format::Cell> Some : L.Cells)
      Cells += Some.size();
    for (const TraceBuffer &T : L.Traces)
      Events += T.Events.size();
  }
  EXPECT_EQ(Cells, H.Cells);
  EXPECT_EQ(Events, H.Events);
}

/// The first \p Bytes of a file.
std::unique_ptr<MemoryBuffer> firstOf(StringRef Whole, size_t Bytes) {
  return MemoryBuffer::getMemBufferCopy(Whole.take_front(Bytes), "live.tprof");
}

TEST(LiveFile, ThatHasGrownSinceItWasOpenedIsNotCutShort) {
  std::string Whole = bytesOf(everySegment());
  for (size_t Before : {size_t(0), size_t(format::PageBytes),
                        Whole.size() - format::PageBytes}) {
    unsigned Opened = 0;
    Profile P = cantFail(
        readProfile(firstOf(Whole, Before),
                    [&]() -> ErrorOr<std::unique_ptr<MemoryBuffer>> {
                      // It has grown meanwhile, again.
                      return firstOf(Whole, ++Opened == 1 ? Whole.size() - 1
                                                          : Whole.size());
                    }));
    EXPECT_EQ(Opened, 2u);
    EXPECT_FALSE(P.Damaged);
    EXPECT_TRUE(P.Warnings.empty());
    expectAll(P, heldIn(Whole));
  }
}

TEST(LiveFile, ThatIsCutShortIsOpenedOnceMore) {
  std::string Whole = bytesOf(everySegment());
  size_t Bytes = Whole.size() - format::PageBytes;
  for (bool IsGone : {false, true}) {
    unsigned Opened = 0;
    Profile P = cantFail(readProfile(
        firstOf(Whole, Bytes), [&]() -> ErrorOr<std::unique_ptr<MemoryBuffer>> {
          ++Opened;
          if (IsGone)
            return std::make_error_code(std::errc::no_such_file_or_directory);
          return firstOf(Whole, Bytes);
        }));
    EXPECT_EQ(Opened, 1u);
    EXPECT_TRUE(P.Damaged);
    expectAll(P, heldIn(StringRef(Whole).take_front(Bytes)));
  }
}

TEST(Damage, EveryTruncation) {
  std::string Whole = bytesOf(everySegment());
  unsigned Errors = 0, Salvaged = 0;
  for (size_t Length = 0; Length < Whole.size(); ++Length) {
    auto Cut = MemoryBuffer::getMemBuffer(StringRef(Whole).take_front(Length),
                                          "cut.tprof", false);
    Held H = heldIn(Cut->getBuffer());
    Expected<Profile> P = readProfile(std::move(Cut));
    EXPECT_EQ(!P, !H.hasRecords()) << Length; // nothing was recorded before it
    if (!P) {
      std::string Text = toString(P.takeError());
      EXPECT_EQ(Text.rfind("cut.tprof: ", 0), 0u) << Text;
      EXPECT_TRUE(StringRef(Text).contains("cut short") || Length == 0) << Text;
      ++Errors;
      continue;
    }
    ++Salvaged;
    EXPECT_TRUE(P->Damaged);
    ASSERT_FALSE(P->Warnings.empty());
    EXPECT_NE(P->Warnings[0].find("offset " + std::to_string(Length)),
              std::string::npos)
        << P->Warnings[0];
    expectAll(*P, H);
  }
  // Both kinds of answer are given, and the whole file is fine.
  EXPECT_GT(Errors, format::PageBytes);
  EXPECT_GT(Salvaged, format::PageBytes);
  EXPECT_EQ(exerciseReader(Whole), "");
  RecordProperty("figure", std::to_string(Whole.size()) + " truncations of a " +
                               "file of " + std::to_string(Whole.size()) +
                               " bytes");
}

TEST(Damage, TruncationsAtPagesAreUsable) {
  Profile Several = everySegment();
  for (uint32_t Number = 1; Number < 3; ++Number) {
    Lane Copy = Several.Lanes.front();
    Copy.Record.Lane = Number;
    Several.Lanes.push_back(Copy);
  }
  std::string Whole = bytesOf(Several);
  Held H;
  for (size_t Length = 0; Length <= Whole.size(); Length += 512) {
    StringRef Cut = StringRef(Whole).take_front(Length);
    H = heldIn(Cut);
    std::string Text = exerciseReader(Cut);
    EXPECT_EQ(Text.empty(), H.hasRecords()) << Length << ": " << Text;
    if (H.hasRecords())
      expectAll(cantFail(readProfile(
                    MemoryBuffer::getMemBuffer(Cut, "cut.tprof", false))),
                H);
  }
  EXPECT_EQ(H.Models, 1u);
  EXPECT_EQ(H.Lanes, 3u);
  EXPECT_EQ(H.Cells, 6u);
  EXPECT_EQ(H.Events, 9u);
}

/// The profile fuzzer, which sanitizers check, goes on where these end.
constexpr unsigned Rounds = IsSanitized ? 1500 : 6000;

/// A position that matters: most of a file is padding.
size_t interesting(std::mt19937_64 &Random, size_t Size) {
  size_t Page = Random() % (Size / format::PageBytes) * format::PageBytes;
  switch (Random() % 4) {
  case 0:
    return Page + Random() % 128;
  case 1:
    return Page + Random() % 1600;
  case 2:
    return Random() % 64; // the file's header
  default:
    return Random() % Size;
  }
}

TEST(Damage, BitFlips) {
  RecordProperty("figure",
                 std::to_string(Rounds) + " files with 1 to 4 flipped bits");
  std::string Whole = bytesOf(everySegment());
  std::mt19937_64 Random(20260101);
  for (unsigned Round = 0; Round < Rounds; ++Round) {
    std::string Bytes = Whole;
    for (unsigned Flips = 1 + Random() % 4; Flips; --Flips)
      Bytes[interesting(Random, Bytes.size())] ^=
          static_cast<char>(1 << Random() % 8);
    std::string Error = exerciseReader(Bytes);
    EXPECT_TRUE(Error.empty() || Error.rfind("damaged.tprof: ", 0) == 0)
        << Error;
  }
}

TEST(Damage, ExtremeNumbers) {
  RecordProperty("figure", std::to_string(Rounds) +
                               " files with an extreme number somewhere");
  std::string Whole = bytesOf(everySegment());
  std::mt19937_64 Random(7);
  const uint64_t Extremes[] = {0,          1,           0x7fffffff,
                               0xffffffff, UINT64_MAX,  uint64_t(1) << 63,
                               4096,       Whole.size()};
  for (unsigned Round = 0; Round < Rounds; ++Round) {
    std::string Bytes = Whole;
    size_t Place = interesting(Random, Bytes.size() - 8) & ~size_t(3);
    uint64_t Number = Extremes[Random() % std::size(Extremes)];
    memcpy(&Bytes[Place], &Number, Random() % 2 ? 4 : 8);
    exerciseReader(Bytes);
  }
}

TEST(Damage, NamesTheSegment) {
  std::string Bytes = bytesOf(everySegment());
  // The second segment's magic.
  Bytes[2 * format::PageBytes] = 'x';
  std::string Error = exerciseReader(Bytes);
  EXPECT_EQ(Error, "damaged.tprof: offset 8192: no segment begins here: "
                   "expected its magic number 0x47455354, found 0x47455378");
}

} // namespace
