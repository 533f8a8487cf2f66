//===- LiveReaderTest.cpp - records read while they are written -----------===//

#include "torchprof/format/LiveReader.h"
#include "Probe.h"
#include "TestSupport.h"
#include "torchprof/format/Fold.h"

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
  LogRecord Log{};
  for (uint64_t I = 1; !Done; ++I) {
    if (I % 100000 == 0)
      resetCell(Entry, ++Epoch);
    uint64_t Begin = clock::ticks();
    foldRecord(C, Log, I, LogKind::Span, clock::ticks() - Begin + I % 1000);
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
  LogRecord Log{};
  for (uint64_t I = 0; I < 1000; ++I)
    foldRecord(C, Log, I, LogKind::Span, I * I);
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
// Logs
//===----------------------------------------------------------------------===//

namespace {
/// A log of 512 entries in turn, and before them 256 if it keeps the first.
struct Log {
  static constexpr uint64_t Ring = 2 * LogPageEntries;
  LogRecord Head{};
  std::vector<LogEntry> Entries{LogPageEntries + Ring};

  explicit Log(LogKeep Keep) {
    Head.Keep = Keep;
    Head.Ring = Ring;
    Head.Kept = Keep == LogKeep::First ? LogPageEntries : 0;
  }
  /// Record number I begins at tick I and lasts as long.
  void add() {
    uint64_t I = Head.Written;
    LogEntry &E = Entries[placeOf(Head, I)];
    storeRelease(E.BeginTicks, I);
    storeRelease(E.Packed, packEntry(Slot(I % 1000), LogKind::Span, I));
    storeRelease(Head.Written, I + 1);
  }
  void add(uint64_t Count) {
    while (Count--)
      add();
  }
  void fold() { storeRelease(Head.Folded, Head.Written); }
  /// As the runtime goes on at the first entry, when all is folded.
  void leaveOut(uint64_t Count) {
    storeRelease(Head.Folded, Head.Written + Count);
    storeRelease(Head.Written, Head.Written + Count);
  }
};

/// A copy of it.
struct LogCopy {
  LogRecord Head{};
  std::vector<LogEntry> Entries;

  explicit LogCopy(const Log &L) : Entries(L.Entries.size()) {
    copyLiveLog(Head, Entries.data(), L.Head, L.Entries.data());
  }
  const LogEntry &entry(uint64_t Number) const {
    return Entries[placeOf(Head, Number)];
  }
  bool isWhole(uint64_t Number) const {
    const LogEntry &E = entry(Number);
    return E.BeginTicks == Number && durationOf(E) == Number &&
           siteOf(E) == Slot(Number % 1000);
  }
  bool isBlank(uint64_t Number) const {
    return entry(Number).BeginTicks == 0 &&
           kindOf(entry(Number)) == LogKind::Long;
  }
};
} // namespace

/// Copies a log whose owner takes one \p Turn after the other, until 10000
/// unfolded records were whole.
template <typename Write> static void readBusyLog(Write Turn) {
  Log L(LogKeep::None);
  std::atomic<bool> Done{false};
  std::thread Owner([&] {
    while (!Done)
      Turn(L);
  });
  uint64_t Whole = 0;
  while (Whole < 10000) {
    LogCopy Copy(L);
    for (uint64_t I = Copy.Head.Folded; I < Copy.Head.Written; ++I, ++Whole)
      EXPECT_TRUE(Copy.isWhole(I)) << I << " of " << Copy.Head.Written;
  }
  Done = true;
  Owner.join();
}

TEST(LiveReader, UnfoldedRecordsOfABusyLogAreWhole) {
  readBusyLog([](Log &L) {
    L.add();
    if (L.Head.Written % 100 == 0)
      L.fold();
  });
}

TEST(LiveReader, NumbersThatTheOwnerLeavesOutAreNoRecords) {
  readBusyLog([](Log &L) {
    L.add(Log::Ring / 2 + 100);
    L.fold();
    L.leaveOut(Log::Ring / 2 - 100);
  });
}

TEST(LiveReader, KeptRecordsOfABusyLogAreWholeOrBlank) {
  Log L(LogKeep::Last);
  std::atomic<bool> Done{false};
  std::thread Owner([&] {
    while (!Done) {
      L.add();
      L.fold();
    }
  });
  uint64_t Whole = 0;
  while (Whole < 10000) {
    LogCopy Copy(L);
    LogRange Kept = keptRecords(Copy.Head);
    for (uint64_t I = Kept.Begin; I < Kept.End; ++I)
      if (I && !Copy.isBlank(I)) {
        ++Whole;
        EXPECT_TRUE(Copy.isWhole(I)) << I << " of " << Copy.Head.Written;
      }
  }
  Done = true;
  Owner.join();
}

TEST(LiveReader, OldestRecordOfAFullLogIsBlank) {
  Log L(LogKeep::Last);
  L.add(Log::Ring - 1);
  L.fold();
  EXPECT_TRUE(LogCopy(L).isWhole(0));
  L.add(100);
  L.fold();
  LogCopy Copy(L);
  EXPECT_EQ(keptRecords(Copy.Head).Begin, 99u);
  EXPECT_TRUE(Copy.isBlank(99));
  EXPECT_TRUE(Copy.isWhole(100));
  EXPECT_TRUE(Copy.isWhole(Log::Ring + 98));
}

TEST(LiveReader, LogOfTheFirstRecordsHasNoneInDoubt) {
  Log L(LogKeep::First);
  L.add(LogPageEntries + 3 * Log::Ring);
  L.fold();
  LogCopy Copy(L);
  EXPECT_EQ(keptRecords(Copy.Head).End, LogPageEntries);
  for (uint64_t I = 0; I < LogPageEntries; ++I)
    EXPECT_TRUE(Copy.isWhole(I));
}
