//===- MethodLabelsTest.cpp - labels around runs and in them --------------===//

#include "ColdPath.h"
#include "Control.h"
#include "OperatorSupport.h"
#include "Probe.h"
#include "TestSupport.h"
#include "torchprof/format/Manifest.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

class Labels : public RecordedModel {
protected:
  Labels() : RecordedModel(4) {}
};

TEST_F(Labels, AreRegionsAroundRunsAndInThem) {
  recordIt([] {
    label("step", [] {
      advanceClock(1);
      inRun([] {
        label("features", [] { timedNode(1, [] { advanceClock(5); }); });
        advanceClock(2);
      });
    });
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.sum(P.region("step")), 8u);
  EXPECT_EQ(P.cell(P.region("step")).Nested, 7u);
  EXPECT_EQ(P.sum(P.region("features")), 5u);
  EXPECT_EQ(P.child(DynamicKind::Region, "features").Parent, Slot(0));
  EXPECT_EQ(P.child(DynamicKind::Region, "step").Parent, NoSlot);
  EXPECT_EQ(P.cell(0).Nested, 0u); // an overlay
}

/// Adds a model with a method and a node of each of \p Kinds behind it.
void addModelOf(uint64_t Id, const char *Method,
                std::initializer_list<const char *> Kinds) {
  Manifest M;
  M.ModelId = Id;
  M.Producer = "test";
  M.Scopes.emplace_back();
  auto Add = [&M](const char *Kind, const char *Name, bool IsRoot) {
    ManifestSite S;
    S.Parent = IsRoot ? NoIndex : 0;
    S.Kind = M.intern(Kind);
    S.Name = M.intern(Name);
    S.Flags = IsRoot ? uint32_t(SF_Root) : 0;
    M.Sites.push_back(S);
  };
  Add("method", Method, true);
  for (const char *Kind : Kinds)
    Add(Kind, "", false);
  addModel(printManifest(M));
}

/// A model whose method opens a label in node 1 or 2 and closes one in node 3
/// or 4; node 5 is another one.
void addLabellingModel() {
  addModelOf(7, "forward",
             {"profiler::_record_function_enter",
              "profiler::_record_function_enter_new",
              "profiler::_record_function_exit",
              "profiler::_record_function_exit", "aten::relu"});
}

using Spanned = void (*)(unsigned, const std::function<void()> &);

/// A method with a label around another one, each opened and closed by an
/// operator that a node calls, or is.
void runLabelled(Spanned Around) {
  DynamicSpan Outer, Inner;
  auto Open = [](const char *Name) {
    DynamicSpan Span;
    call("profiler::_record_function_enter_new", 0,
         [&] { Span = beginLabel(Name); });
    return Span;
  };
  auto Close = [](const DynamicSpan &Span) {
    call("profiler::_record_function_exit", 0, [&] { endLabel(Span); });
  };
  inRun([&] {
    Around(1, [&] { Outer = Open("outer"); });
    Around(5, [] { advanceClock(2); });
    Around(2, [&] { Inner = Open("inner"); });
    Around(5, [] { advanceClock(3); });
    Around(3, [&] { Close(Inner); });
    Around(5, [] { advanceClock(4); });
    label("of the host", [] {});
    Around(4, [&] { Close(Outer); });
    Around(5, [] { advanceClock(5); });
    label("behind", [] {});
  });
}

/// The same with two with statements.
void addModelWithStatements() {
  addModelOf(
      7, "forward",
      {"prim::Enter", "prim::Enter", "prim::Exit", "prim::Exit", "aten::relu"});
}

TEST_F(Labels, OfAMethodOutliveTheNodeThatOpensThem) {
  struct Case {
    const char *File;
    Spanned Around;
    void (*AddModel)();
  };
  for (auto [File, Around, AddModel] :
       {Case{"n.tprof", timedNode, addLabellingModel},
        Case{"p.tprof", pairedNode, addLabellingModel},
        Case{"w.tprof", pairedNode, addModelWithStatements}}) {
    record(Folder.file(File), [Around = Around, AddModel = AddModel] {
      useTestClock();
      AddModel();
      for (int I = 0; I < 2; ++I)
        runLabelled(Around);
    });
    ReadProfile P = profile(File);
    uint32_t Outer = P.region("outer");
    EXPECT_EQ(P.child(DynamicKind::Region, "outer").Parent, Slot(0));
    EXPECT_EQ(P.child(DynamicKind::Region, "inner").Parent, Slot(Outer));
    EXPECT_EQ(P.child(DynamicKind::Region, "of the host").Parent, Slot(Outer));
    EXPECT_EQ(P.child(DynamicKind::Region, "behind").Parent, Slot(0));
    EXPECT_EQ(P.sum(Outer), 18u);
    EXPECT_EQ(P.sum(P.region("inner")), 6u);
    EXPECT_EQ(P.count(0), 2u);
    EXPECT_EQ(P.sum(0), 28u);
    EXPECT_EQ(P.sum(5), 28u);
    EXPECT_EQ(P.cell(0).Nested, 0u); // labels are an overlay
    EXPECT_EQ(P.begins(Outer), 2u);
  }
}

/// Runs a method of one node in the native frame of its caller.
void callMethod(uint64_t Model, const std::function<void()> &Body) {
  uint64_t R = enterRoot(
      site(Model, 0), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  FrameSpan Span(Line.Models.slotOf(site(Model, 1)));
  Body();
  Span.end();
  endSpan(R, site(Model, 0));
}

TEST_F(Labels, OfAWithStatementLieInTheMethodThatHasIt) {
  record(Folder.file("p.tprof"), [] {
    useTestClock();
    addLabellingModel();
    addModelOf(8, "__enter__", {"profiler::_record_function_enter"});
    addModelOf(9, "__exit__", {"profiler::_record_function_exit"});
    for (int I = 0; I < 2; ++I)
      inRun([] {
        DynamicSpan Outer, Inner;
        callMethod(8, [&] { Outer = beginLabel("outer"); });
        timedNode(5, [] { advanceClock(2); });
        callMethod(8, [&] { Inner = beginLabel("inner"); });
        timedNode(5, [] { advanceClock(3); });
        callMethod(9, [&] { endLabel(Inner); });
        label("of the host", [] {});
        callMethod(9, [&] { endLabel(Outer); });
        label("behind", [] {});
      });
  });
  ReadProfile P = profile();
  uint32_t Outer = P.region("outer");
  EXPECT_EQ(P.child(DynamicKind::Region, "outer").Parent, Slot(0));
  EXPECT_EQ(P.child(DynamicKind::Region, "inner").Parent, Slot(Outer));
  EXPECT_EQ(P.child(DynamicKind::Region, "of the host").Parent, Slot(Outer));
  EXPECT_EQ(P.child(DynamicKind::Region, "behind").Parent, Slot(0));
  EXPECT_EQ(P.sum(Outer), 10u);
  EXPECT_EQ(P.sum(P.region("inner")), 6u);
  EXPECT_EQ(P.count(0), 2u);
  EXPECT_EQ(P.sum(0), 10u);
}

TEST_F(Labels, OfAMethodEndWithItsRunAtTheLatest) {
  record(Folder.file("p.tprof"), [&] {
    useTestClock();
    addLabellingModel();
    DynamicSpan Open;
    inRun([&] { timedNode(1, [&] { Open = beginLabel("outer"); }); });
    inRun([] { label("behind", [] {}); });
    endLabel(Open); // its object lives on
    // An exception: the label's end comes behind the node's.
    enterRoot(site(7, 0), 1);
    timedNode(1, [&] { Open = beginLabel("outer"); });
    FrameSpan(Slot(5)).abandon();
    endLabel(Open);
    inRun([] { label("behind", [] {}); });
    // On another thread, as after a wait.
    enterRoot(site(7, 0), 1);
    timedNode(1, [&] { Open = beginLabel("outer"); });
    std::thread([&] { endLabel(Open); }).join();
    inRun([] { label("behind", [] {}); });
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.child(DynamicKind::Region, "behind").Parent, Slot(0));
  EXPECT_EQ(P.count(P.region("behind")), 3u);
  EXPECT_EQ(P.count(P.region("outer")), 3u);
  EXPECT_EQ(P.count(0), 4u);
}

TEST_F(Labels, MayEndOnAnotherThread) {
  record(Folder.file("p.tprof"), [] {
    addTestModel(7, 4);
    DynamicSpan Span = beginLabel("far");
    std::thread([&] { endLabel(Span); }).join();
    inRun([] { timedNode(1, [] {}); });
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.count(P.region("far")), 1u);
  EXPECT_EQ(P.count(0), 1u);
}

TEST_F(Labels, WhatFollowsThoseThatEndOnAnotherThreadIsNotInThem) {
  recordIt([] {
    DynamicSpan Outer = beginLabel("outer"), Inner = beginLabel("inner");
    std::thread([&] {
      endLabel(Inner);
      endLabel(Outer);
    }).join();
    label("behind", [] {});
    EXPECT_EQ(ThisLane->Depth, 0u);
    Outer = beginLabel("outer");
    stop();
    std::thread([&] { endLabel(Outer); }).join();
    start();
    inRun([] { timedNode(1, [] { advanceClock(5); }); });
    EXPECT_EQ(ThisLane->Depth, 0u);
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.child(DynamicKind::Region, "behind").Parent, NoSlot);
  EXPECT_EQ(P.count(P.region("outer")), 1u);
  EXPECT_EQ(P.cut(P.region("outer")), 1u);
  for (const ReadProfile::CellOf &C : P.Cells)
    EXPECT_EQ(C.Data.Nested, 0u);
}

TEST_F(Labels, ThatEndOnAnotherThreadWhileANodeIsOpenInThemLeaveItOpen) {
  recordIt([] {
    DynamicSpan Label = beginLabel("around");
    pairedNode(1, [&] { // of a task, which has no root
      std::thread([&] { endLabel(Label); }).join();
      label("inside", [] {});
      advanceClock(5);
    });
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.child(DynamicKind::Region, "inside").Parent, Slot(1));
  EXPECT_EQ(P.sum(1), 5u);
  EXPECT_EQ(P.pairs(1), 1u);
}

TEST_F(Labels, AtTheEdgeOfAWindowAreCut) {
  recordIt([] {
    inRun([] {});
    DynamicSpan Span = beginLabel("edge");
    stop();
    endLabel(Span);
    EXPECT_EQ(beginLabel("shut").Site, NoSlot);
    start();
  });
  ReadProfile P = profile();
  EXPECT_EQ(P.cut(P.region("edge")), 1u);
}

} // namespace
