//===- DeviceTimeTest.cpp - how long a device works for spans -------------===//

#include "FakeDevice.h"

#include "Recording.h"

#include <thread>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::test::device;
using namespace torchprof::format;

using DeviceTimeTest = DeviceTest;

TEST_F(DeviceTimeTest, KernelsHaveTheTimesThatTheyTake) {
  ReadProfile P = recorded([] {
    for (int I = 0; I < 3; ++I)
      run([] {
        node(1, 1'000'000);
        node(2, 4'000'000);
      });
    wait();
    stop();
  });
  // The device waits for the host before the first kernel only.
  EXPECT_EQ(timeOf(P, 1), (Time{3, 3'000'010, 1}));
  EXPECT_EQ(timeOf(P, 2), (Time{3, 12'000'000, 0}));
  EXPECT_EQ(timeOf(P, 0), (Time{3, 15'000'010, 1}));
  EXPECT_EQ(P.measure(MeasureId::Device, 2).Max, 4'000'000u);
  EXPECT_EQ(P.measure(MeasureId::Device, 1).Time, 30u); // on the host
  EXPECT_EQ(P.count(1), 3u);
}

TEST_F(DeviceTimeTest, SlowHostStarvesTheDevice) {
  ReadProfile P = recorded([] {
    run([] {
      for (int I = 0; I < 4; ++I)
        node(1, 2'000, /*HostNs=*/50'000);
      node(2, 900'000, 50'000); // begins when node 1 has just ended
      node(3, 2'000, 50'000);   // does not wait for the host
    });
    wait();
    stop();
  });
  // Each holds the time in which the device waited for its kernel.
  EXPECT_EQ(timeOf(P, 1), (Time{4, 4 * 50'000 + 2'000, 1}));
  EXPECT_EQ(timeOf(P, 3), (Time{1, 2'000, 0}));
}

TEST_F(DeviceTimeTest, NodesOfTheHostHaveNone) {
  ReadProfile P = recorded([] {
    for (int I = 0; I < 3; ++I)
      run([I] {
        unsigned Before = Recorded;
        node(1, 0, 10, {NoDevice, NoDevice});
        if (I > 0) { // it is known by then
          EXPECT_EQ(Recorded, Before);
        }
      });
    stop();
  });
  EXPECT_EQ(timeOf(P, 1), (Time{0, 0, 0}));
  EXPECT_EQ(P.count(1), 3u);
  EXPECT_EQ(timeOf(P, 0).Count, 3u);
}

TEST_F(DeviceTimeTest, OutputsOnADeviceAreEnough) {
  ReadProfile P = recorded([] {
    for (int I = 0; I < 3; ++I)
      run([] { node(1, 7'000, 10, {NoDevice, 0}); });
    wait();
    stop();
  });
  EXPECT_EQ(timeOf(P, 1).Count, 3u);
  EXPECT_EQ(timeOf(P, 1).Sum, 3 * 7'000 + 10u);
}

TEST_F(DeviceTimeTest, OperandsNameTheDevice) {
  ReadProfile P = recorded([] {
    run([] {
      node(1, 0, 10, {1, 1}, [] {
        Current = 1;
        launch(5'000);
        Current = 0;
      });
      node(2, 3'000);
    });
    wait();
    stop();
  });
  EXPECT_EQ(timeOf(P, 1).Sum, 5'010u);
  EXPECT_EQ(timeOf(P, 2).Sum, 3'010u);
}

TEST_F(DeviceTimeTest, ExceptionLeavesItsNeighboursRight) {
  ReadProfile P = recorded([] {
    run([] {
      Values V{0, 0};
      FrameSpan Left(Slot(1), {&V, InputCount, OutputCount});
      launch(1'000);
      Left.abandon();
    });
    run([] { node(2, 1'000); });
    wait();
    stop();
  });
  EXPECT_EQ(timeOf(P, 1), (Time{0, 0, 0}));
  EXPECT_EQ(timeOf(P, 2).Count, 1u);
}

TEST_F(DeviceTimeTest, EveryNthRunOnly) {
  ReadProfile P = recorded(
      [] {
        for (int I = 0; I < 10; ++I)
          run([] { node(1, 1'000); });
        wait();
        stop();
      },
      {{"record_every", "4"}});
  EXPECT_EQ(timeOf(P, 1).Count, 3u);
  EXPECT_EQ(P.count(1), 10u);
}

TEST_F(DeviceTimeTest, PairsOfProbesAreTimedToo) {
  ReadProfile P = recorded([] {
    run([] {
      pair(1, [] {
        advanceClock(10);
        launch(2'000);
      });
      // As LibTorch tells what a node works on.
      Values Here{NoDevice, NoDevice}, There{NoDevice, 0};
      Recording &R = *Recording::existing();
      pair(2, [&] {
        R.measures().device()->tellInputs(*ThisLane, {&Here, InputCount, 0});
        R.measures().device()->tellOutputs(*ThisLane, {&Here, 0, OutputCount});
      });
      pair(3, [&] {
        R.measures().device()->tellInputs(*ThisLane, {&There, InputCount, 0});
        launch(3'000);
        R.measures().device()->tellOutputs(*ThisLane, {&There, 0, OutputCount});
      });
    });
    wait();
    stop();
  });
  EXPECT_EQ(timeOf(P, 1), (Time{1, 2'010, 0}));
  EXPECT_EQ(timeOf(P, 2), (Time{0, 0, 0}));
  EXPECT_EQ(timeOf(P, 3), (Time{1, 3'000, 0}));
}

TEST_F(DeviceTimeTest, RunInsideANodeIsNestedInIt) {
  ReadProfile P = recorded([] {
    addTestModel(8, 2);
    run([] {
      node(1, 1'000, 2'000, {0, 0}, [] {
        uint64_t R =
            enterRoot(site(8, 0),
                      reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
        launch(4'000);
        endSpan(R, site(8, 0));
      });
    });
    wait();
    stop();
  });
  EXPECT_EQ(timeOf(P, 1).Sum, 7'000u);
  EXPECT_EQ(P.measure(MeasureId::Device, 1).Nested,
            P.measure(MeasureId::Device, 6).Sum);
  EXPECT_EQ(P.measure(MeasureId::Device, 6).Sum, 4'000u);
}

TEST_F(DeviceTimeTest, GradientOfAnotherThreadIsNestedInWhatWaitsForIt) {
  ReadProfile P = recorded([] {
    run([] {
      node(1, 0, 10, {0, 0}, [] {
        std::thread([NodeBegin = ThisLane->CurrentTicks] {
          Slot Gradient = *childOf(site(7, 2), DynamicKind::Backward, "mul");
          uint64_t Begin = beginFunction(Gradient);
          launch(4'000);
          wait(); // it is booked when it ends
          endSlot(Begin, Gradient, Slot(1), NodeBegin);
        }).join();
      });
    });
    wait();
    stop();
  });
  uint64_t Nested = 0;
  for (const ReadProfile::MeasureOf &M : P.Measures)
    if (M.Measure == MeasureId::Device && M.Data.Site == Slot(1))
      Nested += M.Data.Nested;
  EXPECT_EQ(Nested, 4'000u);
  EXPECT_EQ(timeOf(P, 1).Sum, 4'010u);
}

TEST_F(DeviceTimeTest, WithoutADeviceOneWarningSaysSo) {
  testing::internal::CaptureStderr();
  ReadProfile P = recorded([] {
    IsThere = false;
    run([] { node(1, 0); });
    run([] { node(1, 0); });
    IsThere = true; // its library was loaded
    run([] { node(1, 5'000); });
    wait();
    stop();
  });
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "torchprof: warning: device time is not recorded as long as the process "
      "uses no device whose events can be timed\n");
  EXPECT_EQ(timeOf(P, 1), (Time{1, 5'010, 1}));
  EXPECT_EQ(P.count(1), 3u);
}

TEST_F(DeviceTimeTest, NothingIsRecordedUnlessAskedFor) {
  ReadProfile P =
      recorded([] { run([] { node(1, 1'000); }); }, {{"record", "cpu"}});
  EXPECT_EQ(Recorded, 0u);
  EXPECT_EQ(timeOf(P, 1).Starved, 0u);
}

TEST_F(DeviceTimeTest, MemoryIsMeasuredBesideIt) {
  ReadProfile P = recorded(
      [] {
        run([] { node(1, 1'000); });
        wait();
        stop();
      },
      {{"record", "memory,device"}});
  EXPECT_EQ(P.measure(MeasureId::Device, 1).Sum, 1'010u);
  EXPECT_EQ(P.measure(MeasureId::Allocated, 1).Word, 2u);
}
