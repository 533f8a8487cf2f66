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

/// Begins a new process's work with \p Pages.
void recordWith(FewPages &Pages) {
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
