//===- ModuleCallsTest.cpp - how often modules were called ----------------===//

#include "../../../tools/torchprof-report/Report/ModuleCalls.h"
#include "../../../tools/torchprof-report/Report/Rows.h"
#include "TestProfiles.h"

#include "gtest/gtest.h"

using namespace torchprof;
using namespace torchprof::report;
using namespace torchprof::report::test;

namespace {

/// A model with these scopes and sites; each cell is the samples of a slot.
SiteTable tableOf(const std::string &Scopes, const std::string &Sites,
                  const std::vector<unsigned> &Counts) {
  std::string Cells;
  for (size_t I = 0; I < Counts.size(); ++I) {
    std::string Samples;
    for (unsigned N = 0; N < Counts[I]; ++N)
      Samples += N ? ",1" : "1";
    if (Counts[I])
      Cells += std::string(Cells.empty() ? "" : ",") + R"({"slot": )" +
               std::to_string(I) + R"(, "samples": [)" + Samples + "]}";
  }
  SiteTable Table;
  Table.add(parse(R"({"models": [{"id": 1, "scopes": [)" + Scopes +
                  R"(], "sites": [)" + Sites + R"(]}], "lanes": [{"cells": [)" +
                  Cells + "]}]}"));
  return Table;
}

const std::string Root = R"({"kind": "method", "flags": ["root"]})";

std::string calls(const SiteTable &Sites, const char *Path) {
  auto Calls = ModuleCalls(Sites).of(Sites.manifest(0), Path);
  return Calls ? std::to_string(*Calls) : "?";
}

TEST(ModuleCalls, OfANodeInTheStraightLine) {
  // a: relu, and an If of its own that holds mm and a call of a.b.
  SiteTable Sites = tableOf(
      R"({"class": "Net"}, {"parent": 0, "module": "a", "class": "A"},
         {"parent": 1, "module": "b", "class": "B"})",
      Root + R"(,
        {"parent": 0, "kind": "aten::relu", "scope": 1},
        {"parent": 0, "kind": "prim::If", "scope": 1, "flags": ["control"]},
        {"parent": 2, "kind": "aten::mm", "scope": 1},
        {"parent": 2, "kind": "aten::t", "scope": 2})",
      {5, 5, 5, 2, 2});
  EXPECT_EQ(calls(Sites, ""), "5");
  EXPECT_EQ(calls(Sites, "a"), "5");
  EXPECT_EQ(calls(Sites, "a.b"), "2");
}

TEST(ModuleCalls, OfAnInnerCallInTheStraightLine) {
  // a has no node of its own; it calls a.b always and a.c in an If.
  SiteTable Sites = tableOf(
      R"({"class": "Net"}, {"parent": 0, "module": "a"},
         {"parent": 1, "module": "b"}, {"parent": 1, "module": "c"})",
      Root + R"(,
        {"parent": 0, "kind": "prim::If", "scope": 1, "flags": ["control"]},
        {"parent": 1, "kind": "aten::t", "scope": 3},
        {"parent": 0, "kind": "aten::mm", "scope": 2})",
      {4, 0, 3, 4});
  EXPECT_EQ(calls(Sites, "a"), "4");
  EXPECT_EQ(calls(Sites, "a.b"), "4");
  EXPECT_EQ(calls(Sites, "a.c"), "3");
}

TEST(ModuleCalls, OfAnOuterIfIsStraightForTheInner) {
  // The root's own loop calls a, which has two nodes.
  SiteTable Sites =
      tableOf(R"({"class": "Net"}, {"parent": 0, "module": "a"})", Root + R"(,
        {"parent": 0, "kind": "prim::Loop", "flags": ["control"]},
        {"parent": 1, "kind": "aten::mm", "scope": 1},
        {"parent": 1, "kind": "aten::t", "scope": 1})",
              {2, 2, 20, 20});
  EXPECT_EQ(calls(Sites, "a"), "20");
}

TEST(ModuleCalls, NotOfNodesInItsOwnBlocks) {
  SiteTable Sites =
      tableOf(R"({"class": "Net"}, {"parent": 0, "module": "a"})", Root + R"(,
        {"parent": 0, "kind": "prim::Loop", "scope": 1, "flags": ["control"]},
        {"parent": 1, "kind": "aten::mm", "scope": 1})",
              {2, 0, 20});
  EXPECT_EQ(calls(Sites, "a"), "?"); // the loop's own probes were dropped
  Sites =
      tableOf(R"({"class": "Net"}, {"parent": 0, "module": "a"})", Root + R"(,
        {"parent": 0, "kind": "prim::fork", "scope": 1, "flags": ["control"]},
        {"parent": 1, "kind": "aten::mm", "scope": 1, "flags": ["async"]})",
              {2, 2, 1});
  EXPECT_EQ(calls(Sites, "a"), "2");
}

TEST(ModuleCalls, NoneOfWhatIsNeverCalled) {
  // A list of modules: its members are called, it is not.
  SiteTable Sites = tableOf(
      R"({"class": "Net"}, {"parent": 0, "module": "list.0", "class": "A"})",
      Root + R"(, {"parent": 0, "kind": "aten::mm", "scope": 1})", {2, 2});
  EXPECT_EQ(calls(Sites, "list"), "?");
  EXPECT_EQ(calls(Sites, "list.0"), "2");
  EXPECT_EQ(calls(Sites, "nosuch"), "?");
}

TEST(ModuleCalls, ANodeThatRunsTwiceIsNotTwoCalls) {
  SiteTable Sites =
      tableOf(R"({"class": "Net"}, {"parent": 0, "module": "a"})", Root + R"(,
        {"parent": 0, "kind": "aten::unsqueeze", "scope": 1},
        {"parent": 0, "kind": "aten::mm", "scope": 1})",
              {5, 10, 5});
  EXPECT_EQ(calls(Sites, "a"), "5");
  // A method that was cut does not tell.
  Sites =
      tableOf(R"({"class": "Net"}, {"parent": 0, "module": "a"})", Root + R"(,
        {"parent": 0, "kind": "aten::mm", "scope": 1})",
              {0, 3});
  EXPECT_EQ(calls(Sites, "a"), "3");
}

TEST(ModuleCalls, EachCallInTheSourceCounts) {
  // self.c(self.c(x)), and an own method of c.
  SiteTable Sites = tableOf(
      R"({"class": "Net"}, {"parent": 0, "module": "c", "class": "C"},
         {"parent": 0, "module": "c", "class": "C"},
         {"parent": 2, "function": "own"})",
      Root + R"(,
        {"parent": 0, "kind": "aten::relu", "scope": 1},
        {"parent": 0, "kind": "aten::relu", "scope": 3},
        {"parent": 0, "kind": "aten::t", "scope": 2})",
      {3, 3, 3, 3});
  EXPECT_EQ(calls(Sites, "c"), "6");
}

TEST(ModuleCalls, OfProbesOnModulesAreTheirs) {
  SiteTable Sites =
      tableOf(R"({"class": "Net"}, {"parent": 0, "module": "a", "class": "A"})",
              Root + R"(,
        {"parent": 0, "kind": "module", "scope": 1, "flags": ["module"]},
        {"parent": 1, "kind": "aten::mm", "scope": 1})",
              {3, 3, 2});
  EXPECT_EQ(calls(Sites, "a"), "3");
}

TEST(ModuleCalls, AClassHasItsModulesCalls) {
  SiteTable Sites = tableOf(
      R"({"class": "Net"}, {"parent": 0, "module": "a", "class": "Conv2d"},
         {"parent": 0, "module": "b", "class": "Conv2d"})",
      Root + R"(,
        {"parent": 0, "kind": "aten::conv2d", "scope": 1},
        {"parent": 0, "kind": "aten::add", "scope": 1},
        {"parent": 0, "kind": "aten::conv2d", "scope": 2})",
      {3, 3, 3, 3});
  for (const Row &R : makeRows(Sites, Selection(), {GroupBy::Class}))
    if (R.Class == "Conv2d") {
      EXPECT_FALSE(R.CallsAreSpans);
      EXPECT_EQ(R.Calls, llvm::Optional<uint64_t>(6));
      EXPECT_EQ(R.Measured.Count, 9u);
    }
  for (const Row &R : makeRows(Sites, Selection(), {GroupBy::Method})) {
    EXPECT_TRUE(R.CallsAreSpans);
    EXPECT_EQ(R.Measured.Count, 3u);
  }
}

} // namespace
