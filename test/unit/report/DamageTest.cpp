//===- DamageTest.cpp - files that are not what they were -----------------===//
//
// Every length of truncation and many random changes of a file with every
// segment: an error that names the place, or a salvaged prefix with a warning.
// Sanitizers make this test sharper; without them it finds crashes and hangs.
//
//===----------------------------------------------------------------------===//

#include "../../../tools/torchprof-report/Profile/ProfileReader.h"
#include "ExerciseReader.h"
#include "TestProfiles.h"

#include "gtest/gtest.h"

#include <random>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;
using namespace torchprof::report::test;

namespace {

TEST(Damage, EveryTruncation) {
  std::string Whole = bytesOf(everySegment());
  unsigned Errors = 0, Salvaged = 0;
  for (size_t Length = 0; Length < Whole.size(); ++Length) {
    auto Cut = MemoryBuffer::getMemBuffer(StringRef(Whole).take_front(Length),
                                          "cut.tprof", false);
    Expected<Profile> P = readProfile(std::move(Cut));
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
  std::string Whole = bytesOf(everySegment());
  for (size_t Length = 0; Length <= Whole.size(); Length += 512)
    exerciseReader(StringRef(Whole).take_front(Length));
}

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
  RecordProperty("figure", "6000 files with 1 to 4 flipped bits");
  std::string Whole = bytesOf(everySegment());
  std::mt19937_64 Random(20260101);
  for (unsigned Round = 0; Round < 6000; ++Round) {
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
  RecordProperty("figure", "6000 files with an extreme number somewhere");
  std::string Whole = bytesOf(everySegment());
  std::mt19937_64 Random(7);
  const uint64_t Extremes[] = {0,          1,           0x7fffffff,
                               0xffffffff, UINT64_MAX,  uint64_t(1) << 63,
                               4096,       Whole.size()};
  for (unsigned Round = 0; Round < 6000; ++Round) {
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
