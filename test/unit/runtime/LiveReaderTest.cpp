//===- LiveReaderTest.cpp - records read while they are written -----------===//

#include "torchprof/format/LiveReader.h"
#include "Probe.h"
#include "TestSupport.h"

#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

using namespace torchprof;
using namespace torchprof::format;
using namespace torchprof::test;

static Cell emptyCell() {
  Cell C{};
  C.Min = UINT64_MAX;
  return C;
}

/// Adds one span after the other to a cell, as a loop around an empty region
/// does, and empties it now and then.
static void keepBusy(Cell &C, const std::atomic<bool> &Done) {
  SlotEntry Entry;
  Entry.Data = &C;
  uint32_t Epoch = 0;
  for (uint64_t I = 1; !Done; ++I) {
    if (I % 100000 == 0)
      resetCell(Entry, ++Epoch);
    storeRelaxed(C.Begins, C.Begins + 1);
    uint64_t Begin = clock::ticks();
    recordSpan(C, clock::ticks() - Begin + I % 1000);
  }
}

/// Copies a busy cell 5000 times. A copy fails only while the owner is
/// preempted in the middle of an update.
template <typename Read> static void readBusyCell(Read Copy) {
  auto Shared = std::make_unique<Cell>(emptyCell());
  std::atomic<bool> Done{false};
  std::thread Owner([&] { keepBusy(*Shared, Done); });
  while (loadRelaxed(Shared->Word) < 1000)
    std::this_thread::yield();
  uint64_t Last = 0;
  uint32_t LastEpoch = 0;
  for (unsigned Copied = 0; Copied < 5000;) {
    Cell To;
    if (!Copy(To, *Shared)) {
      std::this_thread::yield();
      continue;
    }
    ++Copied;
    expectWhole(To);
    EXPECT_GE(To.Epoch, LastEpoch);
    if (To.Epoch == LastEpoch) {
      EXPECT_GE(To.Word, Last);
    }
    LastEpoch = To.Epoch;
    Last = To.Word;
  }
  Done = true;
  Owner.join();
}

TEST(LiveReader, CellUpdatedWithoutAPauseIsCopiedWhole) {
  readBusyCell(
      [](Cell &To, const Cell &From) { return copyLiveCell(To, From); });
}

TEST(LiveReader, HistogramReadApartAddsUpToTheCount) {
  readBusyCell(
      [](Cell &To, const Cell &From) { return copyBusyCell(To, From, 50); });
}

TEST(LiveReader, CellAtRestIsCopiedAsItIs) {
  Cell C = emptyCell();
  for (uint64_t I = 0; I < 1000; ++I) {
    C.Begins += 1;
    recordSpan(C, I * I);
  }
  Cell Live, Busy;
  ASSERT_TRUE(copyLiveCell(Live, C));
  EXPECT_EQ(memcmp(&Live, &C, sizeof(C)), 0);
  ASSERT_TRUE(copyBusyCell(Busy, C, 1));
  EXPECT_EQ(memcmp(&Busy, &C, sizeof(C)), 0);
}

TEST(LiveReader, CellLeftInTheMiddleOfAnUpdateIsNotCopied) {
  Cell C = emptyCell(), To;
  C.Word = 1;
  EXPECT_FALSE(copyLiveCell(To, C));
}

//===----------------------------------------------------------------------===//
// Rings of events
//===----------------------------------------------------------------------===//

namespace {
/// A lane with a ring of 64 events.
struct Ring {
  static constexpr uint64_t Capacity = 64;
  TraceRecord Head{};
  std::vector<TraceEvent> Events{Capacity};
  Lane Owner{};

  explicit Ring(TraceKeep Keep) {
    Head.Keep = Keep;
    Head.Capacity = Capacity;
    Head.Epoch = Process.Epoch.load();
    Owner.Trace = &Head;
    Owner.Events = Events.data();
  }
  /// Event number I begins at tick I and lasts as long.
  void add(uint64_t I) { traceSpan(Owner, Slot(I % 1000), I, I); }

  std::vector<TraceEvent> copy(uint64_t &Written) const {
    std::vector<TraceEvent> To(Capacity);
    Written = copyLiveRing(To.data(), Events.data(), Capacity,
                           Head.Keep == TraceKeep::Last, Head.Written);
    return To;
  }
};
} // namespace

static bool isNumber(const TraceEvent &E, uint64_t I) {
  return E.BeginTicks == I && E.Packed == ((I % 1000) << TraceDurationBits | I);
}

TEST(LiveReader, RingWrittenWithoutAPauseHasWholeEventsOrBlankOnes) {
  Ring R(TraceKeep::Last);
  std::atomic<bool> Done{false};
  std::thread Owner([&] {
    for (uint64_t I = 0; !Done; ++I)
      R.add(I);
  });
  uint64_t Whole = 0;
  while (Whole < 10000) {
    uint64_t Written = 0;
    std::vector<TraceEvent> To = R.copy(Written);
    if (Written < Ring::Capacity)
      continue;
    for (uint64_t I = Written - Ring::Capacity; I < Written; ++I) {
      const TraceEvent &E = To[I % Ring::Capacity];
      if (E.Packed == BlankEvent)
        continue;
      ++Whole;
      EXPECT_TRUE(isNumber(E, I)) << I << " of " << Written;
    }
  }
  Done = true;
  Owner.join();
}

TEST(LiveReader, OldestEventOfAFullRingIsBlank) {
  Ring R(TraceKeep::Last);
  uint64_t Written = 0;
  for (uint64_t I = 0; I < Ring::Capacity - 1; ++I)
    R.add(I);
  EXPECT_TRUE(isNumber(R.copy(Written)[0], 0));
  for (uint64_t I = Ring::Capacity - 1; I < 100; ++I)
    R.add(I);
  std::vector<TraceEvent> To = R.copy(Written);
  EXPECT_EQ(Written, 100u);
  EXPECT_EQ(To[36].Packed, BlankEvent);
  EXPECT_TRUE(isNumber(To[37], 37));
  EXPECT_TRUE(isNumber(To[35], 99));
}

TEST(LiveReader, RingOfTheFirstEventsHasNoneInDoubt) {
  Ring R(TraceKeep::First);
  for (uint64_t I = 0; I < 100; ++I)
    R.add(I);
  uint64_t Written = 0;
  std::vector<TraceEvent> To = R.copy(Written);
  EXPECT_EQ(Written, 100u);
  for (uint64_t I = 0; I < Ring::Capacity; ++I)
    EXPECT_TRUE(isNumber(To[I], I));
}
