//===- DynamicSitesTest.cpp - sites that come to be at run time -----------===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <thread>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

class DynamicSitesTest : public testing::Test {
protected:
  void SetUp() override { startAfresh(); }
  static Slot child(Slot Parent, const std::string &Name) {
    return Line.Children.childSlot(Parent, DynamicKind::Region, SiteName(Name));
  }
};

} // namespace

/// A region, as the host opens it.
static void region(const char *Name) {
  uint32_t Number = regionNumber(Name);
  endRegion(beginRegion(Number), Number);
}

TEST_F(DynamicSitesTest, ParentKindAndNameTellChildrenApart) {
  addTestModel(7, 3);
  Slot A = child(Slot{1}, "a");
  EXPECT_EQ(child(Slot{1}, "a"), A);
  std::set<Slot> All{
      A,
      child(Slot{1}, "b"),
      child(Slot{2}, "a"),
      child(NoSlot, "a"),
      child(A, "a"),
      Line.Children.childSlot(Slot{1}, DynamicKind::Group, SiteName("a"))};
  EXPECT_EQ(All.size(), 6u);
  const RegisteredChild *C = Line.Children.childAt(A);
  ASSERT_NE(C, nullptr);
  EXPECT_EQ(C->Parent, Slot{1});
  EXPECT_EQ(C->Name, "a");
  EXPECT_EQ(Line.Children.childAt(Slot{1}), nullptr); // a model's
}

TEST_F(DynamicSitesTest, ModelsAndChildrenShareTheSlots) {
  addTestModel(7, 3);
  Slot Child = child(Slot{1}, "a");
  addTestModel(8, 2);
  EXPECT_EQ(Line.Models.slotOf(site(7, 2)), Slot{2});
  EXPECT_EQ(Child, Slot{3});
  EXPECT_GE(number(Line.Models.slotOf(site(8, 0))), 4u);
  for (int I = 0; I < 500; ++I)
    EXPECT_NE(child(Slot{0}, std::to_string(I)), NoSlot);
  EXPECT_EQ(Line.Models.ownerOf(Line.Models.slotOf(site(8, 1))).Model->ModelId,
            8u);
}

TEST_F(DynamicSitesTest, ChildrenBeyondTheBoundShareOne) {
  constexpr uint32_t Bound = DynamicSites::MaxChildren;
  std::set<Slot> All;
  for (uint32_t I = 0; I < Bound; ++I)
    All.insert(child(NoSlot, std::to_string(I)));
  EXPECT_EQ(All.size(), Bound);
  Slot Others = child(NoSlot, "one more");
  EXPECT_EQ(All.count(Others), 0u);
  EXPECT_EQ(child(NoSlot, "and one more"), Others);
  EXPECT_EQ(Line.Children.childAt(Others)->Flags, uint32_t(DF_Overflow));
  EXPECT_EQ(child(NoSlot, "7"), *std::next(All.begin(), 7)); // known ones stay
  EXPECT_EQ(counters()[unsigned(Counter::DynamicOverflow)], 1u);
  EXPECT_NE(child(Slot{0}, "one more"), Others); // another parent has room
}

TEST_F(DynamicSitesTest, EachParentHasItsOwnBound) {
  addTestModel(7, 3);
  constexpr uint32_t Bound = DynamicSites::MaxChildren;
  std::map<Slot, std::set<Slot>> All;
  for (uint32_t I = 0; I < Bound + 2; ++I)
    for (Slot Parent : {Slot{0}, Slot{1}, Slot{2}, NoSlot})
      All[Parent].insert(child(Parent, std::to_string(I)));
  for (const auto &[Parent, Children] : All)
    EXPECT_EQ(Children.size(), Bound + 1) << number(Parent);
}

TEST_F(DynamicSitesTest, AllThatLiesDeeperThanTheBoundSharesOne) {
  constexpr uint32_t Bound = DynamicSites::MaxLevels;
  std::set<Slot> All;
  Slot Deepest = NoSlot;
  for (uint32_t I = 0; I < Bound; ++I)
    All.insert(Deepest = child(Deepest, "a"));
  EXPECT_EQ(All.size(), Bound);
  Slot Others = child(Deepest, "a");
  EXPECT_EQ(All.count(Others), 0u);
  EXPECT_EQ(Line.Children.childAt(Others)->Flags, uint32_t(DF_Overflow));
  EXPECT_EQ(child(Deepest, "b"), Others);
  EXPECT_EQ(child(Others, "a"), Others);
  EXPECT_EQ(child(Others, "b"), Others);
}

/// Opens \p Depth regions in one another.
static void recurse(uint32_t Number, unsigned Depth) {
  uint64_t Begin = beginRegion(Number);
  if (Depth > 1)
    recurse(Number, Depth - 1);
  endRegion(Begin, Number);
}

TEST_F(DynamicSitesTest, HostThatRecursesInARegionLeavesAProfileThatIsRead) {
  TestFolder Folder;
  record(Folder.file("p.tprof"),
         [] { recurse(regionNumber("walk"), MostLevels + 100); });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.Children.size(), DynamicSites::MaxLevels + 1);
  uint64_t Spans = 0;
  for (const ReadProfile::CellOf &C : P.Cells)
    Spans += C.count();
  EXPECT_EQ(Spans, MostLevels + 100);
}

TEST_F(DynamicSitesTest, SlotsOfManyModelsAndChildrenLeadToTheirOwners) {
  std::map<Slot, std::string> Names;
  for (uint64_t Model = 1; Model <= 200; ++Model) {
    addTestModel(Model, 1 + Model % 3);
    Slot Parent = Line.Models.slotOf(site(Model, 0));
    for (uint64_t I = 0; I < Model % 80; ++I) {
      std::string Name = std::to_string(Model * 100 + I);
      Names[child(Parent, Name)] = Name;
    }
  }
  for (const auto &[Site, Name] : Names) {
    const RegisteredChild *C = Line.Children.childAt(Site);
    ASSERT_NE(C, nullptr);
    EXPECT_EQ(C->Name, Name);
    EXPECT_EQ(Line.Models.ownerOf(Site).Model, nullptr);
    EXPECT_EQ(Line.Models.ownerOf(C->Parent).Model->ModelId,
              std::stoull(Name) / 100);
  }
  EXPECT_EQ(Line.Models.ownerOf(Slot{Line.Models.slotCount()}).Model, nullptr);
  EXPECT_EQ(Line.Models.ownerOf(NoSlot).Model, nullptr);
}

TEST_F(DynamicSitesTest, LongNamesAreCut) {
  std::string Long(5000, 'x');
  const RegisteredChild *C = Line.Children.childAt(child(NoSlot, Long));
  EXPECT_EQ(C->Name.size(), DynamicSites::MaxNameBytes);
  EXPECT_TRUE(C->Flags & DF_Cut);
  Long.resize(DynamicSites::MaxNameBytes); // fits
  C = Line.Children.childAt(child(Slot{0}, Long));
  EXPECT_EQ(C->Name, Long);
  EXPECT_FALSE(C->Flags & DF_Cut);
}

TEST_F(DynamicSitesTest, RegionNamesBeyondTheBoundShareOneAndAreCounted) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    std::set<uint32_t> Numbers;
    for (uint32_t I = 0; I < 2 * RegionNames::MaxNames; ++I)
      Numbers.insert(regionNumber(std::to_string(I)));
    EXPECT_EQ(Numbers.size(), RegionNames::MaxNames - 1);
    EXPECT_EQ(Numbers.count(0), 0u);
    EXPECT_EQ(regionNumber("7"), 8u);
    region("one more");
    region("and one more");
    region("7");
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.count(P.region("(others)")), 2u);
  EXPECT_EQ(P.count(P.region("7")), 1u);
  EXPECT_EQ(P.counter(Counter::DynamicOverflow), 2u);
}

TEST_F(DynamicSitesTest, ThreadsAgreeOnTheSlots) {
  constexpr unsigned Threads = 4, Names = 300;
  std::vector<std::vector<Slot>> Seen(Threads);
  std::vector<std::thread> Running;
  for (unsigned T = 0; T < Threads; ++T)
    Running.emplace_back([&, T] {
      for (unsigned I = 0; I < Names; ++I)
        Seen[T].push_back(child(NoSlot, std::to_string(I)));
    });
  for (std::thread &T : Running)
    T.join();
  for (unsigned T = 1; T < Threads; ++T)
    EXPECT_EQ(Seen[T], Seen[0]);
  EXPECT_EQ(std::set<Slot>(Seen[0].begin(), Seen[0].end()).size(), Names);
}

TEST_F(DynamicSitesTest, ForkedChildWritesWhatItInheritedWithTheSameSlots) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    region("a");
    EXPECT_EQ(runChild([] {
                region("b");
                region("a");
              }),
              0);
    region("c");
  });
  ReadProfile Parent = readProfile(Folder.file("p.tprof"));
  ReadProfile Child = readProfile(Folder.file("p.1.tprof"));
  EXPECT_EQ(Parent.Children.size(), 2u);
  EXPECT_EQ(Child.Children.size(), 2u);
  EXPECT_EQ(Child.region("a"), Parent.region("a"));
  EXPECT_EQ(Child.count(Child.region("b")), 1u);
}

TEST_F(DynamicSitesTest, SnapshotAndResetKeepNames) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    useTestClock();
    region("a");
    reset();
    advanceClock(1);
    region("a");
    EXPECT_EQ(snapshot(Folder.file("s.tprof")), 0);
  });
  for (const char *Name : {"p.tprof", "s.tprof"}) {
    ReadProfile P = readProfile(Folder.file(Name));
    EXPECT_EQ(P.count(P.region("a")), 1u) << Name;
  }
}

TEST_F(DynamicSitesTest, NotesAreBelowTheirSites) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 3);
    addNote(site(7, 1), DynamicKind::Group,
            "aten::t, aten::mm"); // before there is a file
    span(site(7, 1), 1);
    addNote(site(7, 2), DynamicKind::Group, "aten::add, aten::mul");
    addNote(site(7, 2), DynamicKind::Group, "aten::add, aten::mul");
    addNote(site(9, 1), DynamicKind::LeftOut, ""); // no model of ours
    addNote(site(7, 1), DynamicKind::LeftOut, "");
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  ASSERT_EQ(P.Children.size(), 3u);
  EXPECT_EQ(P.child(DynamicKind::Group, "aten::t, aten::mm").Parent, Slot{1});
  EXPECT_EQ(P.child(DynamicKind::Group, "aten::add, aten::mul").Parent,
            Slot{2});
  EXPECT_EQ(P.child(DynamicKind::LeftOut, "").Parent, Slot{1});
}

TEST_F(DynamicSitesTest, PartsAreSpansInsideOfWhatTheyArePartOf) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 3);
    Slot Part = *childOf(site(7, 0), DynamicKind::Attributes, "");
    uint64_t Root = enterRoot(site(7, 0), 1);
    for (unsigned I = 0; I < 3; ++I) { // the first one by the cold path
      uint64_t Begin = beginPart(Part);
      endPart(Begin, Part);
      span(site(7, 1), 1);
    }
    uint64_t Elsewhere = beginPart(Part);
    std::thread([&] { endPart(Elsewhere, Part); }).join();
    stop();
    EXPECT_EQ(beginPart(Part), 0u);
    endPart(0, Part);
    start();
    endPart(0, Part); // began while the gate was shut: cut
    endSpan(Root, site(7, 0));
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  const auto &Child = P.child(DynamicKind::Attributes, "");
  EXPECT_EQ(Child.Parent, Slot{0});
  EXPECT_EQ(P.count(number(Child.Site)), 4u);
  EXPECT_EQ(P.cut(number(Child.Site)), 1u);
  EXPECT_EQ(P.count(1), 3u);
  EXPECT_EQ(P.cell(0).Nested, 0u); // the report knows from the parents
}

TEST_F(DynamicSitesTest, PartAroundAGroupIsPausedWhileTheGroupRuns) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addTestModel(7, 3);
    Slot Part = *childOf(site(7, 0), DynamicKind::Preparation, "");
    Slot Reads = *childOf(site(7, 0), DynamicKind::Attributes, "");
    uint64_t Root = enterRoot(site(7, 0), 1);
    for (unsigned I = 0; I < 3; ++I) { // the first one by the cold path
      beginPart(Part);
      advanceClock(5);
      EXPECT_EQ(pausePart(), Part);
      EXPECT_EQ(pausePart(), NoSlot) << "ended twice";
      span(site(7, 1), 100);
      beginPart(Part);
      advanceClock(2);
      EXPECT_EQ(pausePart(), Part);
    }
    uint64_t Read = beginPart(Reads);
    EXPECT_EQ(pausePart(), NoSlot) << "a part of another kind";
    endPart(Read, Reads);
    beginPart(Part);
    std::thread([] { EXPECT_EQ(pausePart(), NoSlot); }).join();
    uint64_t Node = beginSpan(site(7, 1));
    EXPECT_EQ(pausePart(), NoSlot) << "a node is the innermost span";
    endSpan(Node, site(7, 1));
    EXPECT_EQ(pausePart(), Part);
    endSpan(Root, site(7, 0));
    EXPECT_EQ(pausePart(), NoSlot);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  auto Part = number(P.child(DynamicKind::Preparation, "").Site);
  EXPECT_EQ(P.count(Part), 7u);
  EXPECT_EQ(P.sum(Part), 3u * (5 + 2));
  EXPECT_EQ(P.count(1), 4u);
}

TEST_F(DynamicSitesTest, PairsAroundASlotAreSpansOfTheChild) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 3);
    Slot Gradient = *childOf(site(7, 1), DynamicKind::Backward, "aten::mm");
    EXPECT_EQ(childOf(site(7, 1), DynamicKind::Backward, "aten::mm"), Gradient);
    EXPECT_FALSE(childOf(site(9, 1), DynamicKind::Backward, "aten::mm"));
    endSlot(beginSlot(Gradient), Gradient); // outside of all runs
    span(site(7, 1), 1);
    stop();
    EXPECT_EQ(beginSlot(Gradient), 0u);
    endSlot(0, Gradient);
    start();
    uint64_t Begin = beginSlot(Gradient);
    stop();
    endSlot(Begin, Gradient); // cut
    start();
    uint64_t Elsewhere = beginSlot(Gradient);
    std::thread([&] { endSlot(Elsewhere, Gradient); }).join();
    endSlot(0, Gradient); // began while the gate was shut: cut
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  const auto &Child = P.child(DynamicKind::Backward, "aten::mm");
  EXPECT_EQ(Child.Parent, Slot{1});
  EXPECT_EQ(P.count(number(Child.Site)), 2u);
  EXPECT_EQ(P.cut(number(Child.Site)), 2u);
}
