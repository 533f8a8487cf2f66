//===- MemoryTest.cpp - what tensors take, per span -----------------------===//

#include "Memory.h"

#include "Control.h"
#include "DeviceInUse.h"
#include "Probe.h"
#include "TestSupport.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

/// Runs \p Body with TORCHPROF_RECORD=\p Words.
ReadProfile withMemory(const std::function<void()> &Body,
                       const char *Words = "memory") {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    ASSERT_EQ(setOption("record", Words), 0);
    addTestModel(7, 4);
    Body();
  });
  return readProfile(Folder.file("p.tprof"));
}

/// A node, as a pair of probes or as a timed node.
struct MemoryValues {
  uint64_t Count, Allocated, Freed, Peak, Allocations;
  bool operator==(const MemoryValues &) const = default;
};

std::ostream &operator<<(std::ostream &OS, const MemoryValues &V) {
  return OS << V.Count << " spans: " << V.Allocated << ", " << V.Freed << ", "
            << V.Peak << ", " << V.Allocations;
}

/// What a slot measured; of devices with DeviceMemory.
template <typename Source = Memory>
MemoryValues valuesOf(const ReadProfile &P, uint32_t Slot) {
  auto Of = [&](typename Source::Reading R) {
    return P.measure(Source::Group::All[R], Slot);
  };
  return {Of(Source::Allocated).Word / 2, Of(Source::Allocated).Sum,
          Of(Source::Freed).Sum, Of(Source::Peak).Sum,
          Of(Source::Allocations).Sum};
}

} // namespace

TEST(Memory, SpansHoldWhatTheirThreadAllocatedAndFreed) {
  ReadProfile P = withMemory([] {
    noteAllocated(1000); // before the run: nobody's
    inRun([] {
      noteAllocated(100);
      pairedNode(1, [] {
        noteAllocated(50);
        noteFreed(100);
        noteAllocated(30);
      });
      for (int I = 0; I < 2; ++I)
        timedNode(2, [I] { noteAllocated(7 + uint64_t(I)); });
      noteFreed(50);
    });
    noteFreed(1000);
  });
  EXPECT_EQ(valuesOf(P, 0), (MemoryValues{1, 195, 150, 150, 5}));
  EXPECT_EQ(valuesOf(P, 1), (MemoryValues{1, 80, 100, 50, 2}));
  EXPECT_EQ(valuesOf(P, 2), (MemoryValues{2, 15, 0, 8, 2}));
  EXPECT_EQ(P.count(2), 2u); // time is recorded as ever
}

TEST(Memory, SiteEnteredInsideItselfIsMeasuredEachTime) {
  ReadProfile P = withMemory([] {
    inRun([] {
      pairedNode(1, [] {
        noteAllocated(100);
        timedNode(1, [] {
          noteAllocated(50);
          pairedNode(1, [] { noteAllocated(7); });
        });
        noteFreed(50);
      });
    });
  });
  EXPECT_EQ(valuesOf(P, 1),
            (MemoryValues{3, 157 + 57 + 7, 50, 157, 3 + 2 + 1}));
  EXPECT_EQ(P.counter(Counter::MeasureMissed), 0u);
}

TEST(Memory, SpanLeftByAnExceptionDoesNotSpoilTheNextOne) {
  ReadProfile P = withMemory([] {
    for (bool Throws : {true, false}) {
      uint64_t R = enterRoot(
          site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
      uint64_t Begin = beginSpan(site(7, 1));
      noteAllocated(100);
      if (Throws)
        continue; // up to the next root, which lies no deeper
      endSpan(Begin, site(7, 1));
      endSpan(R, site(7, 0));
    }
  });
  EXPECT_EQ(valuesOf(P, 0), (MemoryValues{1, 100, 0, 100, 1}));
  EXPECT_EQ(valuesOf(P, 1), (MemoryValues{1, 100, 0, 100, 1}));
  EXPECT_EQ(P.counter(Counter::MeasureMissed), 0u);
}

TEST(Memory, RegionsAroundTheFirstRunAreMeasuredAsAllOthers) {
  ReadProfile P = withMemory([] {
    uint32_t Name = regionNumber("region");
    for (int I = 0; I < 2; ++I) {
      DynamicSpan Label = beginLabel("label");
      uint64_t Region = beginRegion(Name);
      inRun([] { timedNode(1, [] { noteAllocated(100); }); });
      endRegion(Region, Name);
      endLabel(Label);
    }
  });
  EXPECT_EQ(valuesOf(P, P.region("label")), (MemoryValues{2, 200, 0, 100, 2}));
  EXPECT_EQ(valuesOf(P, P.region("region")), (MemoryValues{2, 200, 0, 100, 2}));
}

TEST(Memory, PeakOfASpanIsAboveWhatWasHeldAtItsBegin) {
  ReadProfile P = withMemory([] {
    inRun([] {
      noteAllocated(500);
      noteFreed(500);
      pairedNode(1, [] {
        noteAllocated(10);
        pairedNode(2, [] {
          noteAllocated(100);
          noteFreed(100);
        });
        timedNode(3, [] { noteAllocated(20); });
      });
      noteAllocated(40);
    });
  });
  EXPECT_EQ(P.measure(MeasureId::Peak, 2).Sum, 100u);
  EXPECT_EQ(P.measure(MeasureId::Peak, 3).Sum, 20u);
  EXPECT_EQ(P.measure(MeasureId::Peak, 1).Sum, 110u);
  EXPECT_EQ(P.measure(MeasureId::Peak, 0).Sum, 500u);
}

TEST(Memory, PeakOfAllSpansIsThatOfTheLargest) {
  ReadProfile P = withMemory([] {
    for (uint64_t Bytes : {30, 90, 60})
      inRun([Bytes] {
        pairedNode(1, [Bytes] {
          noteAllocated(Bytes);
          noteFreed(Bytes);
        });
      });
  });
  EXPECT_EQ(valuesOf(P, 1), (MemoryValues{3, 180, 180, 90, 3}));
}

TEST(Memory, ThreadMayFreeWhatAnotherAllocated) {
  ReadProfile P = withMemory([] {
    noteAllocated(64);
    std::thread([] {
      inRun([] { timedNode(1, [] { noteFreed(64); }); });
      inRun([] { timedNode(2, [] { noteAllocated(32); }); });
    }).join();
  });
  EXPECT_EQ(valuesOf(P, 1), (MemoryValues{1, 0, 64, 0, 0}));
  EXPECT_EQ(valuesOf(P, 2), (MemoryValues{1, 32, 0, 32, 1}));
}

TEST(Memory, SpanLeftByAnExceptionTakesNothingFromTheNextRun) {
  ReadProfile P = withMemory([] {
    inRun([] {
      FrameSpan Span{Slot(1)};
      noteAllocated(100);
      Span.abandon();
    });
    inRun([] { timedNode(1, [] { noteAllocated(8); }); });
  });
  EXPECT_EQ(valuesOf(P, 1), (MemoryValues{1, 8, 0, 8, 1}));
}

TEST(Memory, TimedNodeAcrossAResetIsCutAndNotMeasured) {
  ReadProfile P = withMemory([] {
    inRun([] {
      timedNode(1, [] { noteAllocated(8); });
      timedNode(1, [] {
        noteAllocated(100);
        reset();
        noteAllocated(10);
      });
    });
    inRun([] { timedNode(2, [] { noteAllocated(16); }); });
  });
  EXPECT_EQ(P.count(1), 0u);
  EXPECT_EQ(P.cut(1), 1u);
  for (const auto &M : P.Measures)
    EXPECT_EQ(M.Data.Word, M.Data.Site == Slot(1) ? 0u : 2u);
  EXPECT_EQ(valuesOf(P, 2), (MemoryValues{1, 16, 0, 16, 1}));
}

TEST(Memory, ForkedChildGoesOnFromWhatItsThreadHeld) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    ASSERT_EQ(setOption("record", "memory"), 0);
    addTestModel(7, 4);
    inRun([] { timedNode(1, [] { noteAllocated(100); }); });
    EXPECT_EQ(runChild([] {
                inRun([] {
                  timedNode(1, [] {
                    noteFreed(100);
                    noteAllocated(30);
                  });
                });
              }),
              0);
  });
  ASSERT_EQ(Folder.names().size(), 2u);
  for (const std::string &Name : Folder.names()) {
    ReadProfile P = readProfile(Folder.file(Name));
    EXPECT_EQ(valuesOf(P, 1), Name == "p.tprof"
                                  ? (MemoryValues{1, 100, 0, 100, 1})
                                  : (MemoryValues{1, 30, 100, 0, 1}));
  }
}

TEST(Memory, ThreadsMeasureWhileAnotherResets) {
  ReadProfile P = withMemory([] {
    std::vector<std::thread> Threads;
    for (int T = 0; T < 3; ++T)
      Threads.emplace_back([] {
        for (int I = 0; I < 3000; ++I)
          inRun([] {
            for (unsigned Site : {1, 2, 3})
              timedNode(Site, [] { noteAllocated(8); });
          });
      });
    resetWhile(Threads);
    reset();
    inRun([] { timedNode(1, [] { noteAllocated(8); }); });
  });
  EXPECT_EQ(P.count(1), 1u);
  for (const auto &M : P.Measures)
    EXPECT_EQ(M.Data.Word % 2, 0u);
}

TEST(Memory, IsMeasuredBesideProcessorTime) {
  ReadProfile P =
      withMemory([] { inRun([] { timedNode(1, [] { noteAllocated(8); }); }); },
                 "cpu,memory");
  EXPECT_EQ(valuesOf(P, 1), (MemoryValues{1, 8, 0, 8, 1}));
  EXPECT_EQ(P.measure(MeasureId::Cpu, 1).Word, 2u);
  EXPECT_EQ(P.Measures.size(), 2u * 5u);
}

TEST(Memory, WithoutCountsThereIsNoSegment) {
  ReadProfile P = withMemory([] {
    setMemoryHook([] { return false; });
    inRun([] { timedNode(1, [] { noteAllocated(8); }); });
  });
  EXPECT_TRUE(P.Measures.empty());
  EXPECT_EQ(P.count(1), 1u);
}

TEST(Memory, EndsWithTheRunInWhichCountsEnd) {
  static bool IsCounted = true;
  ReadProfile P = withMemory([] {
    setMemoryHook([] { return IsCounted; });
    for (int I = 0; I < 4; ++I) {
      inRun([] { timedNode(1, [] { noteAllocated(8); }); });
      IsCounted = I < 1;
    }
  });
  EXPECT_EQ(valuesOf(P, 1), (MemoryValues{2, 16, 0, 8, 2}));
  EXPECT_EQ(P.count(1), 4u);
}

TEST(Memory, BlocksOfADeviceAreMeasuredBesideThoseOfTheCpu) {
  DeviceInUse Device;
  ReadProfile P = withMemory([] {
    inRun([] {
      pairedNode(1, [] {
        noteAllocated(8);
        noteDeviceAllocated(512);
        noteDeviceAllocated(1024);
        noteDeviceFreed(512);
        timedNode(2, [] {
          noteDeviceFreed(1024);
          noteDeviceAllocated(256);
        });
      });
    });
  });
  EXPECT_EQ(valuesOf(P, 1), (MemoryValues{1, 8, 0, 8, 1}));
  EXPECT_EQ(valuesOf<DeviceMemory>(P, 1),
            (MemoryValues{1, 1792, 1536, 1536, 3}));
  EXPECT_EQ(valuesOf<DeviceMemory>(P, 2), (MemoryValues{1, 256, 1024, 0, 1}));
  EXPECT_EQ(valuesOf<DeviceMemory>(P, 0),
            (MemoryValues{1, 1792, 1536, 1536, 3}));
  EXPECT_EQ(valuesOf(P, 2), (MemoryValues{1, 0, 0, 0, 0}));
}

TEST(Memory, DeviceWhoseBlocksAreNotSeenHasNoSegment) {
  DeviceInUse Device;
  ReadProfile P = withMemory([] {
    for (int I = 0; I < 2; ++I)
      inRun([] { timedNode(1, [] { noteAllocated(8); }); });
  });
  EXPECT_EQ(valuesOf(P, 1), (MemoryValues{2, 16, 0, 8, 2}));
  EXPECT_EQ(P.Measures.size(), 2u * 4u); // of the CPU
}

TEST(Memory, DeviceIsMeasuredFromItsFirstBlockOn) {
  DeviceInUse Device;
  ReadProfile P = withMemory([] {
    inRun([] {
      timedNode(1, [] {}); // nothing is known to report blocks yet
      timedNode(2, [] { noteDeviceAllocated(64); });
    });
    inRun([] { timedNode(1, [] {}); });
  });
  EXPECT_EQ(valuesOf<DeviceMemory>(P, 1), (MemoryValues{1, 0, 0, 0, 0}));
  EXPECT_EQ(valuesOf<DeviceMemory>(P, 2), (MemoryValues{1, 64, 0, 64, 1}));
  EXPECT_EQ(valuesOf<DeviceMemory>(P, 0), (MemoryValues{2, 64, 0, 64, 1}));
}

TEST(Memory, DeviceThatComesLateIsMeasuredFromTheNextRunOn) {
  static bool IsInUse;
  IsInUse = false;
  DeviceInUse Device([] { return IsInUse; });
  ReadProfile P = withMemory([] {
    uint32_t Name = regionNumber("region");
    for (int I = 0; I < 3; ++I) {
      uint64_t Region = beginRegion(Name);
      inRun([] {
        timedNode(1, [] {
          IsInUse = true;
          noteDeviceAllocated(64);
        });
      });
      endRegion(Region, Name);
    }
  });
  EXPECT_EQ(valuesOf<DeviceMemory>(P, 1), (MemoryValues{2, 128, 0, 64, 2}));
  // The second region began before the run that asked for the device.
  EXPECT_EQ(valuesOf<DeviceMemory>(P, P.region("region")),
            (MemoryValues{1, 64, 0, 64, 1}));
  EXPECT_EQ(P.counter(Counter::MeasureMissed), 0u);
}
