//===- TraceTest.cpp - logs that keep their spans -------------------------===//

#include "Control.h"
#include "Probe.h"
#include "TestSupport.h"

#include <gtest/gtest.h>

using namespace torchprof;
using namespace torchprof::test;

static ReadProfile traced(
    const char *Keep, unsigned Spans,
    const std::function<void()> &Before = [] {}) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    useTestClock();
    EXPECT_EQ(setOption("mode", "trace"), 0);
    EXPECT_EQ(setOption("trace_keep", Keep), 0);
    EXPECT_EQ(setOption("trace_events", "16"), 0);
    addTestModel(7, 2);
    Before();
    for (unsigned I = 1; I <= Spans; ++I)
      span(site(7, 1), I);
  });
  return readProfile(Folder.file("p.tprof"));
}

TEST(Trace, KeepFirstKeepsTheFirstAndCountsTheRest) {
  ReadProfile P = traced("first", 20);
  ASSERT_EQ(P.Traces.size(), 1u);
  EXPECT_EQ(P.Traces[0].Written, 20u);
  ASSERT_EQ(P.Traces[0].Events.size(), 16u);
  EXPECT_EQ(P.Traces[0].Events[0].Ticks, 1u);
  EXPECT_EQ(P.Traces[0].Events[15].Ticks, 16u);
  EXPECT_EQ(P.Traces[0].Events[0].Site, format::Slot{1});
  EXPECT_EQ(P.count(1), 20u); // aggregates are kept as well
}

TEST(Trace, KeepLastKeepsTheLast) {
  ReadProfile P = traced("last", 20);
  EXPECT_EQ(P.Traces[0].Written, 20u);
  ASSERT_EQ(P.Traces[0].Events.size(), 16u);
  EXPECT_EQ(P.Traces[0].Events[0].Ticks, 5u);
  EXPECT_EQ(P.Traces[0].Events[15].Ticks, 20u);
}

TEST(Trace, ResetEmptiesTheRing) {
  for (const char *Keep : {"first", "last"})
    for (void (*Empty)() : {reset, resetThread}) {
      ReadProfile P = traced(Keep, 2, [=] {
        for (int I = 0; I < 40; ++I)
          span(site(7, 1), 1);
        Empty();
        advanceClock(1); // what began in the tick of the reset is of the past
      });
      EXPECT_EQ(P.Traces[0].Written, 2u);
      ASSERT_EQ(P.Traces[0].Events.size(), 2u);
      EXPECT_EQ(P.Traces[0].Events[1].Ticks, 2u);
    }
}

TEST(Trace, LongSpansAreExact) {
  ReadProfile P =
      traced("last", 0, [] { span(site(7, 1), uint64_t(1) << 41); });
  EXPECT_EQ(P.Traces[0].Events[0].Ticks, uint64_t(1) << 41);
  EXPECT_EQ(P.sum(1), uint64_t(1) << 41);
}

TEST(Trace, AggregateModeHasNoRing) {
  TestFolder Folder;
  record(Folder.file("p.tprof"), [&] {
    addTestModel(7, 2);
    span(site(7, 1), 1);
  });
  EXPECT_TRUE(readProfile(Folder.file("p.tprof")).Traces.empty());
}
