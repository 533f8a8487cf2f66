//===- MessageTest.cpp - what the reader says about a damaged file --------===//
//
// Each message of ProfileReader.cpp, brought about by one wrong number in a
// file with every segment, and those of the JSON form.
//
//===----------------------------------------------------------------------===//

#include "../../../tools/torchprof-report/Profile/ProfileJson.h"
#include "../../../tools/torchprof-report/Profile/ProfileReader.h"
#include "TestProfiles.h"
#include "torchprof/format/Segments.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;
using namespace torchprof::report::test;
using format::SegmentType;

namespace {

/// The error that reading \p Bytes gives, or the first warning.
std::string messageOf(StringRef Bytes) {
  Expected<Profile> P =
      readProfile(MemoryBuffer::getMemBuffer(Bytes, "x.tprof", false));
  if (!P)
    return toString(P.takeError());
  return P->Warnings.empty() ? "" : P->Warnings.front();
}

/// Start of the first segment of \p Type.
size_t segment(const std::string &Bytes, SegmentType Type) {
  size_t Offset = format::PageBytes;
  while (Offset < Bytes.size()) {
    format::SegmentHeader Header;
    memcpy(&Header, &Bytes[Offset], sizeof(Header));
    if (Header.Type == Type)
      return Offset;
    Offset += Header.Bytes;
  }
  ADD_FAILURE() << "no segment of type " << unsigned(Type);
  return 0;
}

struct WrongNumber {
  const char *Name;
  SegmentType Type;
  size_t Offset; ///< from the segment's start
  uint64_t Value;
  unsigned Bytes;
  const char *Message;
};

constexpr size_t Payload = sizeof(format::SegmentHeader);
constexpr size_t OfBytes = offsetof(format::SegmentHeader, Bytes);
constexpr size_t OfLane = offsetof(format::SegmentHeader, Lane);

template <SegmentType Type>
constexpr size_t Entries = format::SegmentLayout<Type>::EntriesOffset;

const WrongNumber WrongNumbers[] = {
    {"NoSegment", SegmentType::Clock, 0, 0x47455378, 4,
     "no segment begins here: expected its magic number 0x47455354, found "
     "0x47455378"},
    {"PartOfAPage", SegmentType::Clock, OfBytes, 5000, 8,
     "a segment of 5000 bytes, which are not whole pages"},
    {"BeyondTheEnd", SegmentType::Clock, OfBytes, uint64_t(1) << 40, 8,
     "expected a segment of 1099511627776 bytes, found only "},
    {"PayloadTooLarge", SegmentType::Clock,
     offsetof(format::SegmentHeader, PayloadBytes), 5000, 8,
     "expected a payload of at most 4032 bytes, found 5000"},
    {"ProcessNotFirst", SegmentType::Process,
     offsetof(format::SegmentHeader, Type), 3, 4,
     "the first segment is not the process but of type 3"},
    {"SecondProcess", SegmentType::Clock, offsetof(format::SegmentHeader, Type),
     1, 4, "a second process segment"},
    {"ManifestTooLong", SegmentType::Manifest,
     Payload + offsetof(format::ModelRecord, TextBytes), 9999, 8,
     "9999 entries of 1 bytes do not fit into a segment of 4096 bytes"},
    {"OtherModel", SegmentType::Manifest,
     Payload + offsetof(format::ModelRecord, ModelId), 6, 8,
     "the manifest and its record name different models or numbers of sites"},
    {"SlotsTooHigh", SegmentType::Manifest,
     Payload + offsetof(format::ModelRecord, FirstSlot), 0xfffffffe, 4,
     "slots beyond the largest one, 4294967294"},
    {"SlotTaken", SegmentType::DynamicSites,
     Entries<SegmentType::DynamicSites> + offsetof(format::DynamicSite, Site),
     1, 4, "slot 1 belongs to an earlier segment"},
    {"TooManyDynamicSites", SegmentType::DynamicSites,
     Payload + offsetof(format::DynamicSitesRecord, Used), 5000, 4,
     "expected at most 2 entries, found 5000"},
    {"NamesTooLong", SegmentType::DynamicSites,
     Payload + offsetof(format::DynamicSitesRecord, TextCapacity), 5000, 4,
     "expected at most 3920 bytes of names, found 5000"},
    {"NameTooLong", SegmentType::DynamicSites,
     Entries<SegmentType::DynamicSites> +
         offsetof(format::DynamicSite, NameBytes),
     5000, 4, "the name of slot 3 is not in the segment's text"},
    {"NameElsewhere", SegmentType::DynamicSites,
     Entries<SegmentType::DynamicSites> +
         offsetof(format::DynamicSite, NameOffset),
     0xffffffff, 4, "the name of slot 3 is not in the segment's text"},
    {"TooManyPlans", SegmentType::Plans,
     Payload + offsetof(format::EventsRecord, Used), 3, 4,
     "expected at most 2 entries, found 3"},
    {"NoRoomForPlans", SegmentType::Plans,
     Payload + offsetof(format::EventsRecord, Capacity), 42, 4,
     "42 entries of 96 bytes do not fit into a segment of 4096 bytes"},
    {"TooManyLoads", SegmentType::Loads,
     Payload + offsetof(format::EventsRecord, Used), 3, 4,
     "expected at most 2 entries, found 3"},
    {"NameOfALoadTooLong", SegmentType::Loads,
     Entries<SegmentType::Loads> + offsetof(format::LoadEvent, NameBytes), 105,
     4, "expected at most 104 bytes of a loaded file's name, found 105"},
    {"TooManyAnchors", SegmentType::Clock,
     Payload + offsetof(format::ClockRecord, Count), 5000, 4,
     "expected at most 2 entries, found 5000"},
    {"NoRoomForAnchors", SegmentType::Clock,
     Payload + offsetof(format::ClockRecord, Capacity), 5000, 4,
     "5000 entries of 32 bytes do not fit into a segment of 4096 bytes"},
    {"OtherLane", SegmentType::Lane, OfLane, 7, 4,
     "expected lane 7, found lane 0"},
    {"UnknownLane", SegmentType::Cells, OfLane, 7, 4,
     "a segment of lane 7, which is not known"},
    {"TooManyCells", SegmentType::Cells,
     Payload + offsetof(format::CellsRecord, Used), 5000, 4,
     "entries, found 5000"},
    {"NoRoomForRuns", SegmentType::Runs,
     Payload + offsetof(format::RunsRecord, Capacity), 0, 4,
     "2 runs in a ring without room"},
    {"UnknownKeep", SegmentType::Log,
     Payload + offsetof(format::LogRecord, Keep), 3, 4,
     "keep is neither 0, 1 nor 2 but 3"},
    {"NoRoomForLog", SegmentType::Log,
     Payload + offsetof(format::LogRecord, Ring), 4096, 4,
     "entries of 16 bytes do not fit into a segment of 8192 bytes"},
    {"NoRoomForKeptLog", SegmentType::Log,
     Payload + offsetof(format::LogRecord, Kept), 4096, 4,
     "entries of 16 bytes do not fit into a segment of 8192 bytes"},
    {"OddRing", SegmentType::Log, Payload + offsetof(format::LogRecord, Ring),
     3, 4, "a log of 3 entries in turn, which is no power of two"},
    {"TooManyRecords", SegmentType::Log,
     Payload + offsetof(format::LogRecord, Written), 5000, 4,
     "unfolded records in a log of"},
    {"SmallStride", SegmentType::Measures,
     Payload + offsetof(format::MeasuresRecord, Stride), 64, 4,
     "expected a stride of at least 128 bytes and whole words, found 64"},
    {"BrokenWords", SegmentType::Measures,
     Payload + offsetof(format::MeasuresRecord, Stride), 132, 4,
     "expected a stride of at least 128 bytes and whole words, found 132"},
    {"TooManyWiderCells", SegmentType::Measures,
     Payload + offsetof(format::MeasuresRecord, Stride), 4096, 4,
     "2 entries of 4096 bytes do not fit into a segment of 4096 bytes"},
    {"NoMeasures", SegmentType::Measures,
     Payload + offsetof(format::MeasuresRecord, Count), 0, 4,
     "expected 1 to 4 measures in a cell, found 0"},
    {"TooManyMeasures", SegmentType::Measures,
     Payload + offsetof(format::MeasuresRecord, Count), 5, 4,
     "expected 1 to 4 measures in a cell, found 5"},
    {"TooManyLevels", SegmentType::Levels,
     Payload + offsetof(format::LevelsRecord, Capacity), 500, 4,
     "500 entries of 32 bytes do not fit into a segment of 4096 bytes"},
    {"NoRoomForLevels", SegmentType::Levels,
     Payload + offsetof(format::LevelsRecord, Capacity), 0, 4,
     "2 levels in a ring without room"},
    {"UnknownKeepOfLevels", SegmentType::Levels,
     Payload + offsetof(format::LevelsRecord, Keep), 3, 4,
     "keep is neither 0, 1 nor 2 but 3"},
    {"UnknownPlaceOfLevels", SegmentType::Levels,
     Payload + offsetof(format::LevelsRecord, Place), 2, 2,
     "the place of memory is neither 0 nor 1 but 2"},
    {"TooManyDeviceSpans", SegmentType::DeviceSpans,
     Payload + offsetof(format::DeviceSpansRecord, Capacity), 500, 4,
     "500 entries of 32 bytes do not fit into a segment of 4096 bytes"},
    {"NoRoomForDeviceSpans", SegmentType::DeviceSpans,
     Payload + offsetof(format::DeviceSpansRecord, Capacity), 0, 4,
     "3 device spans in a ring without room"},
    {"TooManyAccounts", SegmentType::Blocks,
     Payload + offsetof(format::BlocksRecord, Used), 3, 4,
     "expected at most 2 entries, found 3"},
    {"UnknownPlaceOfBlocks", SegmentType::Blocks,
     Payload + offsetof(format::BlocksRecord, Place), 2, 2,
     "the place of memory is neither 0 nor 1 but 2"},
    {"TooManyMeasured", SegmentType::Measures,
     Payload + offsetof(format::MeasuresRecord, Used), 3, 4,
     "expected at most 2 entries, found 3"},
};

class WrongNumberTest : public testing::TestWithParam<WrongNumber> {};

TEST_P(WrongNumberTest, IsNamedWithItsPlace) {
  const WrongNumber &W = GetParam();
  std::string Bytes = bytesOf(everySegment());
  size_t Start = segment(Bytes, W.Type);
  memcpy(&Bytes[Start + W.Offset], &W.Value, W.Bytes);
  std::string Message = messageOf(Bytes);
  EXPECT_NE(Message.find("offset " + std::to_string(Start) + ": "),
            std::string::npos)
      << Message;
  EXPECT_NE(Message.find(W.Message), std::string::npos) << Message;
}

INSTANTIATE_TEST_SUITE_P(Message, WrongNumberTest,
                         testing::ValuesIn(WrongNumbers),
                         [](const testing::TestParamInfo<WrongNumber> &Info) {
                           return std::string(Info.param.Name);
                         });

/// A file whose header has another number.
template <typename T> std::string withHeader(size_t Offset, T Value) {
  std::string Bytes = bytesOf(everySegment());
  memcpy(&Bytes[Offset], &Value, sizeof(Value));
  return messageOf(Bytes);
}

TEST(Message, HeaderIsOfAnotherMachine) {
  EXPECT_EQ(withHeader(offsetof(format::FileHeader, ByteOrder), 0x04030201),
            "x.tprof: offset 12: expected a little-endian profile, found byte "
            "order mark 0x4030201");
}

TEST(Message, OtherVersions) {
  size_t Version = offsetof(format::FileHeader, Version);
  EXPECT_EQ(withHeader(Version, 4),
            "x.tprof: recorded by an older torchprof (profile format 4); "
            "record again");
  EXPECT_EQ(withHeader(Version, 6),
            "x.tprof: recorded by a newer torchprof (profile format 6); this "
            "version reads format 5");
}

TEST(Message, HeaderHasAnotherSize) {
  EXPECT_EQ(withHeader(offsetof(format::FileHeader, HeaderBytes), 512),
            "x.tprof: offset 16: expected a header of 4096 bytes, found 512");
}

TEST(Message, HeaderHasAnUnknownState) {
  EXPECT_EQ(withHeader(offsetof(format::FileHeader, State), 9),
            "offset 20: unknown file state 9");
}

TEST(Message, UsedSizeIsTooSmall) {
  EXPECT_EQ(withHeader(offsetof(format::FileHeader, FileBytes), uint64_t(100))
                .find("offset 24: expected a used size of at least 4096 bytes, "
                      "found 100"),
            0u);
}

TEST(Message, UsedSizeEndsInASegmentsHeader) {
  std::string Bytes = bytesOf(everySegment());
  size_t Last = segment(Bytes, SegmentType::Measures);
  EXPECT_EQ(
      withHeader(offsetof(format::FileHeader, FileBytes), uint64_t(Last + 32))
          .find("offset " + std::to_string(Last) +
                ": the file ends inside the header of a segment"),
      0u);
}

TEST(Message, LaneComesTwice) {
  std::string Bytes = bytesOf(everySegment());
  size_t Lane = segment(Bytes, SegmentType::Lane);
  Bytes += Bytes.substr(Lane, format::PageBytes);
  uint64_t Size = Bytes.size();
  memcpy(&Bytes[offsetof(format::FileHeader, FileBytes)], &Size, sizeof(Size));
  std::string Message = messageOf(Bytes);
  EXPECT_NE(Message.find("a second segment of lane 0"), std::string::npos)
      << Message;
}

TEST(Message, BufferIsNotAligned) {
  std::string Bytes = "x" + bytesOf(everySegment());
  std::string Message = messageOf(StringRef(Bytes).drop_front());
  EXPECT_NE(Message.find("the buffer is not aligned to 8 bytes"),
            std::string::npos)
      << Message;
}

struct WrongJson {
  const char *Name, *Text, *Message;
};

const WrongJson WrongJsons[] = {
    {"Object", R"({"process": 3})", "process: expected an object, found 3"},
    {"Array", R"({"lanes": {}})", "lanes: expected an array, found {}"},
    {"Text", R"({"process": {"host": 1}})",
     "process.host: expected a string, found 1"},
    {"Boolean", R"({"lanes": [{"cells": [{"torn": 1}]}]})",
     "lanes[0].cells[0].torn: expected true or false, found 1"},
    {"Choice", R"({"dynamic_sites": [{"kind": "x"}]})",
     "dynamic_sites[0].kind: expected one of region, group, left_out, "
     "backward, shape, operator, member, reads attributes, prepares gradients, "
     "found \"x\""},
    {"Flag", R"({"dynamic_sites": [{"flags": ["cut", "x"]}]})",
     "dynamic_sites[0].flags[1]: expected one of overflow, cut, found \"x\""},
    {"Plan", R"({"plans": [{"kind": "x"}]})",
     "plans[0].kind: expected one of profiling, optimized, plain, found "
     "\"x\""},
    {"Load", R"({"loads": [{"name": 1}]})",
     "loads[0].name: expected a string, found 1"},
    {"Counters", R"({"process": {"counters": []}})",
     "process.counters: expected an object, found []"},
    {"Counter", R"({"process": {"counters": {"lost_conflict": 1}}})",
     "process.counters: unknown member 'lost_conflict'"},
    {"Member", R"({"lanes": [{"cells": [{"slto": 1}]}]})",
     "lanes[0].cells[0]: unknown member 'slto'"},
    {"Version", R"({"version": 1})",
     "version: expected profile format 5, found 1"},
    {"Parent", R"({"models": [{"sites": [{}, {"parent": 1}]}]})",
     "models[0].sites[1].parent: expected the number of an earlier entry, "
     "found 1"},
    {"Producers", R"({"models": [{"sites": [{"producers": [1]}]}]})",
     "models[0].sites: site 1 is a producer, but does not exist"},
    {"Option", R"({"models": [{"options": [{"name": "a b"}]}]})",
     "models[0].options[0].name: expected the name of an option, found 'a b'"},
    {"SlotTaken", R"({"models": [{"sites": [{}]}],
                      "dynamic_sites": [{"slot": 0}]})",
     "dynamic_sites[0].slot: slot 0 belongs to an earlier entry"},
    {"SlotTooHigh", R"({"dynamic_sites": [{"slot": 4294967295}]})",
     "dynamic_sites[0].slot: slot 4294967295 is beyond the largest one"},
    {"Samples",
     R"({"lanes": [{"cells": [{"first": [1, 2, 3, 4, 5, 6, 7, 8]}]}]})",
     "lanes[0].cells[0].first: expected at most 5 samples, found 8"},
    {"Bucket", R"({"lanes": [{"cells": [{"histogram": {"476": 1}}]}]})",
     "lanes[0].cells[0].histogram.476: expected a number below 476, found "
     "'476'"},
    {"Tuple", R"({"lanes": [{"runs": [{"samples": [1]}]}]})",
     "lanes[0].runs[0].samples[0]: expected an array, found 1"},
    {"Pair", R"({"lanes": [{"runs": [{"samples": [[1]]}]}]})",
     "lanes[0].runs[0].samples[0]: expected 2 numbers, found 1"},
    {"Ring", R"({"lanes": [{"runs": [{"count": 2, "samples": [[1, 2]]}]}]})",
     "lanes[0].runs[0].samples: expected 2 of them, as count and capacity say, "
     "found 1"},
    {"Event", R"({"lanes": [{"traces": [{"events": [[16777216, 1, 1]]}]}]})",
     "lanes[0].traces[0].events[0][0]: expected a whole number of at most "
     "16777215, found 16777216"},
    {"Events",
     R"({"lanes": [{"traces": [{"written": 1, "capacity": 2,
                                "events": [[1, 1, 1], [1, 2, 1]]}]}]})",
     "lanes[0].traces[0].events: expected at most 1 of them, as written and "
     "capacity say, found 2"},
    {"Levels", R"({"lanes": [{"levels": [{"count": 2, "capacity": 2}]}]})",
     "lanes[0].levels[0].levels: expected 2 of them, as count and capacity "
     "say, found 0"},
    {"DeviceSpans",
     R"({"lanes": [{"device_spans": [{"count": 2, "capacity": 2}]}]})",
     "lanes[0].device_spans[0].spans: expected 2 of them, as count and "
     "capacity say, found 0"},
    {"DeviceNumber",
     R"({"lanes": [{"device_spans": [{"spans": [[0, 1, 2, 3, 65536, 0]]}]}]})",
     "lanes[0].device_spans[0].spans[0][4]: expected a whole number of at most "
     "65535, found 65536"},
    {"Signed", R"({"lanes": [{"levels": [{"levels": [[0, 1, "x", 0, 0]]}]}]})",
     "lanes[0].levels[0].levels[0][2]: expected a whole number, found \"x\""},
    {"Large",
     R"({"lanes": [{"cells": [{"squares_low": 9223372036854775808}]}]})",
     "lanes[0].cells[0].squares_low: numbers above 9223372036854775806 have to "
     "be strings"},
    {"LargeWord", R"({"lanes": [{"cells": [{"squares_low": "9 "}]}]})",
     "lanes[0].cells[0].squares_low: expected a whole number, found \"9 \""},
    {"Lane", R"({"lanes": [{"lane": 0}, {"lane": 0}]})",
     "lanes[1].lane: a second lane 0"},
};

class WrongJsonTest : public testing::TestWithParam<WrongJson> {};

TEST_P(WrongJsonTest, IsNamedWithItsPlace) {
  Expected<Profile> P = profileFromJson(GetParam().Text, "x.json");
  ASSERT_FALSE(bool(P));
  EXPECT_EQ(toString(P.takeError()),
            std::string("x.json: ") + GetParam().Message);
}

TEST(Message, JsonThatNestsWithoutAnEndIsRefused) {
  auto Read = [](const std::string &Text) {
    Expected<Profile> P = profileFromJson(Text, "x.json");
    return P ? "" : toString(P.takeError());
  };
  auto Nested = [](unsigned Levels) {
    return R"({"x": )" + std::string(Levels, '[') + std::string(Levels, ']') +
           "}";
  };
  EXPECT_EQ(Read(Nested(63)), "x.json: unknown member 'x'");
  EXPECT_EQ(Read(Nested(64)),
            "x.json: not a profile as JSON: more than 64 levels deep");
  // Side by side, and in texts.
  std::string Host = "\\\\\\\"" + std::string(100, '[') + std::string(100, '{');
  std::string Lanes = "{}";
  for (unsigned I = 1; I < 100; ++I)
    Lanes += ",{}";
  EXPECT_EQ(Read(R"({"process": {"command": ")" + Host + R"("}, "lanes": [)" +
                 Lanes + "]}"),
            "");
}

INSTANTIATE_TEST_SUITE_P(Message, WrongJsonTest, testing::ValuesIn(WrongJsons),
                         [](const testing::TestParamInfo<WrongJson> &Info) {
                           return std::string(Info.param.Name);
                         });

} // namespace
