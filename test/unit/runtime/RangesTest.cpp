//===- RangesTest.cpp - spans as ranges of other tools --------------------===//

#include "Ranges.h"

#include "Control.h"
#include "DynamicSpans.h"
#include "Probe.h"
#include "TestSupport.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

thread_local std::string Told;
thread_local int Depth = 0;
std::atomic<bool> IsThere = true;

/// Stands in for the marker of USDT, which the collector itself offers.
constexpr RangeMarker Marker{"nvtx", [] { return IsThere.load(); },
                             [](const char *Name, Slot) {
                               ++Depth;
                               Told.append(Name).append("(");
                             },
                             [](const char *, Slot) {
                               --Depth;
                               Told += ")";
                             }};

class RangesTest : public testing::Test {
protected:
  RangesTest() { addRangeMarker(&Marker); }
  void recorded(const std::function<void()> &Body,
                const char *Annotate = "nvtx") {
    Told.clear();
    record(Folder.file("p.tprof"), [&] {
      EXPECT_EQ(setOption("annotate", Annotate), 0);
      addTestModel(7, 4);
      Body();
    });
  }
  TestFolder Folder;
};

void node(
    unsigned Index, const std::function<void()> &Body = [] {}) {
  if (!ensureRecording())
    return Body();
  FrameSpan Span{Slot(Index)};
  Body();
  Span.end();
}

/// As the ranges of the test's model are called: neither it nor its method has
/// a name.
std::string named(std::string Text) {
  std::string Out;
  for (char C : Text)
    Out += C == 'R' ? "." : C == 'n' ? "aten::relu" : std::string(1, C);
  return Out;
}

} // namespace

TEST_F(RangesTest, NestAsSpansDo) {
  recorded([] {
    inRun([] {
      node(1, [] { node(2); });
      endSpan(beginSpan(site(7, 3)), site(7, 3));
    });
  });
  EXPECT_EQ(Told, named("R(n(n())n())"));
}

TEST_F(RangesTest, ThoseThatAnExceptionLeavesAreEnded) {
  recorded([] {
    inRun([] {
      FrameSpan Left{Slot(1)};
      beginSpan(site(7, 2)); // never ends
      Left.abandon();
    });
    inRun([] { node(3); });
    EXPECT_EQ(Depth, 0);
  });
  EXPECT_EQ(Told, named("R(n(n()))R(n())"));
}

TEST_F(RangesTest, RegionsAroundARunStayOpen) {
  recorded([] {
    inRun([] {}); // from here on it is measured
    Told.clear();
    DynamicSpan Step = beginLabel("step");
    inRun([] { node(1); });
    endLabel(Step);
  });
  EXPECT_EQ(Told, "step(" + named("R(n())") + ")");
}

TEST_F(RangesTest, RangesThatAreOpenWhenRecordingStopsAreEnded) {
  recorded([] {
    inRun([] {
      node(1, [] { stop(); });
      node(2);
    });
    EXPECT_EQ(Depth, 0);
    start();
    inRun([] {});
  });
  EXPECT_EQ(Told, named("R(n())R()"));
}

TEST_F(RangesTest, EachThreadHasItsOwn) {
  recorded([] {
    std::vector<std::thread> Threads;
    for (int I = 0; I < 4; ++I)
      Threads.emplace_back([] {
        for (int Run = 0; Run < 500; ++Run)
          inRun([] { node(1, [] { node(2); }); });
        EXPECT_EQ(Depth, 0);
        EXPECT_EQ(Told.substr(0, 30), named("R(n(n()))R(n(n").substr(0, 30));
      });
    for (std::thread &T : Threads)
      T.join();
  });
}

TEST_F(RangesTest, WithoutTheToolOneWarningSaysSo) {
  IsThere = false;
  testing::internal::CaptureStderr();
  recorded([] { inRun([] { node(1); }); });
  IsThere = true;
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "torchprof: warning: TORCHPROF_ANNOTATE=nvtx: this process has no "
            "library for it\n");
  EXPECT_EQ(Told, "");
}

TEST_F(RangesTest, NothingIsToldUnlessAskedFor) {
  recorded(
      [] {
        inRun([] {});
        inRun([] {
          EXPECT_TRUE(isOpen(ThisLane)); // nodes keep to the hot path
          node(1);
        });
      },
      "");
  EXPECT_EQ(Told, "");
}
