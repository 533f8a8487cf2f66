//===- VariantsTest.cpp - what nodes take per shapes of their operands ----===//

#include "Variants.h"

#include "Control.h"
#include "Memory.h"
#include "PairShapes.h"
#include "Probe.h"
#include "TestSupport.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

/// The test's framework: a stack is a list of numbers, which are sizes. A 0 has
/// no signature.
using Numbers = std::vector<int>;
std::atomic<unsigned> TextsWritten = 0;

uint64_t keyOf(const void *Stack, unsigned Count) {
  const auto &Values = *static_cast<const Numbers *>(Stack);
  uint64_t Key = 1;
  for (size_t I = Values.size() - Count; I < Values.size(); ++I) {
    if (Values[I] == 0)
      return 0;
    Key = Key * 1000 + uint64_t(Values[I]);
  }
  return Key;
}

/// Sizes from 100 on read as size 100.
std::string textOf(const void *Stack, unsigned Count) {
  ++TextsWritten;
  const auto &Values = *static_cast<const Numbers *>(Stack);
  std::string Text;
  for (size_t I = Values.size() - Count; I < Values.size(); ++I)
    Text.append(Text.empty() ? "float32[" : " float32[")
        .append(std::to_string(std::min(Values[I], 100)))
        .append("]");
  return Text;
}

constexpr SignatureReader Reader{keyOf, textOf};

class VariantsTest : public testing::Test {
protected:
  VariantsTest() {
    setSignatureReader(&Reader);
    TextsWritten = 0;
  }
  ~VariantsTest() override { setSignatureReader(nullptr); }

  /// Runs \p Body with shapes, on the test's clock unless it has threads.
  ReadProfile recorded(
      const std::function<void()> &Body,
      std::initializer_list<std::pair<const char *, const char *>> More = {},
      bool IsStill = true) {
    record(Folder.file("p.tprof"), [&] {
      if (IsStill)
        useTestClock();
      EXPECT_EQ(setOption("record", "shapes"), 0);
      for (auto [Name, Value] : More)
        EXPECT_EQ(setOption(Name, Value), 0);
      addTestModel(7, 4);
      Body();
    });
    return readProfile(Folder.file("p.tprof"));
  }
  TestFolder Folder;
};

[[gnu::noinline]] void run(const std::function<void()> &Body) {
  uint64_t R = enterRoot(
      site(7, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  Body();
  endSpan(R, site(7, 0));
}

/// A timed node that makes one number of its inputs.
void node(
    unsigned Site, Numbers Stack, uint64_t Ticks,
    const std::function<void()> &Body = [] {}) {
  FrameSpan Span(Slot(Site), {&Stack, uint16_t(Stack.size()), 1});
  int Output = Stack.front();
  Stack = {Output};
  Body();
  advanceClock(Ticks);
  Span.end();
}

struct Expected {
  std::string Signature;
  uint64_t Count, Time, Min, Max, First;
  bool operator==(const Expected &) const = default;
};

std::ostream &operator<<(std::ostream &OS, const Expected &E) {
  return OS << E.Signature << ": " << E.Count << " spans, " << E.Time
            << " ticks, " << E.Min << " to " << E.Max << ", first at "
            << E.First;
}

/// The variants of a node that have spans.
std::vector<Expected> variantsOf(const ReadProfile &P, unsigned Site) {
  std::vector<Expected> Found;
  for (const ReadProfile::VariantOf &V : P.Variants)
    if (V.Data.Site == Slot(Site) && V.Data.Word)
      Found.push_back({V.Signature, V.Data.Word / 2, V.Data.Time, V.Data.Min,
                       V.Data.Max, V.Data.FirstTicks});
  return Found;
}

} // namespace

TEST_F(VariantsTest, SpansAreToldApartByTheirSignatures) {
  ReadProfile P = recorded([] {
    run([] {
      node(1, {2, 3}, 10);
      node(1, {4, 3}, 100);
      node(1, {2, 3}, 30);
      node(2, {2, 3}, 7);
    });
    run([] { node(1, {4, 3}, 50); });
  });
  EXPECT_EQ(
      variantsOf(P, 1),
      (std::vector<Expected>{
          {"float32[2] float32[3] -> float32[2]", 2, 40, 10, 30, 1000},
          {"float32[4] float32[3] -> float32[4]", 2, 150, 50, 100, 1010}}));
  EXPECT_EQ(variantsOf(P, 2).size(), 1u);
  EXPECT_EQ(P.count(1), 4u); // time is recorded as ever
  EXPECT_EQ(P.sum(1), 190u);
  EXPECT_EQ(TextsWritten, 2u * 3u); // at first sights alone
}

/// What the spans of each of a node's signatures allocated less what they
/// freed.
static std::vector<int64_t> netsOf(const ReadProfile &P, unsigned Site) {
  std::vector<int64_t> Found;
  for (const ReadProfile::VariantOf &V : P.Variants)
    if (V.Data.Site == Slot(Site) && V.Data.Word)
      Found.push_back(V.Data.NetBytes);
  return Found;
}

TEST_F(VariantsTest, HaveTheMemoryOfTheirSpans) {
  auto Body = [] {
    auto Allocates = [](uint64_t Bytes) {
      return [Bytes] { noteAllocated(Bytes); };
    };
    run([&] {
      node(1, {2}, 1, Allocates(100));
      node(1, {3}, 1, Allocates(7));
      node(1, {2}, 1, [] { noteFreed(400); });
      node(1, {3}, 1);
      // What a node inside of it takes is the outer one's, too.
      node(2, {2}, 1, [&] { node(1, {3}, 1, Allocates(1000)); });
    });
  };
  ReadProfile P = recorded(Body, {{"record", "shapes,memory"}});
  EXPECT_EQ(netsOf(P, 1), (std::vector<int64_t>{-300, 1007}));
  EXPECT_EQ(netsOf(P, 2), (std::vector<int64_t>{1000}));
}

TEST_F(VariantsTest, HaveNoMemoryIfThatIsNotMeasured) {
  ReadProfile P = recorded(
      [] { run([] { node(1, {2}, 1, [] { noteAllocated(100); }); }); });
  EXPECT_EQ(netsOf(P, 1), std::vector<int64_t>{0});
}

TEST_F(VariantsTest, SignaturesBeyondTheBoundShareOne) {
  ReadProfile P = recorded(
      [] {
        run([] {
          for (int Size : {1, 2, 3, 4, 1, 2, 5})
            node(1, {Size}, uint64_t(Size));
        });
      },
      {{"shape_variants", "2"}});
  EXPECT_EQ(
      variantsOf(P, 1),
      (std::vector<Expected>{{"float32[1] -> float32[1]", 2, 2, 1, 1, 1000},
                             {"float32[2] -> float32[2]", 2, 4, 2, 2, 1001},
                             {"(others)", 3, 12, 3, 5, 1003}}));
  EXPECT_EQ(P.counter(Counter::DynamicOverflow), 0u);
}

TEST_F(VariantsTest, BoundHoldsForAllThreadsTogether) {
  ReadProfile P = recorded(
      [] {
        for (int Size : {1, 2, 3})
          std::thread([Size] { run([Size] { node(1, {Size}, 1); }); }).join();
      },
      {{"shape_variants", "2"}});
  EXPECT_EQ(variantsOf(P, 1).size(), 3u);
  EXPECT_EQ(variantsOf(P, 1).back().Signature, "(others)");
}

TEST_F(VariantsTest, KeysWhoseTextsAreEqualShareAVariant) {
  ReadProfile P = recorded([] {
    run([] {
      for (int Size : {100, 101, 102, 100, 102})
        node(1, {Size}, 5);
    });
  });
  EXPECT_EQ(variantsOf(P, 1),
            (std::vector<Expected>{
                {"float32[100] -> float32[100]", 5, 25, 5, 5, 1000}}));
}

TEST_F(VariantsTest, SpansWithoutSignatureOrEndAreInNone) {
  ReadProfile P = recorded([] {
    run([] {
      node(1, {0}, 10);
      FrameSpan NotKnown{Slot(1)};
      NotKnown.end();
      Numbers Stack = {5};
      FrameSpan Left(Slot(1), {&Stack, 1, 1});
      Left.abandon();
    });
    run([] { node(1, {6}, 1); });
  });
  EXPECT_EQ(P.count(1), 3u);
  EXPECT_EQ(variantsOf(P, 1).size(), 1u);
  EXPECT_EQ(variantsOf(P, 1).front().Signature, "float32[6] -> float32[6]");
}

TEST_F(VariantsTest, NodeInsideItselfHasBoth) {
  ReadProfile P = recorded([] {
    run([] { node(1, {2}, 10, [] { node(1, {2}, 3); }); });
    run([] { node(1, {2}, 1); });
  });
  EXPECT_EQ(variantsOf(P, 1),
            (std::vector<Expected>{
                {"float32[2] -> float32[2]", 3, 17, 1, 13, 1000}}));
}

TEST_F(VariantsTest, ResetEmptiesThem) {
  for (void (*Empty)() : {reset, resetThread}) {
    ReadProfile P = recorded([=] {
      run([] {
        node(1, {2}, 10);
        node(1, {3}, 10);
      });
      Empty();
      run([] { node(1, {2}, 4); });
      run([=] { // cut
        node(1, {2}, 8, [=] {
          advanceClock(1);
          Empty();
        });
      });
      run([] { node(1, {2}, 16); });
    });
    // What was not touched since keeps the epoch of what it holds.
    EXPECT_EQ(variantsOf(P, 1),
              (std::vector<Expected>{
                  {"float32[2] -> float32[2]", 1, 16, 16, 16, 1033}}));
  }
}

TEST_F(VariantsTest, AreMeasuredBesideMemory) {
  ReadProfile P = recorded(
      [] {
        for (int I = 0; I < 3; ++I)
          run([] { node(1, {2}, 10); });
      },
      {{"record", "memory,shapes"}});
  EXPECT_EQ(variantsOf(P, 1),
            (std::vector<Expected>{
                {"float32[2] -> float32[2]", 3, 30, 10, 10, 1000}}));
  EXPECT_EQ(P.measure(MeasureId::Allocated, 1).Word, 2u * 3u);
}

TEST_F(VariantsTest, FollowWhichRunsAndSitesAreMeasured) {
  ReadProfile P = recorded(
      [] {
        for (int I = 0; I < 5; ++I)
          run([] { node(1, {2}, 10); });
      },
      {{"record_every", "2"}});
  EXPECT_EQ(variantsOf(P, 1).front().Count, 3u);
  EXPECT_EQ(P.count(1), 5u);
}

TEST_F(VariantsTest, NodesOfAnotherThreadsRunAreToldApart) {
  ReadProfile P = recorded(
      [] {
        run([] {
          std::thread([] {
            node(1, {2}, 10);
            node(1, {2}, 10);
            node(2, {3}, 10);
          }).join();
        });
      },
      {{"record", "memory,shapes"}});
  ASSERT_EQ(variantsOf(P, 1).size(), 1u);
  EXPECT_EQ(variantsOf(P, 1).front().Count, 2u);
  EXPECT_EQ(variantsOf(P, 2).front().Count, 1u);
  EXPECT_EQ(P.measure(MeasureId::Allocated, 1).Word, 2u * 2u);
}

TEST_F(VariantsTest, WithoutThemThereIsNoSegment) {
  for (auto [Name, Value] :
       {std::pair("record", "cpu"), std::pair("record_sites", "methods")}) {
    Folder.~TestFolder();
    new (&Folder) TestFolder;
    ReadProfile P =
        recorded([] { run([] { node(1, {2}, 10); }); }, {{Name, Value}});
    EXPECT_TRUE(P.Variants.empty()) << Name;
    EXPECT_EQ(P.count(1), 1u);
  }
}

TEST_F(VariantsTest, ForkedChildHasItsOwnAlsoOfTheSpanItBeganIn) {
  record(Folder.file("p.tprof"), [&] {
    ASSERT_EQ(setOption("record", "shapes"), 0);
    addTestModel(7, 4);
    run([] { node(1, {2}, 0); });
    run([] {
      node(1, {2}, 0, [] {
        EXPECT_EQ(runChild([] { run([] { node(1, {3}, 0); }); }), 0);
      });
      node(2, {2}, 0, [] { // of a signature that is new there
        EXPECT_EQ(runChild([] { run([] { node(2, {3}, 0); }); }), 0);
      });
    });
  });
  ASSERT_EQ(Folder.names().size(), 3u);
  for (const std::string &Name : Folder.names()) {
    ReadProfile P = readProfile(Folder.file(Name));
    bool IsParent = Name == "p.tprof";
    ASSERT_EQ(P.Variants.size(), IsParent ? 2u : 1u) << Name;
    for (const ReadProfile::VariantOf &V : P.Variants)
      EXPECT_EQ(V.Signature, IsParent ? "float32[2] -> float32[2]"
                                      : "float32[3] -> float32[3]");
  }
}

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

TEST_F(VariantsTest, PairsTakeWhatTheFrameworkTells) {
  ReadProfile P = recorded([] {
    run([] {
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

TEST_F(VariantsTest, PairsHaveTheMemoryOfTheirSpans) {
  ReadProfile P = recorded(
      [] {
        run([] {
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

TEST_F(VariantsTest, PairLeftByAnExceptionIsForgotten) {
  ReadProfile P = recorded([] {
    run([] {
      Numbers Inputs = {2};
      beginSpan(site(7, 1));
      ASSERT_TRUE(wantsOperands("aten::relu"));
      tellInputs({&Inputs, 1, 0});
    });
    run([] { pair(1, {3}, 10); });
  });
  EXPECT_EQ(variantsOf(P, 1),
            (std::vector<Expected>{
                {"float32[3] -> float32[3]", 1, 10, 10, 10, 1000}}));
}

/// A pair that is given its operands; its one output is the first input.
void pairWith(unsigned Site, Numbers Inputs, uint64_t Ticks) {
  uint64_t Begin =
      beginSpan(site(7, Site), {&Inputs, uint16_t(Inputs.size()), 0});
  EXPECT_FALSE(wantsOperands("aten::relu"));
  advanceClock(Ticks);
  Inputs.resize(1);
  endSpan(Begin, site(7, Site), {&Inputs, 0, 1});
}

TEST_F(VariantsTest, PairsAndRootsTakeWhatTheyAreGiven) {
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

TEST_F(VariantsTest, PairsThatEndElsewhereLeaveRoomForOthers) {
  ReadProfile P = recorded([] {
    run([] {
      Numbers Around = {5}, Inputs = {2};
      uint64_t Outer = beginSpan(site(7, 2), {&Around, 1, 0});
      beginSpan(site(7, 1), {&Inputs, 1, 0}); // ends on another thread
      endSpan(Outer, site(7, 2), {&Around, 0, 1});
      for (int I = 0; I < 1000; ++I)
        beginSpan(site(7, 1), {&Inputs, 1, 0});
      pairWith(3, {7}, 3);
    });
    run([] {}); // forgets those that have not ended
  });
  EXPECT_EQ(variantsOf(P, 2).size(), 1u);
  EXPECT_TRUE(variantsOf(P, 1).empty());
  EXPECT_EQ(
      variantsOf(P, 3),
      (std::vector<Expected>{{"float32[7] -> float32[7]", 1, 3, 3, 3, 1000}}));
}

TEST_F(VariantsTest, ThreadsAddWhileAnotherResets) {
  ReadProfile P = recorded(
      [] {
        std::atomic<bool> Done = false;
        std::vector<std::thread> Threads;
        for (int T = 0; T < 3; ++T)
          Threads.emplace_back([T] {
            for (int I = 0; I < 2000; ++I)
              run([I, T] { node(1, {I % 7 + T + 1}, 0); });
          });
        std::thread Resetter([&] {
          while (!Done) {
            reset();
            std::this_thread::yield();
          }
        });
        for (std::thread &T : Threads)
          T.join();
        Done = true;
        Resetter.join();
        reset();
        run([] { node(1, {1}, 0); });
      },
      {{"shape_variants", "4"}}, /*IsStill=*/false);
  EXPECT_EQ(P.count(1), 1u);
  uint64_t Spans = 0;
  for (const ReadProfile::VariantOf &V : P.Variants) {
    EXPECT_EQ(V.Data.Word % 2, 0u);
    Spans += V.Data.Word / 2;
  }
  EXPECT_EQ(Spans, 1u);
}
