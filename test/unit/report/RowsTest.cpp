//===- RowsTest.cpp - totals, self times, shares --------------------------===//

#include "../../../tools/torchprof-report/Report/Rows.h"
#include "../../../tools/torchprof-report/Report/Columns.h"
#include "../../../tools/torchprof-report/Report/ModuleTree.h"
#include "../../../tools/torchprof-report/Report/Totals.h"
#include "TestProfiles.h"

#include "gtest/gtest.h"

#include <random>

using namespace torchprof;
using namespace torchprof::report;
using namespace torchprof::report::test;

namespace {

/// forward: 1000 = If (700: mm 400, If (200: t 150)) + relu 100 + 200 rest,
/// with a fork of 50 whose body took 600 elsewhere.
const char *Nested = R"({
  "models": [{"id": 1,
    "scopes": [{"class": "Net", "function": "forward"},
               {"parent": 0, "module": "a", "class": "A"},
               {"parent": 1, "module": "b", "class": "B"}],
    "sites": [{"kind": "method", "name": "forward", "flags": ["root"]},
      {"parent": 0, "kind": "prim::If", "flags": ["control"]},
      {"parent": 1, "kind": "aten::mm", "scope": 1},
      {"parent": 1, "kind": "prim::If", "flags": ["control"], "scope": 1},
      {"parent": 3, "kind": "aten::t", "scope": 2},
      {"parent": 0, "kind": "aten::relu", "scope": 2},
      {"parent": 0, "kind": "prim::fork", "flags": ["control"]},
      {"parent": 6, "kind": "aten::sin", "flags": ["async"]}]}],
  "lanes": [{"cells": [
    {"slot": 0, "samples": [1000]}, {"slot": 1, "samples": [700]},
    {"slot": 2, "samples": [400]}, {"slot": 3, "samples": [200]},
    {"slot": 4, "samples": [150]}, {"slot": 5, "samples": [100]},
    {"slot": 6, "samples": [50]}, {"slot": 7, "samples": [600]}]}]})";

SiteTable tableOf(const char *Json) {
  SiteTable Sites;
  Sites.add(parse(Json));
  return Sites;
}

int64_t self(const SiteTable &Sites, uint32_t S) {
  return static_cast<int64_t>(Sites.self(S).Amount);
}

TEST(Rows, SelfIsTotalWithoutSynchronousChildren) {
  SiteTable Sites = tableOf(Nested);
  EXPECT_EQ(self(Sites, 0), 1000 - 700 - 100 - 50);
  EXPECT_EQ(self(Sites, 1), 700 - 400 - 200);
  EXPECT_EQ(self(Sites, 3), 50);
  EXPECT_EQ(self(Sites, 6), 50); // the body ran beside it
}

/// Two calls of aten::mm with one shape and one with another, which freed more
/// than they allocated and less. \p First and \p Second: "net_bytes" of them.
std::string twoShapes(const std::string &First, const std::string &Second) {
  return R"({
  "models": [{"id": 1, "scopes": [{"class": "Net", "function": "forward"}],
    "sites": [{"kind": "method", "name": "forward", "flags": ["root"]},
      {"parent": 0, "kind": "aten::mm"}]}],
  "dynamic_sites": [
    {"slot": 2, "parent": 1, "kind": "shape", "name": "float32[2] -> float32[2]"},
    {"slot": 3, "parent": 1, "kind": "shape", "name": "float32[3] -> float32[3]"}],
  "lanes": [{
    "cells": [{"slot": 0, "samples": [100]}, {"slot": 1, "samples": [10, 20, 30]}],
    "measures": [
      {"name": "alloc", "cells": [
        {"slot": 0, "count": 1, "sum": 160, "max": 160, "time": 100, "nested": 0},
        {"slot": 1, "count": 3, "sum": 96, "max": 64, "time": 60, "nested": 0}]},
      {"name": "freed", "cells": [
        {"slot": 0, "count": 1, "sum": 128, "max": 128, "time": 100, "nested": 0},
        {"slot": 1, "count": 3, "sum": 128, "max": 96, "time": 60, "nested": 0}]}],
    "variants": [
      {"slot": 1, "signature": 2, "count": 2, "time": 30, "min": 10, "max": 20,
       "first_ticks": 5)" +
         First + R"(},
      {"slot": 1, "signature": 3, "count": 1, "time": 30, "min": 30, "max": 30,
       "first_ticks": 7)" +
         Second + R"(}]}]})";
}

std::string bytesText(const Value &V) {
  if (V.Type == ValueType::None)
    return "-";
  return (V.Negative ? "-" : "") + std::to_string(V.Count);
}

/// "net self" of each row of all nodes by shape.
std::vector<std::string> netsByShape(const std::string &Json, GroupBy Group) {
  SiteTable Sites = tableOf(Json.c_str());
  RowOptions Options;
  Options.Group = Group;
  Options.ShapesApart = true;
  Totals All = makeTotals(Sites, Selection());
  RowContext Context = {Sites.clock(), All};
  RowColumns Columns = rowColumns(Sites.measures());
  std::vector<std::string> Found;
  for (const Row &R : makeRows(Sites, Selection(), Options)) {
    Found.emplace_back();
    for (const char *Id : {"net_bytes", "self_net_bytes"})
      Found.back() += bytesText(Columns.find(Id)->Get(R, Context)) + " ";
  }
  return Found;
}

TEST(Rows, SignaturesHaveTheNetMemoryOfTheirCalls) {
  std::string Json = twoShapes(R"(, "net_bytes": -96)", R"(, "net_bytes": 64)");
  EXPECT_EQ(netsByShape(Json, GroupBy::Shape),
            (std::vector<std::string>{"32 64 ", "-96 -96 ", "64 64 "}));
  EXPECT_EQ(netsByShape(Json, GroupBy::Kind),
            (std::vector<std::string>{"32 64 ", "-96 -96 ", "64 64 "}));
}

TEST(Rows, SignaturesHaveNoMemoryThatDoesNotAddUp) {
  EXPECT_EQ(netsByShape(twoShapes("", ""), GroupBy::Shape),
            (std::vector<std::string>{"32 64 ", "- - ", "- - "}));
}

TEST(Rows, SelfTimesAddUpToTheTotal) {
  SiteTable Sites = tableOf(Nested);
  Totals All = makeTotals(Sites, Selection());
  EXPECT_EQ(static_cast<int64_t>(All.Total), 1000);
  EXPECT_EQ(static_cast<int64_t>(All.Nodes), 850);
  EXPECT_EQ(static_cast<int64_t>(All.Unattributed), 150);
  EXPECT_EQ(static_cast<int64_t>(All.Async), 600);
  EXPECT_EQ(All.Runs, 1u);
}

TEST(Rows, GroupsCountMembersInsideMembersOnce) {
  SiteTable Sites = tableOf(Nested);
  RowOptions Options;
  Options.Group = GroupBy::Kind;
  for (const Row &R : makeRows(Sites, Selection(), Options)) {
    if (R.Kind == "prim::If") {
      EXPECT_EQ(static_cast<int64_t>(R.Total), 700);
      EXPECT_EQ(static_cast<int64_t>(R.Self), 150);
      EXPECT_EQ(R.Measured.Count, 2u);
      EXPECT_EQ(R.Members, 2u);
    }
  }
}

TEST(Rows, SelectionKeepsTheWholeInView) {
  SiteTable Sites = tableOf(Nested);
  auto Selected = llvm::cantFail(Selection::create({"aten::*"}, {"a.b"}));
  Totals All = makeTotals(Sites, Selected);
  EXPECT_EQ(static_cast<int64_t>(All.Total), 1000);
  EXPECT_EQ(static_cast<int64_t>(All.Nodes), 400);
  EXPECT_EQ(static_cast<int64_t>(All.NotSelected), 450);
}

TEST(Rows, RootsInsideRootsAreNotRuns) {
  SiteTable Sites = tableOf(R"({
    "models": [{"id": 1, "sites": [
      {"kind": "method", "name": "f", "flags": ["root"]},
      {"kind": "method", "name": "g", "flags": ["root"]}]}],
    "lanes": [{"cells": [{"slot": 0, "samples": [100], "nested": 60},
                         {"slot": 1, "samples": [60]}]}]})");
  EXPECT_EQ(static_cast<int64_t>(makeTotals(Sites, Selection()).Total), 100);
}

// A node that calls into another model: its time is counted once, as that of
// the other model's nodes.
TEST(Rows, RootsInsideNodesAreNotRuns) {
  SiteTable Sites = tableOf(R"({
    "models": [{"id": 1, "sites": [
        {"kind": "method", "name": "f", "flags": ["root"]},
        {"parent": 0, "kind": "my::op"}]},
      {"id": 2, "sites": [
        {"kind": "method", "name": "g", "flags": ["root"]},
        {"parent": 0, "kind": "aten::mm"}]}],
    "lanes": [{"cells": [{"slot": 0, "samples": [100]},
                         {"slot": 1, "samples": [80], "nested": 60},
                         {"slot": 2, "samples": [60]},
                         {"slot": 3, "samples": [50]}]}]})");
  Totals All = makeTotals(Sites, Selection());
  EXPECT_EQ(static_cast<int64_t>(All.Total), 100);
  EXPECT_EQ(static_cast<int64_t>(All.Nodes), 20 + 50);
  EXPECT_EQ(static_cast<int64_t>(All.Unattributed), 20 + 10);
}

TEST(Rows, OldGenerationsAreThrownAway) {
  SiteTable Sites = tableOf(R"({
    "epoch": 2,
    "models": [{"id": 1, "sites": [{"kind": "method", "flags": ["root"]}]}],
    "lanes": [{"cells": [{"slot": 0, "samples": [5], "epoch": 1}]},
              {"cells": [{"slot": 0, "samples": [7]}]}]})");
  EXPECT_EQ(static_cast<int64_t>(Sites.total(0)), 7);
}

TEST(Rows, TreesHoldAllOfTheTime) {
  SiteTable Sites = tableOf(Nested);
  std::vector<ModuleNode> Trees = makeModuleTrees(Sites, Selection());
  ASSERT_EQ(Trees.size(), 1u);
  EXPECT_EQ(Trees[0].Total, 1000);
  ASSERT_EQ(Trees[0].Children.size(), 1u);
  const ModuleNode &A = Trees[0].Children[0];
  EXPECT_EQ(A.Path, "a");
  EXPECT_EQ(A.Self, 450);
  EXPECT_EQ(A.Total, 700);
  ASSERT_EQ(A.Children.size(), 1u);
  EXPECT_EQ(A.Children[0].Path, "a.b");
  EXPECT_EQ(A.Children[0].Total, 250);
}

// Any tree of spans, where each child fits into its parent: children and self
// make up their parent, and self times make up the whole.
TEST(Rows, SumsOfRandomTrees) {
  std::mt19937_64 Random(3);
  for (unsigned Round = 0; Round < 50; ++Round) {
    unsigned Count = 2 + Random() % 60;
    std::vector<uint64_t> Left(Count), Total(Count);
    std::string Sites = R"({"kind": "method", "flags": ["root"]})";
    Left[0] = Total[0] = 1'000'000;
    for (unsigned I = 1; I < Count; ++I) {
      unsigned Parent = Random() % I;
      Total[I] = Left[I] = Left[Parent] ? Random() % Left[Parent] : 0;
      Left[Parent] -= Total[I];
      Sites += R"(,{"kind": "k", "parent": )" + std::to_string(Parent) + "}";
    }
    std::string Cells;
    for (unsigned I = 0; I < Count; ++I)
      Cells += (I ? "," : "") + std::string(R"({"slot": )") +
               std::to_string(I) + R"(, "samples": [)" +
               std::to_string(Total[I]) + "]}";
    SiteTable Table = tableOf((R"({"models": [{"id": 1, "sites": [)" + Sites +
                               R"(]}], "lanes": [{"cells": [)" + Cells + "]}]}")
                                  .c_str());
    for (unsigned I = 0; I < Count; ++I)
      ASSERT_EQ(self(Table, I), static_cast<int64_t>(Left[I]));
    Totals All = makeTotals(Table, Selection());
    ASSERT_EQ(static_cast<uint64_t>(All.Nodes + All.Unattributed), Total[0]);
  }
}

} // namespace
