//===- ClockTest.cpp - trust, faults, anchors -----------------------------===//

#include "Clock.h"
#include "ClockText.h"
#include "Control.h"
#include "LaneClock.h"
#include "Probe.h"
#include "ProbeCost.h"
#include "TestSupport.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace torchprof;
using namespace torchprof::test;
using torchprof::format::Counter;

TEST(Clock, CounterIsListedByItsWholeName) {
  EXPECT_TRUE(clock::isListed("tsc kvm-clock \n", "tsc"));
  EXPECT_TRUE(clock::isListed("kvm-clock tsc\n", "tsc"));
  EXPECT_FALSE(clock::isListed("hpet acpi_pm \n", "tsc"));
  EXPECT_FALSE(clock::isListed("tsc-early\n", "tsc"));
  EXPECT_FALSE(clock::isListed("", "tsc"));
  EXPECT_TRUE(clock::isListed("arch_sys_counter \n", "arch_sys_counter"));
  EXPECT_FALSE(clock::isListed("tsc kvm-clock\n", "arch_sys_counter"));
}

TEST(Clock, StatedRateCountsUnlessItIsWrong) {
  EXPECT_EQ(clock::nominalRate(24'000'000, 24'001'000), 24'000'000u);
  EXPECT_EQ(clock::nominalRate(24'000'000, 23'990'000), 24'000'000u);
  EXPECT_EQ(clock::nominalRate(0, 2'495'998'123), 2'495'998'123u);
  EXPECT_EQ(clock::nominalRate(1'000'000'000, 24'000'000), 24'000'000u);
  EXPECT_EQ(clock::nominalRate(24'000'000, 1'000'000'000), 1'000'000'000u);
}

TEST(Clock, CounterThatIsAskedForIsTakenUntested) {
  for (const char *Word : {"tsc", "cntvct"}) {
    clock::choose(Word);
    bool IsOurs = processor::TheCounter.Option == Word;
    EXPECT_EQ(clock::kind(), IsOurs ? processor::TheCounter.Kind
                                    : format::ClockKind::Monotonic);
    uint64_t First = clock::ticks();
    EXPECT_GE(clock::fencedTicks(), First);
    EXPECT_GE(clock::nominalTicksPerSecond(), 1'000'000u);
  }
}

TEST(Clock, LeastStepIsThatOfTheCounterNotOfItsUnit) {
  // Some counters at 24 MHz count in units of 1 GHz.
  EXPECT_EQ(clock::leastStepOf([] {
              static uint64_t Reading = 0;
              return ++Reading / 5 * 42;
            }),
            42u);
  EXPECT_EQ(clock::leastStepOf([] { return uint64_t(7); }), 0u);
  clock::choose("monotonic");
  EXPECT_GT(clock::leastStep(), 0u);
  EXPECT_LT(clock::leastStep(), 1'000'000u);
}

TEST(Clock, ItsTextSaysWhyAndHowFine) {
  using format::ClockKind;
  processor::Counter Arm{ClockKind::Cntvct, "CNTVCT", "cntvct",
                         "arch_sys_counter"};
  EXPECT_EQ(clockReason(ClockKind::Cntvct, "auto", Arm),
            "CNTVCT: it is invariant and the kernel trusts it");
  EXPECT_EQ(clockReason(ClockKind::Cntvct, "cntvct", Arm),
            "CNTVCT: the option clock asks for it");
  EXPECT_EQ(clockReason(ClockKind::Monotonic, "auto", Arm),
            "CLOCK_MONOTONIC: the CNTVCT is not invariant, or the kernel does "
            "not list it as a clock source");
  EXPECT_EQ(clockReason(ClockKind::Monotonic, "tsc", Arm),
            "CLOCK_MONOTONIC: this processor has no tsc");
  EXPECT_EQ(clockReason(ClockKind::Monotonic, "monotonic", Arm),
            "CLOCK_MONOTONIC: the option clock asks for it");
  EXPECT_EQ(clockReason(ClockKind::Monotonic, "auto", {}),
            "CLOCK_MONOTONIC: this processor has no counter that torchprof "
            "knows");
  EXPECT_EQ(clockReason(ClockKind::Injected, "auto", Arm), "a clock of a test");
  EXPECT_EQ(clockResolution(24'000'000, 1),
            "a tick is 41.7 ns, readings are at least 41.7 ns apart");
  EXPECT_EQ(clockResolution(1'000'000'000, 40),
            "a tick is 1 ns, readings are at least 40 ns apart");
  EXPECT_EQ(clockResolution(2'500'000'000, 22),
            "a tick is 0.4 ns, readings are at least 8.8 ns apart");
}

TEST(Clock, LongTicksNeedMoreSpansToMeasureAProbe) {
  EXPECT_EQ(spansPerBatch(2'500'000'000), 64u);
  EXPECT_EQ(spansPerBatch(1'000'000'000), 64u);
  EXPECT_EQ(spansPerBatch(24'000'000), 533u);
  EXPECT_EQ(spansPerBatch(1'000'000), 4096u);
}

TEST(Clock, MonotonicTicksAreNanoseconds) {
  clock::choose("monotonic");
  EXPECT_EQ(clock::kind(), format::ClockKind::Monotonic);
  EXPECT_EQ(clock::nominalTicksPerSecond(), 1'000'000'000u);
  uint64_t First = clock::ticks();
  EXPECT_GE(clock::ticks(), First);
}

TEST(LaneClock, CountsFoldingWhicheverClockItReads) {
  clock::choose(processor::TheCounter.Option);
  LaneClock Clock;
  Clock.followChoice();
  LaneClock Before = Clock;
  Clock.addApart(5);
  EXPECT_EQ(Clock.apartSince(Before), 5u);
  uint64_t First = clock::ticks();
  uint64_t Read = Clock.ticks();
  EXPECT_GE(Read, First);
  EXPECT_GE(clock::ticks(), Read);

  clock::inject([] { return uint64_t(3); });
  if (processor::HasCounter) {
    EXPECT_NE(Clock.ticks(), 3u) << "follows before it is told";
  }
  Clock.followChoice();
  EXPECT_EQ(Clock.ticks(), 3u);
  EXPECT_EQ(Clock.apartSince(Before), 5u);
  Clock.addApart(7);
  EXPECT_EQ(Clock.apart(), 12u);
  clock::inject(nullptr);
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

TEST(Clock, SetBackInAFoldTakesNothingFromSpans) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 2);
    span(site(7, 1), 10);
    uint64_t Begin = beginSpan(site(7, 1));
    clock::inject([] { // each reading is before the last one
      static uint64_t Now = 2000;
      return Now -= 5;
    });
    foldLog(*ThisLane);
    useTestClock(3000);
    endSpan(Begin, site(7, 1));
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.sum(1), 10u + 1990);
  EXPECT_EQ(P.Lanes[0].ApartTicks, 0u);
}

/// Sets the clock back to before the window's opening, outside of all spans or
/// in one, after \p Empty.
static ReadProfile setBackBeforeOpening(void (*Empty)(), bool InSpan) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [=] {
    useTestClock(5'000'000'000);
    addTestModel(7, 3);
    span(site(7, 1), 1);
    Empty();
    advanceClock(10);
    span(site(7, 2), 10);
    uint64_t Begin = InSpan ? beginSpan(site(7, 1)) : 0;
    setClock(1'000'000'000);
    if (InSpan)
      endSpan(Begin, site(7, 1));
    for (uint64_t Ticks : {100, 1000, 10'000}) {
      advanceClock(1);
      span(site(7, 2), Ticks);
      foldLog(*ThisLane);
    }
  });
  return readProfile(Folder.file("p.tprof"));
}

TEST(Clock, SetBackToBeforeTheOpeningCutsUntilThatIsSeen) {
  for (void (*Empty)() : {+[] {}, +[] { reset(); }, +[] { resetThread(); }}) {
    ReadProfile P = setBackBeforeOpening(Empty, /*InSpan=*/false);
    EXPECT_EQ(P.sum(2), 10u + 1000 + 10'000);
    EXPECT_EQ(P.cut(2), 1u);
    EXPECT_EQ(P.begins(2), 4u);
    EXPECT_EQ(P.counter(Counter::ClockSetBack), 1u);
  }
}

TEST(Clock, SetBackToBeforeTheOpeningInASpanCutsNoOther) {
  for (void (*Empty)() : {+[] {}, +[] { reset(); }, +[] { resetThread(); }}) {
    ReadProfile P = setBackBeforeOpening(Empty, /*InSpan=*/true);
    EXPECT_EQ(P.sum(2), 10u + 100 + 1000 + 10'000);
    EXPECT_EQ(P.cut(2), 0u);
    EXPECT_EQ(P.begins(2), 4u);
    EXPECT_EQ(P.counter(Counter::ClockBackwards), 1u);
    EXPECT_EQ(P.counter(Counter::ClockSetBack), 1u);
  }
}

TEST(Clock, ThatIsReadALittleEarlierOnAnotherProcessorIsNotSetBack) {
  useTestClock();
  EXPECT_FALSE(clock::isBefore(5'000'000, 5'000'000));
  EXPECT_FALSE(clock::isBefore(4'999'900, 5'000'000));
  EXPECT_TRUE(clock::isBefore(3'000'000, 5'000'000));
  clock::inject(nullptr);
}

TEST(Clock, EventsThatEndBeforeTheyBeginTakeNoTime) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 2);
    span(site(7, 1), 0);
    format::LoadEvent Load{};
    Load.Ticks = uint64_t(-5);
    addLoad(Load);
    format::PlanEvent Plan{};
    Plan.Ticks = Plan.OwnTicks = uint64_t(-5);
    addPlan(site(7, 0), std::nullopt, Plan);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  ASSERT_EQ(P.Loads.size(), 1u);
  EXPECT_EQ(P.Loads[0].Ticks, 0u);
  ASSERT_EQ(P.Plans.size(), 1u);
  EXPECT_EQ(P.Plans[0].Ticks, 0u);
  EXPECT_EQ(P.Plans[0].OwnTicks, 0u);
  EXPECT_EQ(P.counter(Counter::ClockBackwards), 3u);
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

TEST(Clock, PairsAreMeasuredWithoutARecording) {
  TestFolder Folder;
  std::string File = Folder.file("p.tprof");
  EXPECT_EQ(runChild([&] {
              setOption("file", File);
              static uint64_t Now;
              clock::inject([] { return Now += 3; }); // each reading takes that
              auto RunPairs = [] {
                for (unsigned I = 0; I < CostPairs; ++I)
                  endSpan(beginSpan(CostSite), CostSite);
              };
              EXPECT_EQ(measurePairTicksX16(RunPairs), 3u * 16);
              EXPECT_EQ(measurePairTicksX16([] {}), 0u);
              EXPECT_THROW(measurePairTicksX16([] { throw 1; }), int);
              EXPECT_EQ(ThisLane, nullptr);
              _exit(testing::Test::HasFailure());
            }),
            0);
  EXPECT_FALSE(std::filesystem::exists(File));
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
