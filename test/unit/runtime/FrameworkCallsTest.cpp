//===- FrameworkCallsTest.cpp - operators that LibTorch tells of ----------===//

#include "TorchSupport.h"
#include "torchprof/torchprof.h"

#include <ATen/ATen.h>
#include <ATen/ThreadLocalState.h>
#include <gtest/gtest.h>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

/// Spans of operators in the slot \p Parent.
uint64_t operatorsIn(const ReadProfile &P, unsigned Parent) {
  uint64_t Count = 0;
  for (const ReadProfile::ChildOf &C : P.Children)
    if (C.Kind == DynamicKind::Operator && C.Parent == Slot(Parent))
      Count += P.count(number(C.Site));
  return Count;
}

} // namespace

TEST(FrameworkCalls, OperatorsAreSeenAfterATaskThatHasThrown) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    ASSERT_EQ(torchprof_set_option("record", "ops"), 0);
    auto G = probed(graphText("  enter\n"
                              "  begin %b1 @1\n"
                              "  %y : Tensor = aten::mm(%x, %x)\n"
                              "  end %b1 @1\n"
                              "  begin %b2 @2\n"
                              "  %z : Tensor = aten::matmul(%y, %y)\n"
                              "  end %b2 @2\n"
                              "  leave\n",
                              "%z"));
    testing::internal::CaptureStderr();
    at::ThreadLocalState Launched;
    {
      at::ThreadLocalStateGuard Task(Launched); // as at::launch has it
      EXPECT_ANY_THROW(interpret(G, {at::ones({2, 3})}));
    }
    interpret(G, {at::ones({2, 2})});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  });
  EXPECT_EQ(operatorsIn(readProfile(Folder.file("p.tprof")), 2), 1u);
}
