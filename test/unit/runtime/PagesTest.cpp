//===- PagesTest.cpp - where memory runs out ------------------------------===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <gtest/gtest.h>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

/// Gives so many blocks and then none.
class FewPages : public PageSource {
public:
  explicit FewPages(unsigned Left) : Left(Left) {}
  void *plain(uint64_t Bytes) override {
    return Left && Left-- ? PageSource::plain(Bytes) : nullptr;
  }

  unsigned Left;
};

/// Those of a kernel with larger pages, as there are on Arm.
class LargePages : public PageSource {
public:
  uint64_t pageBytes() override { return 65536; }
};

/// Begins a new process's work with \p Pages.
void recordWith(PageSource &Pages) {
  ProcessLock Lock;
  Process.Current = new Recording(Line, Pages); // as long as the process
}

} // namespace

TEST(Pages, SpansWithoutMemoryAreCountedAsLostAndTheHostGoesOn) {
  TestFolder Folder;
  for (unsigned Blocks : {0, 1, 2, 3}) {
    startAfresh();
    ASSERT_EQ(setOption("file", Folder.file("none/p.tprof")), 0);
    addTestModel(7, 3);
    FewPages Pages(Blocks);
    testing::internal::CaptureStderr();
    recordWith(Pages);
    for (int I = 0; I < 5; ++I)
      endSpan(beginSpan(site(7, 1)), site(7, 1));
    testing::internal::GetCapturedStderr();
    EXPECT_EQ(totals().Count, 0u) << Blocks;
    EXPECT_EQ(counters()[unsigned(Counter::LostNoMemory)], 5u) << Blocks;
  }
  startAfresh();
}

TEST(Pages, SegmentsLieBesideEachOtherInLargerPages) {
  TestFolder Folder;
  startAfresh();
  ASSERT_EQ(setOption("file", Folder.file("p.tprof")), 0);
  addTestModel(7, 300);
  LargePages Pages;
  recordWith(Pages);
  for (uint32_t I = 1; I < 300; ++I)
    endSpan(beginSpan(site(7, I)), site(7, I));
  EXPECT_EQ(totals().Count, 299u);
  EXPECT_EQ(counters()[unsigned(Counter::FileErrors)], 0u);
  ASSERT_EQ(flush(), 0);
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.Manifests.size(), 1u);
  for (uint32_t I = 1; I < 300; ++I)
    EXPECT_EQ(P.count(I), 1u);
  startAfresh();
}

TEST(Pages, SpanThatCouldNotBeginDoesNotEnd) {
  TestFolder Folder;
  startAfresh();
  ASSERT_EQ(setOption("file", Folder.file("none/p.tprof")), 0);
  addTestModel(7, 3);
  Slot Site = Line.Models.slotOf(site(7, 1));
  uint32_t Region = Line.Regions.numberOf("region");
  uint64_t Frame = 0; // stands for the address of a native one
  FewPages Pages(0);
  testing::internal::CaptureStderr();
  recordWith(Pages);
  uint64_t Root = enterRoot(site(7, 0), reinterpret_cast<uintptr_t>(&Frame));
  uint64_t User = beginRegion(Region);
  uint64_t Pair = beginSpan(site(7, 1));
  uint64_t Cold = beginSlot(Site);
  FrameSpan Span(Site);
  Pages.Left = 1000;
  Span.end();
  endSlot(Cold, Site);
  endSpan(Pair, site(7, 1));
  endRegion(User, Region);
  endSpan(Root, site(7, 0));
  EXPECT_EQ(counters()[unsigned(Counter::LostNoMemory)], 5u);
  EXPECT_EQ(totals().Count, 0u);
  endSpan(beginSpan(site(7, 1)), site(7, 1)); // there is memory now
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(totals().Count, 1u);
  EXPECT_EQ(totals().Begins, 1u);
  startAfresh();
}
