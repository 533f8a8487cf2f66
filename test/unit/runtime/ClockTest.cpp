//===- ClockTest.cpp - trust, faults, anchors -----------------------------===//

#include "Clock.h"
#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <gtest/gtest.h>

using namespace torchprof;
using namespace torchprof::test;
using torchprof::format::Counter;

TEST(Clock, TscIsTrustedOnlyIfInvariantAndTheKernelLists) {
  EXPECT_TRUE(clock::tscIsTrusted("tsc kvm-clock \n", true));
  EXPECT_TRUE(clock::tscIsTrusted("kvm-clock tsc\n", true));
  EXPECT_FALSE(clock::tscIsTrusted("tsc\n", false));
  EXPECT_FALSE(clock::tscIsTrusted("hpet acpi_pm \n", true));
  EXPECT_FALSE(clock::tscIsTrusted("tsc-early\n", true));
  EXPECT_FALSE(clock::tscIsTrusted("", true));
}

TEST(Clock, MonotonicTicksAreNanoseconds) {
  clock::choose("monotonic");
  EXPECT_EQ(clock::kind(), format::ClockKind::Monotonic);
  EXPECT_EQ(clock::nominalTicksPerSecond(), 1'000'000'000u);
  uint64_t First = clock::ticks();
  EXPECT_GE(clock::ticks(), First);
}

TEST(Clock, AnchorReadsAllClocksAtOnce) {
  clock::choose("monotonic");
  format::ClockAnchor A = clock::readAnchor();
  EXPECT_NE(A.RealtimeNs, 0u);
  EXPECT_LE(A.Ticks, A.MonotonicNs + A.UncertaintyNs);
  EXPECT_GE(A.Ticks + A.UncertaintyNs, A.MonotonicNs);
}

TEST(Clock, BackwardsIsCountedAsNothing) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 2);
    span(site(7, 1), 10);
    uint64_t Begin = beginSpan(site(7, 1));
    advanceClock(uint64_t(-5));
    endSpan(Begin, site(7, 1));
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.counter(Counter::ClockBackwards), 1u);
  EXPECT_EQ(P.count(1), 2u);
  EXPECT_EQ(P.sum(1), 10u);
  EXPECT_EQ(P.Process.Clock, format::ClockKind::Injected);
}

TEST(Clock, AbsurdLengthsAreClampedAndCounted) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 2);
    span(site(7, 1), uint64_t(1) << 60);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.counter(Counter::ClockClamped), 1u);
  EXPECT_EQ(P.cell(1).Max, AbsurdTicks);
}

TEST(Clock, FileSaysWhichAndHowFast) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    span(site(7, 1), 0);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_NE(P.Process.NominalTicksPerSecond, 0u);
  EXPECT_NE(P.Process.StartTicks, 0u);
  EXPECT_GE(P.Process.EndTicks, P.Process.StartTicks);
  EXPECT_GE(P.Anchors.size(), 2u); // at the start and at the exit
  EXPECT_GE(P.Anchors.back().MonotonicNs, P.Anchors.front().MonotonicNs);
  EXPECT_NE(P.Process.LoweredProbeTicksX16, 0u);
  EXPECT_GE(P.Process.ExplicitProbeTicksX16, P.Process.LoweredProbeTicksX16);
}

TEST(Clock, RunEndsASecondApartLeaveAnchors) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 2);
    for (int I = 0; I < 40; ++I) {
      uint64_t R = enterRoot(site(7, 0), 1000);
      advanceClock(250'000'000); // a quarter of a second
      endSpan(R, site(7, 0));
    }
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.Anchors.size(), 1u + 10 + 1);
}

TEST(Clock, FullAnchorTableHalvesAndKeepsFirstAndNewest) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 2);
    span(site(7, 1), 1);
    for (int I = 0; I < 1000; ++I) {
      advanceClock(10);
      stop(); // takes an anchor
    }
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_LE(P.Anchors.size(), 125u);
  EXPECT_GE(P.Anchors.size(), 60u);
  EXPECT_EQ(P.Anchors.front().Ticks, 1000u);
  EXPECT_EQ(P.Anchors.back().Ticks, 11001u);
  for (size_t I = 1; I < P.Anchors.size(); ++I)
    EXPECT_LE(P.Anchors[I - 1].Ticks, P.Anchors[I].Ticks);
}
