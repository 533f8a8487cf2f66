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

private:
  unsigned Left;
};

} // namespace

TEST(Pages, SpansWithoutMemoryAreCountedAsLostAndTheHostGoesOn) {
  TestFolder Folder;
  for (unsigned Blocks : {0, 1, 2, 3}) {
    startAfresh();
    ASSERT_EQ(setOption("file", Folder.file("none/p.tprof")), 0);
    addTestModel(7, 3);
    FewPages Pages(Blocks);
    testing::internal::CaptureStderr();
    {
      ProcessLock Lock;
      Process.Current = new Recording(Line, Pages); // as long as the process
    }
    for (int I = 0; I < 5; ++I)
      endSpan(beginSpan(site(7, 1)), site(7, 1));
    testing::internal::GetCapturedStderr();
    EXPECT_EQ(totals().Count, 0u) << Blocks;
    EXPECT_EQ(counters()[unsigned(Counter::LostNoMemory)], 5u) << Blocks;
  }
  startAfresh();
}
