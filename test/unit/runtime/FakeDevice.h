//===- FakeDevice.h - a device whose time tests know ------------*- C++ -*-===//
//
// A stream's clock stands where its work will be done, a kernel moves it on, an
// event is reached when the test's clock has come there.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TEST_FAKEDEVICE_H
#define TORCHPROF_TEST_FAKEDEVICE_H

#include "DeviceTime.h"

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <atomic>
#include <deque>
#include <gtest/gtest.h>
#include <mutex>

namespace torchprof::test::device {

using namespace format;

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

struct FakeEvent {
  std::atomic<uint64_t> At = 0;
  std::atomic<bool> Fails = false;
};

/// One that lives as long as the process.
inline FakeEvent *newEvent() {
  static std::mutex Mutex;
  static std::deque<FakeEvent> Events;
  std::lock_guard Lock(Mutex);
  return &Events.emplace_back();
}

inline std::atomic<bool> IsThere = true, IsCaptured = false,
                         RecordFails = false;
inline std::atomic<unsigned> Recorded = 0, Asked = 0, AskedHandles = 0;
inline std::atomic<uint64_t> RecordTakes = 0; ///< ticks of the host
inline thread_local int OpenQuestions = 0;
inline std::atomic<uint64_t> Done[2][4];
inline thread_local int32_t Current = 0;
inline thread_local int64_t Stream = 0;
inline std::atomic<FakeEvent *> LastRecorded = nullptr;

/// A kernel of so many nanoseconds, the test clock's ticks.
inline void launch(uint64_t Ns) {
  std::atomic<uint64_t> &End = Done[Current][Stream];
  End = std::max<uint64_t>(End, clock::ticks()) + Ns;
}

/// A node's operands: where the inputs lie, and then the outputs.
struct Values {
  int32_t Inputs, Outputs;
};
inline constexpr uint16_t InputCount = 1, OutputCount = 2;

inline constexpr DeviceApi Fake{
    [] { return IsThere.load(); },
    [](const void *Stack, unsigned Count) {
      const auto &V = *static_cast<const Values *>(Stack);
      return Count == InputCount ? V.Inputs : V.Outputs;
    },
    [](int32_t Device, DeviceStream &On) {
      DeviceStream Found{Device == CurrentDevice ? Current : Device, Stream};
      AskedHandles += On != Found;
      On = Found;
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
      if (RecordTakes)
        advanceClock(RecordTakes);
      return true;
    },
    [] { return ++OpenQuestions; },
    [](int Was) {
      EXPECT_EQ(Was, OpenQuestions);
      --OpenQuestions;
    },
    [](void *Event) {
      ++Asked;
      EXPECT_EQ(OpenQuestions, 1);
      auto &E = *static_cast<FakeEvent *>(Event);
      return E.Fails                  ? EventState::Failed
             : E.At <= clock::ticks() ? EventState::Reached
                                      : EventState::Waits;
    },
    [](void *First, void *Last, int32_t) {
      EXPECT_EQ(OpenQuestions, 1);
      return double(static_cast<FakeEvent *>(Last)->At) -
             double(static_cast<FakeEvent *>(First)->At);
    }};

inline void resetDevice() {
  IsThere = true;
  IsCaptured = RecordFails = false;
  Recorded = Asked = AskedHandles = 0;
  RecordTakes = 0;
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

class DeviceTest : public testing::Test {
protected:
  /// Events that children of the process have are not looked for.
  ~DeviceTest() override { setDeviceApi(nullptr); }

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

[[gnu::noinline]] inline void run(const std::function<void()> &Body) {
  uint64_t R = enterRoot(
      site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  Body();
  endSpan(R, site(7, 0));
}

/// A timed node that takes \p HostNs to give the device a kernel of \p Ns.
inline void node(
    unsigned Index, uint64_t Ns, uint64_t HostNs = 10, Values V = {0, 0},
    const std::function<void()> &Body = [] {}) {
  FrameSpan Span(Slot(Index), {&V, InputCount, OutputCount});
  advanceClock(HostNs);
  if (Ns)
    launch(Ns);
  Body();
  Span.end();
}

inline void pair(unsigned Index, const std::function<void()> &Body) {
  uint64_t Begin = beginSpan(site(7, Index));
  Body();
  endSpan(Begin, site(7, Index));
}

/// The host waits for the device.
inline void wait() {
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

inline std::ostream &operator<<(std::ostream &OS, const Time &T) {
  return OS << T.Count << " spans, " << T.Sum << " ns, " << T.Starved
            << " starved";
}

inline Time timeOf(const ReadProfile &P, unsigned Site) {
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

} // namespace torchprof::test::device

#endif // TORCHPROF_TEST_FAKEDEVICE_H
