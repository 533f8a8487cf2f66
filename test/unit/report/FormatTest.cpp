//===- FormatTest.cpp - the file format, written and read -----------------===//

#include "../../../tools/torchprof-report/Profile/ProfileJson.h"
#include "../../../tools/torchprof-report/Profile/ProfileReader.h"
#include "../../../tools/torchprof-report/Profile/TickClock.h"
#include "../../../tools/torchprof-report/Report/Summary.h"
#include "TestProfiles.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;
using namespace torchprof::report::test;

namespace {

Profile read(const std::string &Bytes) {
  return cantFail(
      readProfile(MemoryBuffer::getMemBufferCopy(Bytes, "x.tprof")));
}

TEST(Format, WriteReadWriteIsTheSame) {
  std::string Once = bytesOf(everySegment());
  EXPECT_TRUE(bytesOf(read(Once)) == Once);
}

TEST(Format, JsonAndBackIsTheSame) {
  std::string Once = bytesOf(everySegment());
  std::string Json;
  raw_string_ostream OS(Json);
  writeProfileJson(read(Once), OS);
  EXPECT_TRUE(bytesOf(parse(OS.str())) == Once);
}

TEST(Format, WhatHasNoNameSurvivesJson) {
  Profile P = everySegment();
  P.State = format::FileState(9);
  P.Process.Clock = format::ClockKind(8);
  P.Process.Counters[40] = 7;
  P.DynamicSites[0].Kind = format::DynamicKind(77);
  P.DynamicSites[0].Flags = 8;
  P.Plans[0].Kind = format::PlanKind(44);
  P.Plans[1].Part = format::PlanPart(33);
  P.Plans[1].Flags = 8;
  P.Lanes[0].Measures[1].Unit = format::MeasureUnit(66);
  P.Lanes[0].Measures[1].Sum = format::MeasureSum(55);
  std::string Json;
  raw_string_ostream OS(Json);
  writeProfileJson(P, OS);
  EXPECT_TRUE(bytesOf(parse(OS.str())) == bytesOf(P)) << OS.str();
}

TEST(Format, ShortJsonHasDefaults) {
  Profile P = parse(R"({"epoch": 4,
    "models": [{"sites": [{}, {}]}, {"sites": [{}]}],
    "dynamic_sites": [{"name": "r"}],
    "plans": [{}],
    "lanes": [{"cells": [{"slot": 1, "samples": [3], "cut": 2}, {"slot": 2}],
               "measures": [{"name": "cpu", "cells": [{"slot": 2}]}]}]})");
  EXPECT_EQ(P.State, format::FileState::Closed);
  EXPECT_EQ(P.Process.Clock, format::ClockKind::Monotonic);
  EXPECT_EQ(P.Models[1].FirstSlot, format::Slot(2));
  EXPECT_EQ(P.DynamicSites[0].Slot, format::Slot(3));
  EXPECT_EQ(P.DynamicSites[0].Parent, format::NoSlot);
  EXPECT_EQ(P.Plans[0].Root, format::NoSlot);
  EXPECT_EQ(P.Plans[0].First, format::NoSlot);
  EXPECT_EQ(P.Plans[0].Kind, format::PlanKind::Optimized);
  EXPECT_EQ(P.Plans[0].Part, format::PlanPart::Whole);
  EXPECT_EQ(P.Plans[0].Depth, format::NoDepth);
  const Lane &L = P.Lanes[0];
  EXPECT_EQ(L.CurrentSlot, format::NoSlot);
  EXPECT_EQ(L.Cells[0][0].Epoch, 4u);
  EXPECT_EQ(L.Cells[0][0].Begins, 3u);
  EXPECT_EQ(L.Cells[0][1].Min, UINT64_MAX);
  EXPECT_EQ(L.Measures[0].Id, format::MeasureId::Cpu);
  EXPECT_EQ(L.Measures[0].Unit, format::MeasureUnit::Nanoseconds);
  EXPECT_EQ(L.Measures[0].Cells[0].Epoch, 4u);
}

TEST(Format, NamesOfFilesNeedNotBeUtf8) {
  Profile P = everySegment();
  format::setFile(P.Loads[0], std::string(104, '\xe9'));
  std::string Json;
  raw_string_ostream OS(Json);
  writeProfileJson(P, OS);
  // Each byte became three, of which the last are kept.
  std::string Name(format::fileOf(parse(OS.str()).Loads[0]));
  EXPECT_EQ(Name.size(), 102u);
  EXPECT_EQ(Name.substr(99), "\xef\xbf\xbd");
}

TEST(Format, MeasuresOfALaterVersionMayHaveWiderCells) {
  std::string Bytes = bytesOf(everySegment());
  size_t Head = Bytes.rfind("volts") - offsetof(format::MeasureRecord, Name) -
                offsetof(format::MeasuresRecord, Measures);
  Bytes[Head + offsetof(format::MeasuresRecord, Stride)] = char(136);
  Profile P = read(Bytes);
  EXPECT_FALSE(P.Damaged);
  const MeasureCells &Volts = P.Lanes[0].Measures[1];
  ASSERT_EQ(Volts.Cells.size(), 1u);
  EXPECT_EQ(Volts.Cells[0].Site, format::Slot(3));
  EXPECT_EQ(Volts.Cells[0].Max, 7u);
}

TEST(Format, MeasuresOfTheSameSpansShareCells) {
  Profile P = everySegment();
  auto Sharing = [&P](size_t Count) {
    P.Lanes[0].Measures.assign(Count, P.Lanes[0].Measures[0]);
    for (size_t I = 0; I < Count; ++I) {
      MeasureCells &M = P.Lanes[0].Measures[I];
      auto Cells = P.allocate<MeasuredSlot>(M.Cells.size());
      std::copy(M.Cells.begin(), M.Cells.end(), Cells.begin());
      Cells[0].Sum = Cells[0].Max = Cells[0].Nested = I;
      M.Cells = Cells;
      M.Name = "m" + std::to_string(I);
    }
    return bytesOf(P);
  };
  size_t Of4 = Sharing(4).size();
  EXPECT_EQ(Sharing(3).size(), Of4);
  EXPECT_EQ(Sharing(5).size(), Of4 + format::PageBytes);
  Profile Copy = read(Sharing(5));
  ASSERT_EQ(Copy.Lanes[0].Measures.size(), 5u);
  for (size_t I = 0; I < 5; ++I) {
    const MeasureCells &M = Copy.Lanes[0].Measures[I];
    EXPECT_EQ(M.Name, "m" + std::to_string(I));
    ASSERT_EQ(M.Cells.size(), 2u);
    EXPECT_EQ(M.Cells[0].Sum, I);
    EXPECT_EQ(M.Cells[0].Max, I);
    EXPECT_EQ(M.Cells[0].Nested, I);
    EXPECT_EQ(M.Cells[1].Time, 5u);
  }
}

TEST(Format, ReadsWhatWasWritten) {
  Profile P = read(bytesOf(everySegment()));
  EXPECT_EQ(P.State, format::FileState::Snapshot);
  EXPECT_EQ(P.Epoch, 3u);
  EXPECT_EQ(P.counter(format::Counter::DroppedPairs), 1u);
  ASSERT_EQ(P.Models.size(), 1u);
  const Manifest &Table = *P.Models[0].Table;
  EXPECT_EQ(Table.ModelName, "net");
  EXPECT_EQ(Table.Sites.size(), 3u);
  ASSERT_EQ(Table.Names.size(), 1u);
  EXPECT_EQ(Table.string(Table.Names[0].Function), "a.forward");
  EXPECT_EQ(Table.string(Table.Names[0].Name), "y.1");
  ASSERT_EQ(P.DynamicSites.size(), 2u);
  EXPECT_EQ(P.DynamicSites[0].Name, "load");
  EXPECT_EQ(P.DynamicSites[0].Parent, format::Slot(1));
  EXPECT_EQ(P.DynamicSites[1].Kind, format::DynamicKind::Group);
  EXPECT_EQ(P.DynamicSites[1].Slot, format::Slot(4));
  ASSERT_EQ(P.Plans.size(), 2u);
  EXPECT_EQ(P.Plans[0].Root, format::Slot(0));
  EXPECT_EQ(P.Plans[0].OwnTicks, 1u);
  EXPECT_EQ(P.Plans[1].Part, format::PlanPart::Fallback);
  EXPECT_EQ(P.Plans[1].First, format::Slot(1));
  EXPECT_EQ(P.Plans[1].Depth, 5u);
  EXPECT_EQ(P.Plans[1].Groups, 1u);
  EXPECT_EQ(P.Plans[1].Flags, uint32_t(format::PF_BeforeRun));
  ASSERT_EQ(P.Loads.size(), 2u);
  EXPECT_EQ(fileOf(P.Loads[0]), "models/n\xc3\xa9t.pt");
  EXPECT_EQ(P.Loads[0].BeginTicks, 1u);
  EXPECT_EQ(P.Loads[0].Ticks, 6u);
  EXPECT_EQ(fileOf(P.Loads[1]), "");
  EXPECT_EQ(P.Loads[1].Thread, 12u);
  ASSERT_EQ(P.Lanes.size(), 1u);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::Slot(1));
  EXPECT_EQ(P.Lanes[0].Cells[0].size(), 2u);
  EXPECT_EQ(P.Lanes[0].Runs[0].Samples[1].LatencyTicks, 20u);
  EXPECT_EQ(P.Lanes[0].Traces[0].dropped(), 6u);
  ASSERT_EQ(P.Lanes[0].DeviceSpans.size(), 1u);
  EXPECT_EQ(P.Lanes[0].DeviceSpans[0].Count, 3u);
  ASSERT_EQ(P.Lanes[0].DeviceSpans[0].Entries.size(), 2u);
  EXPECT_EQ(P.Lanes[0].DeviceSpans[0].Entries[0].BeginNs, 100u);
  EXPECT_EQ(P.Lanes[0].DeviceSpans[0].Entries[1].Stream, 65535u);
  ASSERT_EQ(P.Lanes[0].Measures.size(), 2u);
  const MeasureCells &Cpu = P.Lanes[0].Measures[0];
  EXPECT_EQ(Cpu.Name, "cpu");
  EXPECT_EQ(Cpu.Cells[0].Word, 4u);
  EXPECT_EQ(Cpu.Cells[0].Nested, 4u);
  EXPECT_EQ(P.Lanes[0].Measures[1].Id, format::MeasureId(900));
  EXPECT_TRUE(P.Warnings.empty());
}

TEST(Format, NothingIsKeptOfNothing) {
  Profile P; // undefined behaviour if it asked an arena without memory
  EXPECT_TRUE(P.keep(ArrayRef<format::Cell>()).empty());
  EXPECT_TRUE(P.allocate<format::Cell>(0).empty());
}

TEST(Format, UnknownSegmentsAreSteppedOver) {
  std::string Bytes = bytesOf(everySegment());
  // The clock becomes a type of a later version.
  Bytes[2 * format::PageBytes + 4] = 99;
  Profile P = read(Bytes);
  EXPECT_FALSE(P.Damaged);
  EXPECT_EQ(P.Lanes.size(), 1u);
  ASSERT_EQ(P.Warnings.size(), 1u);
  EXPECT_EQ(P.Warnings[0],
            "offset 8192: stepped over a segment of unknown type 99");
}

TEST(Format, TracesOfAnOlderEpochAreEmpty) {
  std::string Bytes = bytesOf(everySegment());
  Bytes[offsetof(format::FileHeader, Epoch)] = 4;
  Bytes[offsetof(format::FileHeader, ResetTicks) + 7] = 1;
  Profile P = read(Bytes);
  EXPECT_EQ(P.Lanes[0].Traces[0].Written, 0u);
  EXPECT_TRUE(P.Lanes[0].Traces[0].Events.empty());
}

/// A process that died in a root's run that began at \p CurrentTicks, of which
/// its log has no record. It was reset at tick 50.
Profile diedInRun(unsigned CurrentTicks) {
  std::string Bytes = bytesOf(parse((R"({"epoch": 1, "reset_ticks": 50,
    "models": [{"sites": [{"flags": ["root"]}]}],
    "lanes": [{"cells": [{"slot": 0, "epoch": 0, "samples": [10]}],
               "runs": [{"slot": 0, "samples": [[20, 10]]}],
               "current_slot": 0, "current_ticks": )" +
                                     Twine(CurrentTicks) + "}]}")
                                        .str()));
  size_t At = format::PageBytes;
  format::SegmentHeader Head;
  for (;; At += Head.Bytes) {
    memcpy(&Head, &Bytes.at(At), sizeof(Head));
    if (Head.Type == format::SegmentType::Log)
      break;
  }
  uint64_t Current = format::packCurrent(format::Slot(0), /*IsUnlogged=*/true);
  memcpy(&Bytes[At + sizeof(Head) + offsetof(format::LogRecord, Current)],
         &Current, sizeof(Current));
  return read(Bytes);
}

TEST(Format, RunsFromBeforeAResetAreGoneWhileTheNextOneIsOpen) {
  Profile P = diedInRun(/*CurrentTicks=*/60);
  EXPECT_EQ(P.Lanes[0].Cells[0][0].Epoch, 1u);
  EXPECT_EQ(P.Lanes[0].Cells[0][0].Begins, 1u);
  EXPECT_TRUE(P.Lanes[0].Runs[0].Samples.empty());
}

TEST(Format, BeginOfARunFromBeforeAResetIsNotCounted) {
  Profile P = diedInRun(/*CurrentTicks=*/40);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, format::Slot(0));
  for (ArrayRef<format::Cell> Cells : P.Lanes[0].Cells)
    for (const format::Cell &C : Cells)
      EXPECT_EQ(C.Epoch, 0u);
}

TEST(TickClock, AnchorsGiveTheRate) {
  TickClock Clock(everySegment());
  EXPECT_DOUBLE_EQ(Clock.nsPerTick(), 0.4);
  EXPECT_TRUE(Clock.rateKnown());
  EXPECT_EQ(Clock.realtimeNs(2500), 1007u);
}

TEST(TickClock, NominalRateWithoutDistantAnchors) {
  TickClock Clock(parse(
      R"({"process": {"clock": "tsc", "ticks_per_second": 2000000000},
          "anchors": [{"ticks": 0, "monotonic_ns": 0},
                      {"ticks": 10, "monotonic_ns": 1000}]})"));
  EXPECT_DOUBLE_EQ(Clock.nsPerTick(), 0.5);
}

TEST(TickClock, TakesNoRateFromAnchorsBetweenWhichItWasSetBack) {
  TickClock Clock(parse(
      R"({"process": {"clock": "tsc", "ticks_per_second": 2100000000},
          "anchors": [{"ticks": 5000000000, "monotonic_ns": 0},
                      {"ticks": 7000000000, "monotonic_ns": 1000000000},
                      {"ticks": 100, "monotonic_ns": 2000000000},
                      {"ticks": 8000000100, "monotonic_ns": 6000000000}]})"));
  EXPECT_DOUBLE_EQ(Clock.nsPerTick(), 0.5);
  EXPECT_DOUBLE_EQ(Clock.driftNs(), 0);
}

TEST(TickClock, LongTicksOfAnArmCounter) {
  Profile P = parse(R"({"process": {"clock": "cntvct",
                                    "ticks_per_second": 24000000}})");
  EXPECT_EQ(P.Process.Clock, format::ClockKind::Cntvct);
  EXPECT_NEAR(TickClock(P).nsPerTick(), 41.667, 1e-3);
  EXPECT_NEAR(TickClock(P).toNs(24e6), 1e9, 1e-3);
  SiteTable Sites;
  Sites.add(P);
  Selection All;
  Table T = llvm::cantFail(makeSummary(SummaryInput(Sites, All), {}));
  EXPECT_TRUE(llvm::is_contained(
      T.Notes, "note: a tick of the clock is 41.7 ns: the time of a single "
               "call is a multiple of that"));
}

TEST(TickClock, FollowsTheWallClockThatIsSet) {
  TickClock Clock(parse(
      R"({"process": {"clock": "tsc", "ticks_per_second": 1000000000},
          "anchors": [{"ticks": 0, "monotonic_ns": 0, "realtime_ns": 1000},
                      {"ticks": 1000000000, "monotonic_ns": 1000000000,
                       "realtime_ns": 1000003000},
                      {"ticks": 2000000000, "monotonic_ns": 2000000000,
                       "realtime_ns": 302000001000},
                      {"ticks": 3000000000, "monotonic_ns": 3000000000,
                       "realtime_ns": 2000001000}]})"));
  EXPECT_EQ(Clock.realtimeNs(1'500'000'000), 1'500'001'000u);
  EXPECT_EQ(Clock.realtimeNs(2'500'000'000), 302'500'001'000u);
  EXPECT_EQ(Clock.realtimeNs(3'500'000'000), 2'500'001'000u);
  EXPECT_EQ(Clock.steadyNs(3'500'000'000), 3'500'001'000u);
  TickClock Other(parse(
      R"({"process": {"clock": "tsc", "ticks_per_second": 1000000000},
          "anchors": [{"ticks": 100, "realtime_ns": 1000}]})"));
  EXPECT_EQ(Clock.tickOf(Other, 500'000'100), 500'000'000u);
  EXPECT_EQ(Clock.tickOf(Other, 302'500'000'100), 303'500'000'000u);
  EXPECT_EQ(Other.tickOf(Clock, 2'500'000'000), 302'500'000'100u);
  EXPECT_EQ(Other.tickOf(Clock, 3'500'000'000), 2'500'000'100u);
  TickClock Later(parse(
      R"({"process": {"clock": "tsc", "ticks_per_second": 1000000000},
          "anchors": [{"ticks": 0, "monotonic_ns": 0, "realtime_ns": 1000},
                      {"ticks": 2000000000, "monotonic_ns": 2000000000,
                       "realtime_ns": 302000001000}]})"));
  EXPECT_EQ(Later.tickOf(Other, 302'500'000'100), 2'500'000'000u);
  EXPECT_EQ(Later.tickOf(Other, 100'000'000'100), 1'999'999'999u); // never was
}

TEST(TickClock, SaysWhenNothingIsKnown) {
  EXPECT_FALSE(
      TickClock(parse(R"({"process": {"clock": "tsc"}})")).rateKnown());
  EXPECT_TRUE(
      TickClock(parse(R"({"process": {"clock": "monotonic"}})")).rateKnown());
}

TEST(TickClock, Drift) {
  TickClock Clock(parse(
      R"({"process": {"clock": "tsc", "ticks_per_second": 1000000000},
          "anchors": [{"ticks": 0, "monotonic_ns": 0},
                      {"ticks": 500000000, "monotonic_ns": 500000300},
                      {"ticks": 1000000000, "monotonic_ns": 1000000000}]})"));
  EXPECT_NEAR(Clock.driftNs(), 300, 1e-3);
}

} // namespace
