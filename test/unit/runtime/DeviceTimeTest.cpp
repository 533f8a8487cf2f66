//===- DeviceTimeTest.cpp - how long a device works for spans -------------===//
//
// The device is made up: a stream's clock stands where its work will be done, a
// kernel moves it on, an event is reached when the test's clock has come there.
//
//===----------------------------------------------------------------------===//

#include "DeviceTime.h"

#include "Control.h"
#include "Probe.h"
#include "Recording.h"
#include "TestSupport.h"

#include <atomic>
#include <deque>
#include <filesystem>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

struct FakeEvent {
  std::atomic<uint64_t> At = 0;
  std::atomic<bool> Fails = false;
};

/// One that lives as long as the process.
FakeEvent *newEvent() {
  static std::mutex Mutex;
  static std::deque<FakeEvent> Events;
  std::lock_guard Lock(Mutex);
  return &Events.emplace_back();
}

std::atomic<bool> IsThere = true, IsCaptured = false, RecordFails = false;
std::atomic<unsigned> Recorded = 0, Asked = 0;
std::atomic<uint64_t> Done[2][4];
thread_local int32_t Current = 0;
thread_local int64_t Stream = 0;
std::atomic<FakeEvent *> LastRecorded = nullptr;

/// A kernel of so many nanoseconds, the test clock's ticks.
void launch(uint64_t Ns) {
  std::atomic<uint64_t> &End = Done[Current][Stream];
  End = std::max<uint64_t>(End, clock::ticks()) + Ns;
}

/// A node's operands: where the inputs lie, and then the outputs.
struct Values {
  int32_t Inputs, Outputs;
};
constexpr uint16_t InputCount = 1, OutputCount = 2;

constexpr DeviceApi Fake{
    [] { return IsThere.load(); },
    [](const void *Stack, unsigned Count) {
      const auto &V = *static_cast<const Values *>(Stack);
      return Count == InputCount ? V.Inputs : V.Outputs;
    },
    [](int32_t Device, DeviceStream &On) {
      On = {Device == CurrentDevice ? Current : Device, Stream};
      return !IsCaptured;
    },
    [](void *&Event, const DeviceStream &On) {
      if (RecordFails)
        return false;
      if (!Event)
        Event = newEvent();
      ++Recorded;
      LastRecorded = static_cast<FakeEvent *>(Event);
      LastRecorded.load()->At =
          std::max<uint64_t>(Done[On.Device][On.Number], clock::ticks());
      return true;
    },
    [](void *Event) {
      ++Asked;
      auto &E = *static_cast<FakeEvent *>(Event);
      return E.Fails                  ? EventState::Failed
             : E.At <= clock::ticks() ? EventState::Reached
                                      : EventState::Waits;
    },
    [](void *First, void *Last, int32_t) {
      return double(static_cast<FakeEvent *>(Last)->At) -
             double(static_cast<FakeEvent *>(First)->At);
    }};

void resetDevice() {
  IsThere = true;
  IsCaptured = RecordFails = false;
  Recorded = Asked = 0;
  for (auto &Streams : Done)
    for (auto &End : Streams)
      End = 0;
  Current = 0;
  Stream = 0;
  setDeviceApi(&Fake);
}

//===----------------------------------------------------------------------===//
// What is recorded
//===----------------------------------------------------------------------===//

class DeviceTimeTest : public testing::Test {
protected:
  /// Events that children of the process have are not looked for.
  ~DeviceTimeTest() override { setDeviceApi(nullptr); }

  ReadProfile recorded(
      const std::function<void()> &Body,
      std::initializer_list<std::pair<const char *, const char *>> More = {}) {
    resetDevice();
    record(Folder.file("p.tprof"), [&] {
      useTestClock();
      EXPECT_EQ(setOption("record", "device"), 0);
      for (auto [Name, Value] : More)
        EXPECT_EQ(setOption(Name, Value), 0);
      addTestModel(7, 6);
      Body();
    });
    return readProfile(Folder.file("p.tprof"));
  }
  TestFolder Folder;
};

[[gnu::noinline]] void run(const std::function<void()> &Body) {
  uint64_t R = enterRoot(
      site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  Body();
  endSpan(R, site(7, 0));
}

/// A timed node that takes \p HostNs to give the device a kernel of \p Ns.
void node(
    unsigned Index, uint64_t Ns, uint64_t HostNs = 10, Values V = {0, 0},
    const std::function<void()> &Body = [] {}) {
  FrameSpan Span(Slot(Index), {&V, InputCount, OutputCount});
  advanceClock(HostNs);
  if (Ns)
    launch(Ns);
  Body();
  Span.end();
}

void pair(unsigned Index, const std::function<void()> &Body) {
  uint64_t Begin = beginSpan(site(7, Index));
  Body();
  endSpan(Begin, site(7, Index));
}

/// The host waits for the device.
void wait() {
  uint64_t Last = 0;
  for (auto &Streams : Done)
    for (auto &End : Streams)
      Last = std::max<uint64_t>(Last, End);
  if (Last > clock::ticks())
    advanceClock(Last - clock::ticks());
}

struct Time {
  uint64_t Count, Sum, Starved;
  bool operator==(const Time &) const = default;
};

std::ostream &operator<<(std::ostream &OS, const Time &T) {
  return OS << T.Count << " spans, " << T.Sum << " ns, " << T.Starved
            << " starved";
}

Time timeOf(const ReadProfile &P, unsigned Site) {
  Time Sum = {0, 0, 0};
  for (const ReadProfile::MeasureOf &M : P.Measures) {
    if (M.Data.Site != Slot(Site))
      continue;
    if (M.Measure == MeasureId::Starved) {
      Sum.Starved += M.Data.Sum;
    } else {
      Sum.Count += M.Data.Word / 2;
      Sum.Sum += M.Data.Sum;
    }
  }
  return Sum;
}

} // namespace

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

TEST_F(DeviceTimeTest, NobodyWaitsForTheDevice) {
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

TEST_F(DeviceTimeTest, LaterProbesFindWhatHasEnded) {
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

TEST_F(DeviceTimeTest, NeighboursShareTheirEvents) {
  ReadProfile P = recorded([] {
    run([] {
      for (int I = 0; I < 10; ++I)
        node(1, 1'000);
    });
    // One before the first, one behind each; the run shares the outer two.
    EXPECT_EQ(Recorded, 11u);
    Recorded = 0;
    run([] { // shares the last one of the run before
      for (int I = 0; I < 10; ++I) {
        advanceClock(1'000); // more than what is shared spans
        node(1, 1'000);
      }
    });
    EXPECT_EQ(Recorded, 20u);
    wait();
    stop();
  });
  EXPECT_EQ(timeOf(P, 1).Count, 20u);
  EXPECT_EQ(timeOf(P, 0).Count, 2u);
}

TEST_F(DeviceTimeTest, SpanThatLeavesItsStreamIsLostAndCounted) {
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

TEST_F(DeviceTimeTest, NothingIsDoneWhileAStreamIsCaptured) {
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

TEST_F(DeviceTimeTest, EventsThatFailAreCounted) {
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

TEST_F(DeviceTimeTest, WhatWaitsIsBounded) {
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

TEST_F(DeviceTimeTest, ResetForgetsWhatIsPending) {
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
      "torchprof: warning: device time is not recorded: LibTorch has no device "
      "whose events can be timed\n");
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

TEST_F(DeviceTimeTest, ForkedChildHasEventsOfItsOwn) {
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

TEST_F(DeviceTimeTest, TraceHasEachSpanOnItsStream) {
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

TEST_F(DeviceTimeTest, TraceKeepsTheFirstOrTheLast) {
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

TEST_F(DeviceTimeTest, DeviceClocksGoOnForHours) {
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

TEST_F(DeviceTimeTest, ThreadsWorkWhileAnotherReadsAndResets) {
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
    usleep(1000);
    stop();
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  for (const ReadProfile::MeasureOf &M : P.Measures)
    EXPECT_EQ(M.Data.Word % 2, 0u);
  EXPECT_LE(timeOf(P, 1).Count, 4 * Runs);
}
