//===- DeviceQueueTest.cpp - spans that wait for their device -------------===//

#include "FakeDevice.h"

#include <filesystem>
#include <thread>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::test::device;
using namespace torchprof::format;

using DeviceQueueTest = DeviceTest;

TEST_F(DeviceQueueTest, NobodyWaitsForTheDevice) {
  ReadProfile P = recorded([] {
    run([] { node(1, 1'000'000); });
    stop(); // before the kernel has ended
    start();
    EXPECT_EQ(clock::ticks(), 1010u);
    advanceClock(900'000);
    run([] { node(2, 5); });
    EXPECT_EQ(clock::ticks(), 901'020u);
  });
  EXPECT_EQ(timeOf(P, 1), (Time{0, 0, 0}));
  EXPECT_EQ(timeOf(P, 2), (Time{0, 0, 0}));
  EXPECT_EQ(P.count(1), 1u);
  EXPECT_EQ(P.count(2), 1u);
  EXPECT_EQ(P.counter(Counter::UnreadDeviceSpans), 4u);
}

TEST_F(DeviceQueueTest, EndOfACycleFindsWhatHasEndedAndCountsTheRest) {
  recorded(
      [] {
        run([] {
          node(1, 5);
          node(2, 0, 100); // the device has ended the first
          node(3, 1'000'000);
        });
      },
      {{"schedule", "active=1,repeat=1"}});
  ReadProfile P = readProfile(Folder.file("p.1.tprof"));
  EXPECT_EQ(timeOf(P, 1).Count, 1u);
  EXPECT_EQ(timeOf(P, 3).Count, 0u);
  EXPECT_EQ(P.counter(Counter::UnreadDeviceSpans), 2u); // and the run's
}

TEST_F(DeviceQueueTest, LaterProbesFindWhatHasEnded) {
  ReadProfile P = recorded([] {
    run([] { node(1, 1'000'000); });
    wait();
    run([] {
      node(2, 1'000'000);
      // The two of the first run; those of this one are not reached.
      EXPECT_GE(Asked, 2u);
    });
  });
  EXPECT_EQ(timeOf(P, 1), (Time{1, 1'000'010, 1}));
  EXPECT_EQ(timeOf(P, 0), (Time{1, 1'000'010, 1}));
  EXPECT_EQ(timeOf(P, 2), (Time{0, 0, 0}));
}

TEST_F(DeviceQueueTest, NeighboursShareTheirEvents) {
  ReadProfile P = recorded([] {
    run([] {
      for (int I = 0; I < 10; ++I)
        node(1, 10);
    });
    // One before the first, one behind each; the run shares the outer two.
    EXPECT_EQ(Recorded, 11u);
    Recorded = 0;
    run([] { // shares the last one of the run before
      for (int I = 0; I < 10; ++I) {
        advanceClock(1'000); // more than what is shared spans
        node(1, 100);        // and the device waits
      }
    });
    EXPECT_EQ(Recorded, 20u);
    wait();
    stop();
  });
  EXPECT_EQ(timeOf(P, 1).Count, 20u);
  EXPECT_EQ(timeOf(P, 0).Count, 2u);
}

TEST_F(DeviceQueueTest, NeighboursOnADeviceThatIsBehindShareTheirEvents) {
  ReadProfile P = recorded([] {
    auto TenApart = [](uint64_t Ticks) {
      for (int I = 0; I < 10; ++I) {
        advanceClock(Ticks);
        node(1, 1'000'000);
      }
    };
    run([&] { TenApart(1'900); });
    EXPECT_EQ(Recorded, 12u); // the run begins long before the device does
    Recorded = 0;
    run([&] { TenApart(2'000); }); // in which more may have been given to it
    EXPECT_EQ(Recorded, 20u);
    wait();
    stop();
  });
  EXPECT_EQ(timeOf(P, 1), (Time{20, 20'000'010, 1}));
}

TEST_F(DeviceQueueTest, StreamIsAskedForItsHandleOnce) {
  recorded([] {
    run([] {
      for (int64_t Number : {0, 1}) {
        Stream = Number;
        for (int I = 0; I < 10; ++I)
          node(1, 1'000);
      }
      Stream = 0;
    });
    EXPECT_EQ(AskedHandles, 2u);
    wait();
    stop();
  });
}

TEST_F(DeviceQueueTest, SpansInEachOtherShareTheirEvents) {
  ReadProfile P = recorded([] {
    RecordTakes = 5'000; // which is the probes' time, not the host's
    run([] {
      for (int I = 0; I < 5; ++I)
        pair(2, [] {
          pair(3, [] { node(1, 1'000); });
          node(1, 1'000);
        });
    });
    EXPECT_EQ(Recorded, 11u); // one before the first node, one behind each
    wait();
    stop();
  });
  EXPECT_EQ(timeOf(P, 1).Count, 10u);
  EXPECT_EQ(timeOf(P, 2).Sum, timeOf(P, 1).Sum);
  EXPECT_EQ(timeOf(P, 0).Sum, timeOf(P, 1).Sum);
}

TEST_F(DeviceQueueTest, WhatProbesDoForTheDeviceIsPartOfNoSpan) {
  ReadProfile P = recorded([] {
    RecordTakes = 5'000; // longer than neighbours that share may be apart
    run([] {
      for (int I = 0; I < 10; ++I)
        node(1, 1'000);
    });
    EXPECT_EQ(Recorded, 11u); // they share all the same
    wait();
    stop();
  });
  EXPECT_EQ(P.sum(1), 100u);
  EXPECT_EQ(P.sum(0), 100u);
  EXPECT_EQ(P.Lanes.at(0).ApartTicks, 11u * 5'000);
  EXPECT_EQ(timeOf(P, 1).Count, 10u);
}

TEST_F(DeviceQueueTest, TraceHasSpansWhereTheyWere) {
  ReadProfile P = recorded(
      [] {
        RecordTakes = 5'000;
        run([] { node(1, 1'000); });
        wait();
        stop();
      },
      {{"mode", "trace"}});
  EXPECT_EQ(P.sum(1), 10u);
  EXPECT_GE(P.sum(0), 5'000u);
  EXPECT_EQ(P.Lanes.at(0).ApartTicks, 0u);
}

TEST_F(DeviceQueueTest, DeviceThatIsBehindIsAskedOnceForMany) {
  recorded([] {
    run([] {
      for (int I = 0; I < 1000; ++I)
        node(1, 1'000'000);
      EXPECT_LE(Asked, 2000u); // nothing is reached
    });
    wait();
    Asked = 0;
    run([] { node(1, 1); });
    stop();
    EXPECT_LE(Asked, 5u);
  });
}

TEST_F(DeviceQueueTest, SpanThatLeavesItsStreamIsLostAndCounted) {
  ReadProfile P = recorded([] {
    run([] {
      node(1, 1'000, 10, {0, 0}, [] { Stream = 1; });
      node(2, 1'000);
      Stream = 0;
    });
    wait();
    stop();
  });
  EXPECT_EQ(timeOf(P, 1), (Time{0, 0, 0}));
  EXPECT_EQ(timeOf(P, 2).Count, 1u);
  EXPECT_EQ(P.counter(Counter::LostDeviceSpans), 1u);
  EXPECT_EQ(P.count(1), 1u);
}

TEST_F(DeviceQueueTest, NothingIsDoneWhileAStreamIsCaptured) {
  ReadProfile P = recorded([] {
    run([] { node(1, 1'000); });
    wait();
    unsigned Events = Recorded, Questions = Asked;
    IsCaptured = true;
    run([] { node(1, 1'000); });
    EXPECT_EQ(Recorded, Events);
    EXPECT_EQ(Asked, Questions);
    IsCaptured = false;
    run([] { node(1, 1'000); });
    wait();
    stop();
  });
  EXPECT_EQ(timeOf(P, 1).Count, 2u);
  EXPECT_EQ(P.count(1), 3u);
  EXPECT_EQ(P.counter(Counter::LostDeviceSpans), 0u);
}

TEST_F(DeviceQueueTest, EventsThatFailAreCounted) {
  ReadProfile P = recorded([] {
    RecordFails = true;
    run([] { node(1, 1'000); });
    RecordFails = false;
    run([] { node(2, 1'000); });
    LastRecorded.load()->Fails = true; // the run's and its node's
    wait();
    stop();
  });
  EXPECT_EQ(timeOf(P, 1), (Time{0, 0, 0}));
  EXPECT_EQ(timeOf(P, 2), (Time{0, 0, 0}));
  EXPECT_EQ(P.counter(Counter::LostDeviceSpans), 4u);
  EXPECT_EQ(P.counter(Counter::UnreadDeviceSpans), 0u);
}

TEST_F(DeviceQueueTest, WhatWaitsIsBounded) {
  constexpr unsigned Most = DeviceQueue::MostPending;
  ReadProfile P = recorded([] {
    run([] { // the device never ends
      for (unsigned I = 0; I < Most + 100; ++I)
        node(1, 1'000'000'000'000);
    });
    EXPECT_LE(Recorded, Most + 110); // events are used again
    wait();
    run([] { node(2, 1'000); });
    wait();
    stop();
  });
  EXPECT_EQ(timeOf(P, 1).Count, Most);
  EXPECT_EQ(timeOf(P, 2).Count, 1u);
  EXPECT_EQ(P.counter(Counter::LostDeviceSpans), 101u); // and the run
  EXPECT_EQ(P.count(1), Most + 100);
}

TEST_F(DeviceQueueTest, ResetForgetsWhatIsPending) {
  for (void (*Empty)() : {reset, resetThread}) {
    ReadProfile P = recorded([=] {
      run([] { node(1, 1'000'000); });
      Empty();
      wait();
      run([] { node(2, 1'000); });
      wait();
      stop();
    });
    EXPECT_EQ(timeOf(P, 1), (Time{0, 0, 0}));
    EXPECT_EQ(timeOf(P, 2).Count, 1u);
    EXPECT_EQ(timeOf(P, 0).Count, 1u);
  }
}

TEST_F(DeviceQueueTest, ForkedChildHasEventsOfItsOwn) {
  resetDevice();
  record(Folder.file("p.tprof"), [&] {
    ASSERT_EQ(setOption("record", "device"), 0);
    addTestModel(7, 6);
    run([] { node(1, 1'000); });
    EXPECT_EQ(runChild([] {
                for (int I = 0; I < 3; ++I) {
                  run([] { node(2, 1'000); });
                  usleep(100);
                }
                stop();
              }),
              0);
  });
  ASSERT_EQ(Folder.names().size(), 2u);
  for (const std::string &Name : Folder.names()) {
    if (Name == "p.tprof")
      continue;
    ReadProfile P = readProfile(Folder.file(Name));
    EXPECT_EQ(timeOf(P, 1), (Time{0, 0, 0}));
    EXPECT_EQ(timeOf(P, 2).Count, 3u);
  }
}

TEST_F(DeviceQueueTest, TraceHasEachSpanOnItsStream) {
  ReadProfile P = recorded(
      [] {
        run([] {
          node(1, 1'000);
          node(2, 4'000);
        });
        Stream = 1;
        run([] { node(3, 500); });
        Stream = 0;
        wait();
        stop();
      },
      {{"mode", "trace"}});
  struct Span {
    unsigned Site;
    uint64_t Host, Ns;
    unsigned Stream;
    bool operator==(const Span &) const = default;
  };
  std::vector<Span> Spans;
  for (const DeviceSpan &S : P.DeviceSpans)
    Spans.push_back({number(S.Site), S.HostTicks, S.Ns, S.Stream});
  EXPECT_EQ(Spans, (std::vector<Span>{{1, 1000, 1'010, 0},
                                      {2, 1010, 4'000, 0},
                                      {0, 1000, 5'010, 0},
                                      {3, 1020, 510, 1},
                                      {0, 1020, 510, 1}}));
  ASSERT_EQ(P.DeviceSpans.size(), 5u);
  uint64_t First = P.DeviceSpans[0].BeginNs;
  EXPECT_EQ(P.DeviceSpans[1].BeginNs, First + 1'010);
  EXPECT_EQ(P.DeviceSpans[2].BeginNs, First);
}

TEST_F(DeviceQueueTest, TraceKeepsTheFirstOrTheLast) {
  auto Traced = [&](const char *Keep) {
    return recorded(
        [] {
          for (unsigned I = 0; I < 600; ++I)
            run([I] { node(I < 300 ? 1 : 2, 1'000); });
          wait();
          stop();
        },
        {{"mode", "trace"}, {"trace_keep", Keep}, {"trace_events", "1024"}});
  };
  ReadProfile First = Traced("first");
  ASSERT_EQ(First.DeviceSpans.size(), 1024u);
  EXPECT_EQ(First.DeviceSpans.front().HostTicks, 1000u);
  std::filesystem::remove(Folder.file("p.tprof"));
  ReadProfile Last = Traced("last");
  ASSERT_EQ(Last.DeviceSpans.size(), 1024u);
  EXPECT_EQ(Last.DeviceSpans.back().Site, Slot(0));
  EXPECT_EQ(Last.DeviceSpans.back().HostTicks, 1000u + 599 * 10);
}

TEST_F(DeviceQueueTest, DeviceClocksGoOnForHours) {
  ReadProfile P = recorded(
      [] {
        for (int I = 0; I < 20; ++I) {
          run([] { node(1, 1'000); });
          advanceClock(600'000'000'000); // ten minutes
        }
        stop();
      },
      {{"mode", "trace"}});
  ASSERT_EQ(P.DeviceSpans.size(), 40u);
  for (const DeviceSpan &S : P.DeviceSpans)
    EXPECT_EQ(S.BeginNs - P.DeviceSpans[0].BeginNs,
              S.HostTicks - P.DeviceSpans[0].HostTicks);
}

TEST_F(DeviceQueueTest, ThreadsWorkWhileAnotherReadsAndResets) {
  constexpr unsigned Runs = 2'000;
  resetDevice();
  record(Folder.file("p.tprof"), [&] {
    ASSERT_EQ(setOption("record", "device"), 0);
    addTestModel(7, 6);
    std::atomic<unsigned> Ended = 0;
    std::vector<std::thread> Threads;
    for (unsigned T = 0; T < 4; ++T)
      Threads.emplace_back([&Ended, T] {
        Stream = T;
        for (unsigned I = 0; I < Runs; ++I)
          run([] {
            node(1, 100);
            node(2, 50, 10, {0, 0}, [] { node(3, 10); });
          });
        ++Ended;
      });
    while (Ended < 4) {
      totals();
      stop();
      start();
      reset();
    }
    for (std::thread &T : Threads)
      T.join();
    run([] { node(1, 100); }); // behind the last reset
    usleep(1000);
    stop();
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  for (const ReadProfile::MeasureOf &M : P.Measures)
    EXPECT_EQ(M.Data.Word % 2, 0u);
  EXPECT_GE(timeOf(P, 1).Count, 1u);
  EXPECT_LE(timeOf(P, 1).Count, 4 * Runs + 1);
}
