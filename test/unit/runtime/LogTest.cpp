//===- LogTest.cpp - logs of lanes and their folding ----------------------===//

#include "Control.h"
#include "OpenFrames.h"
#include "Probe.h"
#include "TestSupport.h"
#include "torchprof/format/Fold.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

/// What a fold works on, in memory that a child shares with the test.
struct Folding {
  Cell C;
  LogRecord Log;
};

constexpr uint64_t Number = 5;

/// What is folded last.
struct LastRecord {
  LogKind Kind;
  LogFate Fate;
  uint64_t Ticks = 1000;
};
/// Whose square needs the high word of the sum, and one whose square makes the
/// low word wrap.
constexpr uint64_t HighTicks = uint64_t(1) << 33, CarryTicks = 1 << 20;

void fold(Folding &F, LastRecord R) {
  if (R.Fate == LogFate::IsCut)
    foldCut(F.C, F.Log, Number);
  else
    foldRecord(F.C, F.Log, Number, R.Kind, R.Ticks);
}

/// A cell with four spans, the last of them record 4, and a cut one before.
void begin(Folding &F) {
  F = {};
  F.C.Min = UINT64_MAX;
  foldCut(F.C, F.Log, 0);
  for (uint64_t I = 1; I < Number; ++I)
    foldRecord(F.C, F.Log, I, I % 2 ? LogKind::PairEnd : LogKind::Span,
               I == 2 ? UINT32_MAX : 10 * I);
}

/// What the reader makes of it.
Cell mended(Folding F, LastRecord R) {
  if (F.C.Word % 2)
    undoFold(F.C, F.Log, F.Log.UndoNumber - 1, R.Kind, R.Ticks, R.Fate);
  if (F.C.Folded <= Number)
    fold(F, R);
  return F.C;
}

class Log : public RecordedModel {
protected:
  ReadProfile recorded(const std::function<void()> &Body) {
    recordIt(Body);
    return profile();
  }
};

/// The same in a run's own thread and with the folding thread.
class FoldedLog : public Log, public testing::WithParamInterface<const char *> {
protected:
  ReadProfile recorded(const std::function<void()> &Body) {
    return Log::recorded([&] {
      ASSERT_EQ(setOption("fold", GetParam()), 0);
      Body();
    });
  }
};

uint64_t enter(SiteId Site) {
  return enterRoot(Site, reinterpret_cast<uintptr_t>(&Site));
}

} // namespace

INSTANTIATE_TEST_SUITE_P(By, FoldedLog, testing::Values("run", "thread"),
                         [](const auto &Info) { return Info.param; });

TEST_F(Log, AFoldThatIsKilledAtAnyInstructionLosesNothingAndRepeatsNothing) {
  void *Page = mmap(nullptr, sizeof(Folding), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto &F = *static_cast<Folding *>(Page);
  for (LastRecord R : {LastRecord{LogKind::Span, LogFate::Counts},
                       LastRecord{LogKind::End, LogFate::Counts},
                       LastRecord{LogKind::Begin, LogFate::Counts},
                       LastRecord{LogKind::PairEnd, LogFate::Counts},
                       LastRecord{LogKind::Span, LogFate::Counts, HighTicks},
                       LastRecord{LogKind::Span, LogFate::Counts, CarryTicks},
                       LastRecord{LogKind::End, LogFate::IsCut}}) {
    begin(F);
    fold(F, R);
    Cell Wanted = F.C;
    begin(F);
    unsigned Torn = 0;
    if (!stepThrough([] {}, [&] { fold(F, R); },
                     [&] {
                       Cell Found = mended(F, R);
                       EXPECT_EQ(memcmp(&Found, &Wanted, sizeof(Cell)), 0);
                       Torn += F.C.Word % 2;
                     }))
      GTEST_SKIP() << "single steps are not possible here";
    EXPECT_GT(Torn, 5u);
  }
  munmap(Page, sizeof(Folding));
}

TEST_P(FoldedLog, SpansOfManyPagesAreCountedExactly) {
  constexpr unsigned Spans = 3 * LogRing + 17;
  ReadProfile P = recorded([] {
    for (unsigned I = 0; I < Spans; ++I) {
      span(site(7, 1), 3);
      FrameSpan(Slot{2}).end();
    }
    EXPECT_EQ(totals().Count, 2u * Spans);
  });
  EXPECT_EQ(P.count(1), Spans);
  EXPECT_EQ(P.begins(1), Spans);
  EXPECT_EQ(P.sum(1), 3u * Spans);
  EXPECT_EQ(P.count(2), Spans);
  EXPECT_EQ(P.begins(2), Spans);
}

TEST_P(FoldedLog, PairsAroundNodesAreToldFromOtherSpans) {
  constexpr unsigned Spans = LogRing + 17;
  ReadProfile P = recorded([] {
    FrameSpan(Slot{2}).end(); // by the cold path, as the first pair
    for (unsigned I = 0; I < Spans; ++I) {
      uint64_t Root = I % 100 ? 0 : enter(site(7, 0));
      span(site(7, 1), 3);
      FrameSpan(Slot{1}).end();
      if (Root)
        endSpan(Root, site(7, 0));
    }
    span(site(7, 1), MaxLogDuration);
    uint64_t Cut = beginSpan(site(7, 1));
    stop();
    endSpan(Cut, site(7, 1));
  });
  EXPECT_EQ(P.count(1), 2u * Spans + 1);
  EXPECT_EQ(P.pairs(1), Spans + 1);
  EXPECT_EQ(P.cut(1), 1u);
  EXPECT_EQ(P.pairs(0), 0u);
  EXPECT_EQ(P.pairs(2), 0u);
}

TEST_F(Log, FoldingIsNoPartOfTheSpansAroundIt) {
  uint64_t Length = 0, Folding = 0;
  ReadProfile P = recorded([&] {
    static uint64_t Now;
    Now = 1000;
    clock::inject([] { return ++Now; }); // each reading takes a tick
    uint64_t Root = enter(site(7, 0));
    uint64_t Node = beginSpan(site(7, 1));
    for (unsigned I = 0; I < 2 * LogRing; ++I)
      FrameSpan(Slot{2}).end();
    Folding = ThisLane->Fold.folding();
    endSpan(Node, site(7, 1));
    Length = Now - Node;
    endSpan(Root, site(7, 0));
  });
  EXPECT_GT(Folding, 0u);
  EXPECT_EQ(P.sum(1), Length - Folding);
  EXPECT_EQ(P.count(2), 2u * LogRing);
  EXPECT_LT(P.sum(0), Length + 10);
}

TEST_F(Log, RunsAreFoldedTogetherAndBetweenThem) {
  constexpr unsigned Nodes = 100, Runs = 100;
  unsigned Folds = 0;
  ReadProfile P = recorded([&] {
    uint64_t Folded = 0, OfRun = 0;
    for (unsigned Run = 0; Run < Runs; ++Run) {
      uint64_t Begun = Run ? ThisLane->Written : 0;
      uint64_t Root = enter(site(7, 0));
      for (unsigned I = 0; I < Nodes; ++I)
        span(site(7, 1), 1);
      EXPECT_EQ(ThisLane->Log->Folded, Folded) << "in the middle of a run";
      OfRun = std::max(OfRun, ThisLane->Written - Begun);
      endSpan(Root, site(7, 0));
      if (ThisLane->Log->Folded == Folded)
        continue;
      // All of it, late, and what follows lies where the log began. The first
      // run is folded by itself: that makes the cells.
      Folds += Run != 0;
      EXPECT_EQ(ThisLane->Log->Folded, ThisLane->Written);
      EXPECT_EQ(ThisLane->Page, ThisLane->Entries);
      EXPECT_EQ(ThisLane->Written % LogPageEntries, 0u);
      Folded = ThisLane->Written;
    }
    EXPECT_GE(OfRun, 2u * Nodes);
    EXPECT_GT(Folds, Runs * OfRun / LogRing / 2);
    EXPECT_LT(Folds, 2 * Runs * OfRun / LogRing);
    EXPECT_EQ(totals().Count, uint64_t(Runs) * (Nodes + 1));
  });
  EXPECT_EQ(P.count(1), uint64_t(Runs) * Nodes);
  EXPECT_EQ(P.count(0), Runs);
}

TEST_F(Log, RunsWithoutRoomForTheirLikeAreFoldedAtOnce) {
  recorded([] {
    for (unsigned Run = 0; Run < 3; ++Run) {
      uint64_t Root = enter(site(7, 0));
      for (unsigned I = 0; I < LogRing / 4; ++I)
        span(site(7, 1), 1);
      endSpan(Root, site(7, 0));
      EXPECT_EQ(ThisLane->Log->Folded, ThisLane->Written);
    }
  });
}

TEST_F(Log, SpanAroundARunThatIsKilledIsUnfinished) {
  EXPECT_EQ(runChild([&] {
              setOption("file", Folder.file("k.tprof"));
              addTestModel(7, 3);
              span(site(7, 1), 1); // in no cell yet
              FrameSpan Outer(Slot{1});
              enter(site(7, 0));
              FrameSpan Inner(Slot{2});
              abort();
            }),
            -SIGABRT);
  ReadProfile P = readProfile(Folder.file("k.tprof"));
  EXPECT_EQ(P.begins(1), 2u);
  EXPECT_EQ(P.count(1), 1u);
  EXPECT_EQ(P.pairs(1), 1u);
  EXPECT_EQ(P.begins(0), 1u);
  EXPECT_EQ(P.begins(2), 1u);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, Slot{2});
}

TEST_F(Log, PairsDeeperThanTheFramesAtHandAreCounted) {
  ReadProfile P = recorded([] {
    for (unsigned I = 0; I < 3 * HotFrames; ++I)
      beginSpan(site(7, 1));
    advanceClock(2);
    for (unsigned I = 0; I < 3 * HotFrames; ++I)
      endSpan(ThisLane->CurrentTicks, site(7, 1));
  });
  EXPECT_EQ(P.begins(1), 3u * HotFrames);
  EXPECT_EQ(P.count(1), 3u * HotFrames);
  EXPECT_EQ(P.sum(1), 6u * HotFrames);
  EXPECT_EQ(P.Lanes[0].CurrentSlot, NoSlot);
}

TEST_F(Log, ResetForgetsWhatFoldingTook) {
  for (bool GoesOn : {false, true}) {
    uint64_t Before = 0;
    recordIt([&] {
      static uint64_t Now;
      Now = 1000;
      clock::inject([] { return ++Now; }); // each reading takes a tick
      for (unsigned I = 0; I < 2 * LogRing; ++I)
        FrameSpan(Slot{1}).end();
      Before = ThisLane->Log->FoldTicks;
      reset();
      if (GoesOn)
        endSpan(beginSpan(site(7, 2)), site(7, 2));
    });
    EXPECT_GT(Before, 0u);
    EXPECT_LT(profile().Lanes.at(0).FoldTicks, Before);
    std::filesystem::remove(Folder.file("p.tprof"));
  }
}

TEST_P(FoldedLog, ResetBetweenSpansAndTheirFoldDropsThem) {
  ReadProfile P = recorded([] {
    span(site(7, 1), 1);
    FrameSpan(Slot{2}).end();
    uint64_t Open = beginSpan(site(7, 2));
    advanceClock(1);
    reset();
    advanceClock(1);
    endSpan(Open, site(7, 2));
    span(site(7, 1), 5);
  });
  EXPECT_EQ(P.count(1), 1u);
  EXPECT_EQ(P.begins(1), 1u);
  EXPECT_EQ(P.sum(1), 5u);
  EXPECT_EQ(P.count(2), 0u);
  EXPECT_EQ(P.cut(2), 1u);
  EXPECT_EQ(P.begins(2), 1u);
}

TEST_F(Log, SlotsThatARecordCannotHoldAreNotGivenOut) {
  startAfresh();
  ProcessLock Lock;
  constexpr uint64_t Models = MaxSlots / MaxSitesPerModel;
  for (uint64_t Id = 1; Id < Models; ++Id)
    EXPECT_EQ(Line.Models.add(Id, MaxSitesPerModel, ""), Registration::Added);
  EXPECT_EQ(Line.Models.add(Models, MaxSitesPerModel, ""),
            Registration::NoRoom);
}
