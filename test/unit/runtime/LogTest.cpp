//===- LogTest.cpp - logs of lanes and their folding ----------------------===//

#include "Control.h"
#include "OpenFrames.h"
#include "Probe.h"
#include "TestSupport.h"
#include "torchprof/format/Fold.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>
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

uint64_t samplesIn(const Cell &C) {
  return std::accumulate(std::begin(C.Histogram), std::end(C.Histogram),
                         uint64_t(0));
}

/// What the reader makes of it.
Cell mended(Folding F, LastRecord R) {
  if (F.C.Word % 2)
    undoFold(F.C, F.Log, F.Log.UndoNumber - 1, R.Kind, R.Ticks, R.Fate);
  if (F.C.Folded <= Number)
    fold(F, R);
  return F.C;
}

/// Records of one site that are folded at once, from Number on, each the third
/// record of the log.
constexpr uint64_t GroupTicks[] = {10, 0, 10, HighTicks, 30, CarryTicks, 10};
constexpr uint64_t GroupEnd = Number + 3 * std::size(GroupTicks);
uint64_t numberInGroup(size_t I) { return Number + 3 * I; }

void foldGroup(Folding &F) {
  GroupFold Group(F.C, F.Log, Number, std::size(GroupTicks));
  for (uint64_t Ticks : GroupTicks)
    Group.addSpan(Ticks);
  Group.finish(GroupEnd, 4, 3);
}

/// What the reader makes of it.
Cell mendedGroup(Folding F) {
  if (F.C.Word % 2)
    undoGroup(F.C, F.Log, F.Log.UndoNumber - 1, GroupTicks);
  for (size_t I = 0; I < std::size(GroupTicks); ++I)
    if (F.C.Folded <= numberInGroup(I))
      foldRecord(F.C, F.Log, numberInGroup(I),
                 I % 2 ? LogKind::PairEnd : LogKind::Span, GroupTicks[I]);
  F.C.Folded = GroupEnd;
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

TEST_F(Log, GroupFoldThatIsKilledAtAnyInstructionLosesNothing) {
  void *Page = mmap(nullptr, sizeof(Folding), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto &F = *static_cast<Folding *>(Page);
  begin(F);
  Cell Wanted = mendedGroup(F);
  foldGroup(F);
  EXPECT_EQ(memcmp(&F.C, &Wanted, sizeof(Cell)), 0) << "one by one";
  begin(F);
  std::set<uint64_t> TornAt;
  if (!stepThrough([] {}, [&] { foldGroup(F); },
                   [&] {
                     Cell Found = mendedGroup(F);
                     EXPECT_EQ(memcmp(&Found, &Wanted, sizeof(Cell)), 0);
                     if (F.C.Word % 2)
                       TornAt.insert(samplesIn(F.C) - F.C.Word / 2);
                   }))
    GTEST_SKIP() << "single steps are not possible here";
  EXPECT_EQ(TornAt.size(), 1 + std::size(GroupTicks));
  munmap(Page, sizeof(Folding));
}

TEST_F(Log, AReaderMendsWhatAKilledFoldOfRunsThatAreAlikeLeft) {
  constexpr unsigned Runs = 5;
  std::string File = Folder.file("k.tprof");
  unsigned Steps = stepThrough(
      [&] {
        startAfresh();
        useTestClock();
        setOption("file", File);
        addTestModel(7, 3);
        for (unsigned Run = 0; Run < Runs; ++Run) { // the first one is folded
          uint64_t Root = enter(site(7, 0));
          span(site(7, 1), 10 * Run);
          FrameSpan Node(Slot{2});
          advanceClock(100 * Run);
          Node.end();
          span(site(7, 1), 1000);
          endSpan(Root, site(7, 0));
        }
      },
      [] { foldLog(*ThisLane); },
      [&] {
        ReadProfile P = readProfile(File);
        for (unsigned Site = 0; Site < 3; ++Site) {
          EXPECT_EQ(P.count(Site), Runs * (Site == 1 ? 2 : 1));
          EXPECT_EQ(P.begins(Site), P.count(Site));
          expectWhole(P.cell(Site));
        }
        EXPECT_EQ(P.sum(1), 10u * 10 + Runs * 1000u);
        EXPECT_EQ(P.pairs(1), 2 * Runs);
        EXPECT_EQ(P.sum(2), 100u * 10);
        EXPECT_EQ(P.sum(0), P.sum(1) + P.sum(2));
      });
  if (!Steps)
    GTEST_SKIP() << "single steps are not possible here";
  EXPECT_GT(Steps, 500u);
}

/// A program whose runs are alike for a while: with nodes, pairs, loops,
/// spans that never end, and other sites now and then.
static void runAlike(unsigned Seed) {
  std::mt19937 Random(Seed);
  for (unsigned Phase = 0; Phase < 12; ++Phase) {
    unsigned Loops = 1 + Random() % 4, Runs = 1 + Random() % 40;
    for (unsigned Run = 0; Run < Runs; ++Run) {
      uint64_t Root = enter(site(7, 0));
      for (unsigned I = 0; I < Loops; ++I) {
        span(site(7, 1), 1 + Random() % 1000);
        FrameSpan Node(Slot{2});
        advanceClock(Random() % 8 ? 5 : Random() % (1u << 20));
        Node.end();
      }
      if (Phase % 3 == 0 && Random() % 16 == 0)
        FrameSpan(Slot{3 + uint32_t(Random() % 3)}).end();
      if (Phase % 4 == 1)
        beginSpan(site(7, 6)); // left by an exception
      else
        span(site(7, 6), 3);
      if (Phase == 7 && Run == 3)
        span(site(7, 1), MaxLogDuration + Random() % 100);
      endSpan(Root, site(7, 0));
    }
  }
}

TEST_F(Log, RunsThatAreAlikeAreFoldedAsOneRecordAfterTheOther) {
  for (unsigned Seed = 0; Seed < 20; ++Seed) {
    ReadProfile Of[2];
    for (bool ByThread : {false, true}) { // which goes one by one
      std::string File = Folder.file(std::to_string(2 * Seed + ByThread));
      recordModel(File, 7, [&] {
        ASSERT_EQ(setOption("fold", ByThread ? "thread" : "run"), 0);
        runAlike(Seed);
      });
      Of[ByThread] = readProfile(File);
    }
    ASSERT_EQ(Of[0].Cells.size(), Of[1].Cells.size());
    for (const ReadProfile::CellOf &C : Of[0].Cells) {
      const Cell &A = C.Data;
      const Cell &B = Of[1].cell(number(A.Site));
      EXPECT_EQ(A.Word, B.Word) << number(A.Site);
#define TORCHPROF_CELL_FIELD(NAME, JSON, INITIAL, COMBINE, MEANING)            \
  EXPECT_EQ(A.NAME, B.NAME) << number(A.Site);
#include "torchprof/format/CellFields.def"
      EXPECT_EQ(memcmp(A.First, B.First, sizeof(A.First)), 0);
      EXPECT_EQ(memcmp(A.Histogram, B.Histogram, sizeof(A.Histogram)), 0);
    }
  }
}

TEST_F(Log, AFullBucketAmongRunsThatAreAlikeGoesOnInAnotherCell) {
  constexpr unsigned Runs = 300;
  ReadProfile P = recorded([] {
    for (unsigned Run = 0; Run < Runs; ++Run) {
      uint64_t Root = enter(site(7, 0));
      for (unsigned I = 0; I < 2; ++I)
        span(site(7, 1), 5 + Run % 2);
      endSpan(Root, site(7, 0));
      if (Run)
        continue;
      Cell &C = *ThisLane->Slots[1].Data; // the first run is folded
      uint32_t &InBucket = C.Histogram[histogramBucket(5)];
      C.Word += 2 * uint64_t(UINT32_MAX - 100 - InBucket);
      InBucket = UINT32_MAX - 100;
    }
  });
  uint64_t Cells = 0, Spans = 0;
  for (const ReadProfile::CellOf &C : P.Cells)
    if (C.Data.Site == Slot{1}) {
      ++Cells;
      Spans += C.count();
      EXPECT_EQ(samplesIn(C.Data), C.count());
    }
  EXPECT_EQ(Cells, 2u);
  EXPECT_EQ(Spans, uint64_t(UINT32_MAX) - 100 + 2u * (Runs - 1));
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
    Folding = ThisLane->Clock.apart();
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
      Before = ThisLane->Log->ApartTicks;
      reset();
      if (GoesOn)
        endSpan(beginSpan(site(7, 2)), site(7, 2));
    });
    EXPECT_GT(Before, 0u);
    EXPECT_LT(profile().Lanes.at(0).ApartTicks, Before);
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
  constexpr uint64_t Models = MaxSlots / MaxSitesPerModel;
  {
    ProcessLock Lock;
    for (uint64_t Id = 1; Id < Models; ++Id)
      EXPECT_EQ(Line.Models.add(Id, MaxSitesPerModel, ""), Registration::Added);
    EXPECT_EQ(Line.Models.add(Models, MaxSitesPerModel, ""),
              Registration::NoRoom);
  }
  startAfresh(); // these have no text that a file could hold
}
