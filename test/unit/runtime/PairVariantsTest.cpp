//===- PairVariantsTest.cpp - pairs of probes by the shapes they met ------===//

#include "PairShapes.h"

#include "VariantsSupport.h"

#include "Memory.h"
#include "Probe.h"

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {
class PairVariantsTest : public VariantsTest {};
} // namespace

/// A pair of probes, whose operands the framework tells while the operator
/// \p Name runs in it.
static void pair(unsigned Site, Numbers Inputs, uint64_t Ticks,
                 const char *Name = "aten::relu") {
  uint64_t Begin = beginSpan(site(7, Site));
  if (wantsOperands(Name)) {
    bool Wanted = tellInputs({&Inputs, uint16_t(Inputs.size()), 0});
    EXPECT_FALSE(wantsOperands(Name)); // an operator inside of that
    Numbers Outputs = {Inputs.front()};
    if (Wanted)
      tellOutputs({&Outputs, 0, 1});
  }
  advanceClock(Ticks);
  endSpan(Begin, site(7, Site));
}

TEST_F(PairVariantsTest, TakeWhatTheFrameworkTells) {
  ReadProfile P = recorded([] {
    inRun([] {
      pair(1, {2, 3}, 10);
      pair(1, {4, 3}, 100);
      node(1, {2, 3}, 5);
      pair(1, {2, 3}, 30);
      pair(2, {2, 3}, 7, "aten::empty");         // not what the node is
      EXPECT_FALSE(wantsOperands("aten::relu")); // no pair is open
    });
    EXPECT_FALSE(wantsOperands("aten::relu"));
  });
  EXPECT_EQ(
      variantsOf(P, 1),
      (std::vector<Expected>{
          {"float32[2] float32[3] -> float32[2]", 3, 45, 5, 30, 1000},
          {"float32[4] float32[3] -> float32[4]", 1, 100, 100, 100, 1010}}));
  EXPECT_TRUE(variantsOf(P, 2).empty());
  EXPECT_EQ(P.count(2), 1u);
}

TEST_F(PairVariantsTest, HaveTheMemoryOfTheirSpans) {
  ReadProfile P = recorded(
      [] {
        inRun([] {
          for (int Size : {2, 3, 2}) {
            Numbers Inputs = {Size};
            uint64_t Begin = beginSpan(site(7, 1), {&Inputs, 1, 0});
            noteAllocated(uint64_t(Size) * 100);
            endSpan(Begin, site(7, 1), {&Inputs, 0, 1});
          }
        });
      },
      {{"record", "shapes,memory"}});
  EXPECT_EQ(netsOf(P, 1), (std::vector<int64_t>{400, 300}));
}

TEST_F(PairVariantsTest, LeftByAnExceptionAreForgotten) {
  ReadProfile P = recorded([] {
    inRun([] {
      Numbers Inputs = {2};
      beginSpan(site(7, 1));
      ASSERT_TRUE(wantsOperands("aten::relu"));
      tellInputs({&Inputs, 1, 0});
    });
    inRun([] { pair(1, {3}, 10); });
  });
  EXPECT_EQ(variantsOf(P, 1),
            (std::vector<Expected>{
                {"float32[3] -> float32[3]", 1, 10, 10, 10, 1000}}));
}

/// A pair that is given its operands; its one output is the first input.
static void pairWith(unsigned Site, Numbers Inputs, uint64_t Ticks) {
  uint64_t Begin =
      beginSpan(site(7, Site), {&Inputs, uint16_t(Inputs.size()), 0});
  EXPECT_FALSE(wantsOperands("aten::relu"));
  advanceClock(Ticks);
  Inputs.resize(1);
  endSpan(Begin, site(7, Site), {&Inputs, 0, 1});
}

TEST_F(PairVariantsTest, TakeWhatTheyAreGivenAsRootsDo) {
  ReadProfile P = recorded([] {
    for (int Size : {2, 3, 2}) {
      Numbers Values = {Size};
      uint64_t R = enterRoot(
          site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)),
          {&Values, 1, 0});
      pairWith(2, {Size, 4}, 10);
      pair(1, {Size}, 5);
      advanceClock(1);
      endSpan(R, site(7, 0), {&Values, 0, 1});
    }
  });
  EXPECT_EQ(variantsOf(P, 0),
            (std::vector<Expected>{
                {"float32[2] -> float32[2]", 2, 32, 16, 16, 1000},
                {"float32[3] -> float32[3]", 1, 16, 16, 16, 1016}}));
  EXPECT_EQ(variantsOf(P, 2),
            (std::vector<Expected>{
                {"float32[2] float32[4] -> float32[2]", 2, 20, 10, 10, 1000},
                {"float32[3] float32[4] -> float32[3]", 1, 10, 10, 10, 1016}}));
  EXPECT_EQ(variantsOf(P, 1).size(), 2u);
}

TEST_F(PairVariantsTest, EndedElsewhereLeaveRoomForOthers) {
  ReadProfile P = recorded([] {
    inRun([] {
      Numbers Around = {5}, Inputs = {2};
      uint64_t Outer = beginSpan(site(7, 2), {&Around, 1, 0});
      beginSpan(site(7, 1), {&Inputs, 1, 0}); // ends on another thread
      endSpan(Outer, site(7, 2), {&Around, 0, 1});
      for (int I = 0; I < 1000; ++I)
        beginSpan(site(7, 1), {&Inputs, 1, 0});
      pairWith(3, {7}, 3);
    });
    inRun([] {}); // forgets those that have not ended
  });
  EXPECT_EQ(variantsOf(P, 2).size(), 1u);
  EXPECT_TRUE(variantsOf(P, 1).empty());
  EXPECT_EQ(
      variantsOf(P, 3),
      (std::vector<Expected>{{"float32[7] -> float32[7]", 1, 3, 3, 3, 1000}}));
}
