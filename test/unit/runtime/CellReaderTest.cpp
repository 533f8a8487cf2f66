//===- CellReaderTest.cpp - cells read while they are written -------------===//

#include "torchprof/CellReader.h"
#include "Probe.h"
#include "TestSupport.h"

#include <gtest/gtest.h>
#include <memory>
#include <thread>

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

/// Copies a busy cell 5000 times. A copy fails only while the owner is off its
/// processor in the middle of an update.
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

TEST(CellReader, CellUpdatedWithoutAPauseIsCopiedWhole) {
  readBusyCell(copyLiveCell);
}

TEST(CellReader, HistogramReadApartAddsUpToTheCount) {
  readBusyCell(
      [](Cell &To, const Cell &From) { return copyBusyCell(To, From, 50); });
}

TEST(CellReader, CellAtRestIsCopiedAsItIs) {
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

TEST(CellReader, CellLeftInTheMiddleOfAnUpdateIsNotCopied) {
  Cell C = emptyCell(), To;
  C.Word = 1;
  EXPECT_FALSE(copyLiveCell(To, C));
}
