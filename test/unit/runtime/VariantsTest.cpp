//===- VariantsTest.cpp - what nodes take per shapes of their operands ----===//

#include "Variants.h"

#include "VariantsSupport.h"

#include "Control.h"
#include "Memory.h"
#include "Probe.h"

#include <thread>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

TEST_F(VariantsTest, SpansAreToldApartByTheirSignatures) {
  ReadProfile P = recorded([] {
    inRun([] {
      node(1, {2, 3}, 10);
      node(1, {4, 3}, 100);
      node(1, {2, 3}, 30);
      node(2, {2, 3}, 7);
    });
    inRun([] { node(1, {4, 3}, 50); });
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

TEST_F(VariantsTest, HaveTheMemoryOfTheirSpans) {
  auto Body = [] {
    auto Allocates = [](uint64_t Bytes) {
      return [Bytes] { noteAllocated(Bytes); };
    };
    inRun([&] {
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
      [] { inRun([] { node(1, {2}, 1, [] { noteAllocated(100); }); }); });
  EXPECT_EQ(netsOf(P, 1), std::vector<int64_t>{0});
}

TEST_F(VariantsTest, SnapshotsCopyThemWhole) {
  recorded(
      [&] {
        std::atomic<bool> Done{false};
        std::thread Owner([&] {
          while (!Done)
            inRun([] {
              for (int Times = 0; Times < 1000; ++Times)
                node(1, {2}, 0);
            });
        });
        while (totals().Count < 1000)
          std::this_thread::yield();
        for (int I = 0; I < 20; ++I)
          EXPECT_EQ(snapshot(Folder.file("s" + std::to_string(I))), 0);
        Done = true;
        Owner.join();
      },
      {}, /*IsStill=*/false);
  uint64_t Last = 0;
  for (int I = 0; I < 20; ++I)
    for (const auto &V :
         readProfile(Folder.file("s" + std::to_string(I))).Variants) {
      EXPECT_EQ(V.Data.Word % 2, 0u) << I;
      EXPECT_LE(V.Data.Word / 2 * V.Data.Min, V.Data.Time) << I;
      EXPECT_GE(V.Data.Word / 2 * V.Data.Max, V.Data.Time) << I;
      EXPECT_GE(V.Data.Word, Last);
      Last = V.Data.Word;
    }
  EXPECT_GT(Last, 0u);
}

TEST_F(VariantsTest, SignaturesBeyondTheBoundShareOne) {
  ReadProfile P = recorded(
      [] {
        inRun([] {
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

TEST_F(VariantsTest, EightAreToldApartUnlessTheHostWantsMore) {
  ReadProfile P = recorded([] {
    inRun([] {
      for (int Size = 1; Size <= 10; ++Size)
        node(1, {Size}, 1);
    });
  });
  std::vector<Expected> Variants = variantsOf(P, 1);
  ASSERT_EQ(Variants.size(), 9u);
  EXPECT_EQ(Variants[7].Signature, "float32[8] -> float32[8]");
  EXPECT_EQ(Variants[8].Signature, "(others)");
  EXPECT_EQ(Variants[8].Count, 2u);
}

TEST_F(VariantsTest, BoundHoldsForAllThreadsTogether) {
  ReadProfile P = recorded(
      [] {
        for (int Size : {1, 2, 3})
          std::thread([Size] { inRun([Size] { node(1, {Size}, 1); }); }).join();
      },
      {{"shape_variants", "2"}});
  EXPECT_EQ(variantsOf(P, 1).size(), 3u);
  EXPECT_EQ(variantsOf(P, 1).back().Signature, "(others)");
}

/// Runs of node 1 with such inputs on two threads, which make other outputs.
static void runOnTwoThreads(const Numbers &Inputs) {
  auto Run = [&](int Output) {
    inRun([&] {
      Numbers Stack = Inputs;
      FrameSpan Span(Slot(1), {&Stack, uint16_t(Stack.size()), 1});
      Stack = {Output};
      Span.end();
    });
  };
  Run(2);
  std::thread(Run, 3).join();
}

TEST_F(VariantsTest, OutputsAreThoseOfTheFirstThread) {
  ReadProfile P =
      recorded([] { runOnTwoThreads({5}); }, {{"shape_variants", "1"}});
  std::vector<Expected> OfThreads(
      2, {"float32[5] -> float32[2]", 1, 0, 0, 0, 1000});
  EXPECT_EQ(variantsOf(P, 1), OfThreads);
  EXPECT_EQ(P.Children.size(), 1u);
}

TEST_F(VariantsTest, InputsThatAreCutAreToldApartAcrossThreads) {
  ReadProfile P = recorded([] {
    Numbers Inputs(200, 5);
    runOnTwoThreads(Inputs);
    Inputs.back() = 6;
    runOnTwoThreads(Inputs);
  });
  ASSERT_EQ(P.Children.size(), 2u);
  for (const ReadProfile::ChildOf &C : P.Children) {
    EXPECT_EQ(C.Flags, uint32_t(DF_Cut));
    EXPECT_EQ(C.Name.size(), size_t(DynamicSites::MaxNameBytes));
  }
  EXPECT_EQ(variantsOf(P, 1).size(), 4u);
}

TEST_F(VariantsTest, KeysWhoseTextsAreEqualShareAVariant) {
  ReadProfile P = recorded([] {
    inRun([] {
      for (int Size : {100, 101, 102, 100, 102})
        node(1, {Size}, 5);
    });
  });
  EXPECT_EQ(variantsOf(P, 1),
            (std::vector<Expected>{
                {"float32[100] -> float32[100]", 5, 25, 5, 5, 1000}}));
}

TEST_F(VariantsTest, KeysWhoseTextsAreEqualAreBoundedToo) {
  ReadProfile P = recorded(
      [] {
        inRun([] {
          for (int Size = 100; Size < 110; ++Size)
            node(1, {Size}, 5);
          node(1, {100}, 5);
        });
      },
      {{"shape_variants", "2"}});
  EXPECT_EQ(variantsOf(P, 1),
            (std::vector<Expected>{
                {"float32[100] -> float32[100]", 5, 25, 5, 5, 1000},
                {"(others)", 6, 30, 5, 5, 1020}}));
}

TEST_F(VariantsTest, SpansWithoutSignatureOrEndAreInNone) {
  ReadProfile P = recorded([] {
    inRun([] {
      node(1, {0}, 10);
      FrameSpan NotKnown{Slot(1)};
      NotKnown.end();
      Numbers Stack = {5};
      FrameSpan Left(Slot(1), {&Stack, 1, 1});
      Left.abandon();
    });
    inRun([] { node(1, {6}, 1); });
  });
  EXPECT_EQ(P.count(1), 3u);
  EXPECT_EQ(variantsOf(P, 1).size(), 1u);
  EXPECT_EQ(variantsOf(P, 1).front().Signature, "float32[6] -> float32[6]");
}

TEST_F(VariantsTest, NodeInsideItselfHasBoth) {
  ReadProfile P = recorded([] {
    inRun([] { node(1, {2}, 10, [] { node(1, {2}, 3); }); });
    inRun([] { node(1, {2}, 1); });
  });
  EXPECT_EQ(variantsOf(P, 1),
            (std::vector<Expected>{
                {"float32[2] -> float32[2]", 3, 17, 1, 13, 1000}}));
}

TEST_F(VariantsTest, ResetEmptiesThem) {
  for (void (*Empty)() : {reset, resetThread}) {
    ReadProfile P = recorded([=] {
      inRun([] {
        node(1, {2}, 10);
        node(1, {3}, 10);
      });
      Empty();
      inRun([] { node(1, {2}, 4); });
      inRun([=] { // cut
        node(1, {2}, 8, [=] {
          advanceClock(1);
          Empty();
        });
      });
      inRun([] { node(1, {2}, 16); });
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
          inRun([] { node(1, {2}, 10); });
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
          inRun([] { node(1, {2}, 10); });
      },
      {{"record_every", "2"}});
  EXPECT_EQ(variantsOf(P, 1).front().Count, 3u);
  EXPECT_EQ(P.count(1), 5u);
}

TEST_F(VariantsTest, NodesOfAnotherThreadsRunAreToldApart) {
  ReadProfile P = recorded(
      [] {
        inRun([] {
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
        recorded([] { inRun([] { node(1, {2}, 10); }); }, {{Name, Value}});
    EXPECT_TRUE(P.Variants.empty()) << Name;
    EXPECT_EQ(P.count(1), 1u);
  }
}

TEST_F(VariantsTest, ForkedChildHasItsOwnAlsoOfTheSpanItBeganIn) {
  record(Folder.file("p.tprof"), [&] {
    ASSERT_EQ(setOption("record", "shapes"), 0);
    addTestModel(7, 4);
    inRun([] { node(1, {2}, 0); });
    inRun([] {
      node(1, {2}, 0, [] {
        EXPECT_EQ(runChild([] { inRun([] { node(1, {3}, 0); }); }), 0);
      });
      node(2, {2}, 0, [] { // of a signature that is new there
        EXPECT_EQ(runChild([] { inRun([] { node(2, {3}, 0); }); }), 0);
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

TEST_F(VariantsTest, ThreadsAddWhileAnotherResets) {
  ReadProfile P = recorded(
      [] {
        std::vector<std::thread> Threads;
        for (int T = 0; T < 3; ++T)
          Threads.emplace_back([T] {
            for (int I = 0; I < 2000; ++I)
              inRun([I, T] { node(1, {I % 7 + T + 1}, 0); });
          });
        resetWhile(Threads);
        reset();
        inRun([] { node(1, {1}, 0); });
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
