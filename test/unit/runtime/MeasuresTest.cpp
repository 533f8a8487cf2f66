//===- MeasuresTest.cpp - what is measured beside time --------------------===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <ctime>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

/// Records with TORCHPROF_RECORD=cpu.
ReadProfile measured(
    const std::function<void()> &Body,
    std::initializer_list<std::pair<const char *, const char *>> More = {}) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    ASSERT_EQ(setOption("record", "cpu"), 0);
    for (auto [Name, Value] : More)
      ASSERT_EQ(setOption(Name, Value), 0);
    addTestModel(7, 4);
    Body();
  });
  return readProfile(Folder.file("p.tprof"));
}

uint64_t threadNs() {
  timespec T;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return uint64_t(T.tv_sec) * 1'000'000'000 + uint64_t(T.tv_nsec);
}

void work(uint64_t Ns) {
  for (uint64_t End = threadNs() + Ns; threadNs() < End;)
    ;
}

} // namespace

TEST(Measures, ProcessorTimeIsThatOfTheThreadAndNotOfItsWaits) {
  constexpr uint64_t Ms = 1'000'000;
  ReadProfile P = measured([] {
    inRun([] {
      uint64_t A = beginSpan(site(7, 1));
      work(5 * Ms);
      endSpan(A, site(7, 1));
      uint64_t B = beginSpan(site(7, 2));
      usleep(5000);
      endSpan(B, site(7, 2));
    });
  });
  const auto &Works = P.measure(MeasureId::Cpu, 1);
  const auto &Waits = P.measure(MeasureId::Cpu, 2);
  const auto &Root = P.measure(MeasureId::Cpu, 0);
  EXPECT_EQ(Works.Word, 2u);
  EXPECT_GE(Works.Sum, 5 * Ms);
  EXPECT_EQ(Works.Sum, Works.Max);
  EXPECT_EQ(Works.Time, P.sum(1)); // of the spans that were measured
  EXPECT_LT(Waits.Sum, 5 * Ms);    // a wait takes no processor time
  EXPECT_GE(Root.Sum, Works.Sum + Waits.Sum);
  EXPECT_EQ(P.count(1), 1u); // time is recorded as ever
}

TEST(Measures, ProfileWithoutThemHasNoSegmentOfTheirs) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 4);
    inRun([] { span(site(7, 1), 1); });
  });
  EXPECT_TRUE(readProfile(Folder.file("p.tprof")).Measures.empty());
}

TEST(Measures, EveryNthRunOnlyAndCountsStayExact) {
  ReadProfile P = measured(
      [] {
        for (int I = 0; I < 10; ++I)
          inRun([] { span(site(7, 1), 1); });
      },
      {{"record_every", "4"}});
  EXPECT_EQ(P.count(1), 10u);
  EXPECT_EQ(P.begins(1), 10u);
  EXPECT_EQ(P.measure(MeasureId::Cpu, 1).Word, 2 * 3u); // runs 0, 4 and 8
  EXPECT_EQ(P.measure(MeasureId::Cpu, 0).Word, 2 * 3u);
}

TEST(Measures, RegionsAroundEveryNthRunAreMeasuredAsTheRunsInThem) {
  ReadProfile P = measured(
      [] {
        uint32_t Tick = regionNumber("tick"), Inner = regionNumber("inner");
        for (int I = 0; I < 4; ++I) {
          uint64_t Outside = beginRegion(Tick), Inside = beginRegion(Inner);
          inRun([I] {
            if (I % 2 == 0)
              work(1'000'000);
          });
          endRegion(Inside, Inner);
          endRegion(Outside, Tick);
        }
      },
      {{"record_every", "2"}});
  const auto &Root = P.measure(MeasureId::Cpu, 0);
  EXPECT_EQ(Root.Word, 2 * 2u);
  for (const char *Name : {"tick", "inner"}) {
    const auto &Region = P.measure(MeasureId::Cpu, P.region(Name));
    EXPECT_EQ(Region.Word, 2 * 2u) << Name;
    EXPECT_GE(Region.Sum, Root.Sum) << Name;
    EXPECT_GE(Region.Nested, Root.Sum) << Name;
  }
}

TEST(Measures, RegionBehindARunLeavesItsGradientsMeasured) {
  ReadProfile P = measured(
      [] {
        Slot Gradient = *childOf(site(7, 1), DynamicKind::Backward, "mul");
        uint32_t Between = regionNumber("between");
        for (int I = 0; I < 4; ++I) {
          inRun([] { span(site(7, 1), 1); });
          endRegion(beginRegion(Between), Between);
          uint64_t Begin = beginFunction(Gradient);
          if (I % 2 == 0)
            work(1'000'000);
          endSlot(Begin, Gradient);
        }
      },
      {{"record_every", "2"}});
  const auto &Gradient = P.measure(
      MeasureId::Cpu, number(P.child(DynamicKind::Backward, "mul").Site));
  EXPECT_EQ(Gradient.Word, 2 * 2u);
  EXPECT_GE(Gradient.Sum, 2 * 1'000'000u); // of the runs that were measured
}

TEST(Measures, MethodsOnlyLeavesNodesAlone) {
  ReadProfile P = measured(
      [] {
        for (int I = 0; I < 5; ++I)
          inRun([I] {
            // Nodes keep to the hot path.
            EXPECT_TRUE(I == 0 || isOpen(ThisLane));
            span(site(7, 1), 1);
          });
      },
      {{"record_sites", "methods"}});
  EXPECT_EQ(P.count(1), 5u);
  ASSERT_EQ(P.Measures.size(), 1u);
  EXPECT_EQ(P.measure(MeasureId::Cpu, 0).Word, 2 * 5u);
}

TEST(Measures, RunInsideANodeIsNestedInIt) {
  ReadProfile P = measured([] {
    addTestModel(8, 2);
    inRun([] {
      uint64_t Node = beginSpan(site(7, 1));
      [] {
        char Room[256];
        asm volatile("" : : "r"(Room) : "memory");
        uint64_t Call =
            enterRoot(site(8, 0),
                      reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
        work(1'000'000);
        endSpan(Call, site(8, 0));
      }();
      endSpan(Node, site(7, 1));
    });
  });
  const auto &Call = P.measure(MeasureId::Cpu, 4);
  const auto &Node = P.measure(MeasureId::Cpu, 1);
  EXPECT_GE(Call.Sum, 1'000'000u);
  EXPECT_EQ(Node.Nested, Call.Sum);
  EXPECT_GE(Node.Sum, Node.Nested);
}

TEST(Measures, SpanThatEndsOnAnotherThreadIsCountedAndNotMeasured) {
  ReadProfile P = measured([] {
    inRun([] {
      uint64_t Wait = beginSpan(site(7, 1));
      std::thread([&] { endSpan(Wait, site(7, 1)); }).join();
      span(site(7, 1), 1);
    });
  });
  EXPECT_EQ(P.count(1), 2u);
  EXPECT_EQ(P.measure(MeasureId::Cpu, 1).Word, 2u);
  EXPECT_EQ(P.counter(Counter::MeasureMissed), 1u);
}

TEST(Measures, ThreadThatFirstEndsAnothersSpanMeasuresItsOwn) {
  ReadProfile P = measured([] {
    inRun([] {
      uint64_t Wait = beginSpan(site(7, 1));
      std::thread([&] { // goes on after the wait
        endSpan(Wait, site(7, 1));
        FrameSpan Next(Line.Models.slotOf(site(7, 2)));
        Next.end();
      })
          .join();
    });
  });
  EXPECT_EQ(P.count(2), 1u);
  EXPECT_EQ(P.measure(MeasureId::Cpu, 2).Word, 2u);
}

TEST(Measures, ThreadOfGradientsAloneMeasuresItsNodes) {
  ReadProfile P = measured([] {
    inRun([] { span(site(7, 1), 1); });
    std::thread([] { // autograd's
      Slot Gradient = *childOf(site(7, 1), DynamicKind::Backward, "mul");
      uint64_t Begin = beginFunction(Gradient);
      FrameSpan Node(Line.Models.slotOf(site(7, 2)));
      Node.end();
      endSlot(Begin, Gradient);
    })
        .join();
  });
  EXPECT_EQ(P.count(2), 1u);
  EXPECT_EQ(P.measure(MeasureId::Cpu, 2).Word, 2u);
}

TEST(Measures, ResetEmptiesThem) {
  for (void (*Empty)() : {reset, resetThread}) {
    TestFolder Folder;
    record(Folder.file("p.tprof"), [&] {
      ASSERT_EQ(setOption("record", "cpu"), 0);
      addTestModel(7, 4);
      for (int I = 0; I < 3; ++I)
        inRun([] { span(site(7, 1), 1); });
      Empty();
      EXPECT_EQ(snapshot(Folder.file("empty.tprof")), 0);
      inRun([] { span(site(7, 1), 1); });
      EXPECT_EQ(snapshot(Folder.file("s.tprof")), 0);
    });
    for (const auto &M : readProfile(Folder.file("empty.tprof")).Measures)
      EXPECT_EQ(M.Data.Word, 0u);
    for (const char *Name : {"p.tprof", "s.tprof"})
      EXPECT_EQ(readProfile(Folder.file(Name)).measure(MeasureId::Cpu, 1).Word,
                2u)
          << Name;
  }
}

TEST(Measures, ManySitesGrowTheirTables) {
  ReadProfile P = measured([] {
    addTestModel(9, 3000);
    inRun([] {
      for (uint64_t I = 1; I < 3000; ++I)
        span(site(9, I), 1);
      addTestModel(10, 2000); // entries move while the root is open
      for (uint64_t I = 1; I < 2000; ++I)
        span(site(10, I), 1);
    });
  });
  EXPECT_EQ(P.Measures.size(), 1 + 2999u + 1999u);
  EXPECT_EQ(P.measure(MeasureId::Cpu, 0).Word, 2u);
  EXPECT_EQ(P.counter(Counter::MeasureMissed), 0u);
}
