//===- OperatorsTest.cpp - operators inside of nodes ----------------------===//

#include "ColdPath.h"
#include "Control.h"
#include "FrameworkWatch.h"
#include "OperatorSupport.h"
#include "Probe.h"
#include "TestSupport.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

// The framework's name of an operator has one address.
constexpr const char *Relu = "aten::relu", *Clamp = "aten::clamp_min",
                     *Empty = "aten::empty";

class Operators : public RecordedModel {
protected:
  Operators() : RecordedModel(4) {}

  /// Number of the slot of the operator \p Name in \p Parent.
  static uint32_t slotOf(const ReadProfile &P, unsigned Parent,
                         const std::string &Name) {
    for (const ReadProfile::ChildOf &C : P.Children)
      if (C.Kind == DynamicKind::Operator && C.Parent == Slot(Parent) &&
          C.Name == Name)
        return number(C.Site);
    ADD_FAILURE() << "no operator " << Name << " in slot " << Parent;
    return number(NoSlot);
  }
};

TEST_F(Operators, LieInNodesAndInEachOther) {
  recordIt([] {
    for (int I = 0; I < 2; ++I)
      inRun([] {
        timedNode(1, [] { call(Clamp, 5, [] { call(Empty, 3); }); });
        pairedNode(2, [] {
          call(Clamp, 7);
          call(Clamp, 1);
        });
        call(Empty, 2);
      });
  });
  ReadProfile P = profile();
  uint32_t Outer = slotOf(P, 1, Clamp);
  EXPECT_EQ(P.count(Outer), 2u);
  EXPECT_EQ(P.sum(Outer), 16u);
  EXPECT_EQ(P.sum(slotOf(P, Outer, Empty)), 6u);
  EXPECT_EQ(P.count(slotOf(P, 2, Clamp)), 4u);
  EXPECT_EQ(P.sum(slotOf(P, 2, Clamp)), 16u);
  EXPECT_EQ(P.sum(slotOf(P, 0, Empty)), 4u); // of the method, in no node
  EXPECT_EQ(P.sum(1), 16u);
  EXPECT_EQ(P.count(1), 2u);
  EXPECT_EQ(P.begins(1), 2u);
}

TEST_F(Operators, TheNodeItselfIsNotRepeated) {
  recordIt([] {
    inRun([] {
      timedNode(1, [] { // a node of kind aten::relu
        call(Relu, 5, [] { call(Clamp, 3, [] { call(Relu, 1); }); });
      });
    });
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.Children.size(), 2u);
  uint32_t Below = slotOf(P, 1, Clamp);
  EXPECT_EQ(P.sum(slotOf(P, Below, Relu)), 1u); // but deeper it is another
}

TEST_F(Operators, AreSeenInSpansOfModelsOnly) {
  recordIt([] {
    call(Empty, 1); // there is no lane yet
    label("outside", [] { call(Empty, 1); });
    inRun([] {
      label("inside", [] { call(Empty, 1); }); // the method's
      stop();
      timedNode(1, [] { call(Empty, 1); });
      start();
    });
    call(Empty, 1);
  });
  ReadProfile P = profile();
  ASSERT_EQ(P.Children.size(), 3u);
  EXPECT_EQ(P.count(slotOf(P, 0, Empty)), 1u);
}

TEST_F(Operators, NamesThatShareAnAddressAreToldApart) {
  recordIt([] {
    inRun([] {
      timedNode(1, [] {
        char Name[] = "one";
        for (char First : {'o', 't', 't', 'o'}) {
          Name[0] = First;
          call(
              Name, First == 'o' ? 1 : 2, [] {}, /*Stays=*/false);
        }
      });
    });
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.sum(slotOf(P, 1, "one")), 2u);
  EXPECT_EQ(P.sum(slotOf(P, 1, "tne")), 4u);
}

TEST_F(Operators, NameThatHasTakenTheAddressOfOneThatIsGoneIsNotTakenForIt) {
  recordIt([] {
    inRun([] {
      timedNode(1, [] { // a node of kind aten::relu
        char Name[] = "aten::relu";
        call(Name, 1);
        EXPECT_EQ(knownOperator(Name), NoSlot);
        operatorNamesGone();
        Name[6] = 'e'; // another operator is registered there
        EXPECT_EQ(knownOperator(Name), std::nullopt);
        call(Name, 2);
        EXPECT_NE(knownOperator(Name), NoSlot);
        operatorNamesGone();
        Name[6] = 'b';
        call(Name, 4);
        call(Name, 4);
      });
    });
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.Children.size(), 2u);
  EXPECT_EQ(P.sum(slotOf(P, 1, "aten::eelu")), 2u);
  EXPECT_EQ(P.sum(slotOf(P, 1, "aten::belu")), 8u);
}

TEST_F(Operators, EndThatComesWhileTheStackUnwindsIsBooked) {
  recordIt([] {
    inRun([] {
      FrameSpan Span{Slot(1)};
      call(Clamp, 4); // ended by RecordFunction's destructor
      Span.abandon();
    });
    inRun([] { timedNode(2, [] { advanceClock(1); }); });
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.sum(slotOf(P, 1, Clamp)), 4u);
  EXPECT_EQ(P.count(1), 0u);
  EXPECT_EQ(P.count(2), 1u);
}

TEST_F(Operators, RowsAreBounded) {
  recordIt([] {
    std::vector<std::string> Names;
    for (unsigned I = 0; I < 2 * DynamicSites::MaxChildren; ++I)
      Names.push_back("op" + std::to_string(I));
    inRun([&] {
      timedNode(1, [&] {
        for (const std::string &Name : Names)
          call(Name.c_str(), 1);
      });
    });
  });
  ReadProfile P = profile();
  EXPECT_LE(P.Children.size(), DynamicSites::MaxChildren + 1);
  EXPECT_EQ(P.sum(slotOf(P, 1, "(others)")),
            uint64_t(DynamicSites::MaxChildren));
}

TEST_F(Operators, ChildOfForkRecordsItsOwn) {
  record(Folder.file("f.tprof"), [] {
    addTestModel(7, 4);
    inRun([] { timedNode(1, [] { call(Clamp, 1); }); });
    EXPECT_EQ(
        runChild([] { inRun([] { timedNode(1, [] { call(Empty, 1); }); }); }),
        0);
  });
  ASSERT_EQ(Folder.names().size(), 2u);
  for (const std::string &Name : Folder.names())
    EXPECT_EQ(profile(Name.c_str())
                  .count(slotOf(profile(Name.c_str()), 1,
                                Name == "f.tprof" ? Clamp : Empty)),
              1u);
}

TEST_F(Operators, ThreadsRecordWhileAnotherResets) {
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 4);
    std::vector<std::thread> Threads;
    for (int T = 0; T < 3; ++T)
      Threads.emplace_back([] {
        for (int I = 0; I < 1500; ++I)
          inRun([] {
            label("step", [] {
              timedNode(1, [] { call(Clamp, 0, [] { call(Empty, 0); }); });
            });
          });
      });
    resetWhile(Threads);
    reset();
    inRun([] { timedNode(1, [] { call(Clamp, 0); }); });
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.count(slotOf(P, 1, Clamp)), 1u);
  EXPECT_EQ(P.count(1), 1u);
}

unsigned Begun, Ended;

TEST_F(Operators, FrameworkIsToldOfOutermostRuns) {
  static constexpr FrameworkWatch Watch{[](const Options &) {}, [] { ++Begun; },
                                        [] { ++Ended; }, [] {}, [] {}};
  Begun = Ended = 0;
  setFrameworkWatch(&Watch);
  recordIt([] {
    inRun([] { inRun([] {}); });
    EXPECT_EQ(Begun, 1u);
    EXPECT_EQ(Ended, 1u);
    stop();
    inRun([] {});
    start();
    inRun([] {});
  });
  setFrameworkWatch(nullptr);
  EXPECT_EQ(Begun, 2u);
  EXPECT_EQ(Ended, 2u);
}

} // namespace
