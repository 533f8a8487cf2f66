//===- SelfTimesTest.cpp - self times add up in every table ---------------===//
//
// Whatever the rows are, their self times add up to one number: the nodes' and
// roots' of the footer, what ran beside its parent, and what lies outside of
// models. Children that exceed their parents do not change that.
//
//===----------------------------------------------------------------------===//

#include "../../../tools/torchprof-report/Report/ModuleTree.h"
#include "../../../tools/torchprof-report/Report/Summary.h"
#include "TestProfiles.h"

#include "gtest/gtest.h"

#include <random>

using namespace torchprof;
using namespace torchprof::report;
using namespace torchprof::report::test;

namespace {

// Two methods in modules and lines of their own, an If whose children exceed
// it, a fork with a body, a region around runs, two threads; on the second one
// only children.
const char *Everything = R"({
  "models": [{"id": 1,
    "scopes": [{"class": "Net", "function": "forward"},
               {"parent": 0, "module": "a", "class": "A"},
               {"parent": 1, "module": "b", "class": "B"},
               {"class": "Net", "function": "other"}],
    "sites": [
      {"kind": "method", "name": "forward", "flags": ["root"],
       "source": {"file": "n.py", "line": 1}},
      {"parent": 0, "kind": "prim::If", "flags": ["control"],
       "source": {"file": "n.py", "line": 2}},
      {"parent": 1, "kind": "aten::mm", "scope": 1,
       "source": {"file": "n.py", "line": 3}},
      {"parent": 1, "kind": "aten::t", "scope": 2},
      {"parent": 0, "kind": "prim::fork", "flags": ["control"]},
      {"parent": 4, "kind": "aten::sin", "scope": 2, "flags": ["async"]},
      {"kind": "method", "name": "other", "scope": 3, "flags": ["root"]},
      {"parent": 6, "kind": "aten::mm", "scope": 3}]}],
  "dynamic_sites": [{"slot": 8, "name": "serve"}],
  "lanes": [
    {"thread": 5, "name": "main", "cells": [
      {"slot": 0, "samples": [100000]}, {"slot": 1, "samples": [10000]},
      {"slot": 2, "samples": [9000]}, {"slot": 3, "samples": [1900]},
      {"slot": 4, "samples": [50]}, {"slot": 6, "samples": [300]},
      {"slot": 7, "samples": [290]},
      {"slot": 8, "samples": [200000], "nested": 100300}]},
    {"thread": 6, "name": "pool", "cells": [
      {"slot": 2, "samples": [777]}, {"slot": 5, "samples": [600]},
      {"slot": 6, "samples": [40], "nested": 50},
      {"slot": 7, "samples": [45]}]}]})";

struct Case {
  const char *Name;
  const char *Json;
};

const Case Cases[] = {
    {"everything", Everything},
    {"root inside a node", R"({
      "models": [{"id": 1, "sites": [
          {"kind": "method", "name": "f", "flags": ["root"]},
          {"parent": 0, "kind": "my::op"}]},
        {"id": 2, "sites": [
          {"kind": "method", "name": "g", "flags": ["root"]},
          {"parent": 0, "kind": "aten::mm"}]}],
      "lanes": [{"cells": [{"slot": 0, "samples": [100]},
                           {"slot": 1, "samples": [80], "nested": 60},
                           {"slot": 2, "samples": [60]},
                           {"slot": 3, "samples": [50]}]}]})"},
    {"a run that was cut", R"({
      "models": [{"id": 1, "sites": [
          {"kind": "method", "name": "f", "flags": ["root"]},
          {"parent": 0, "kind": "aten::mm"}, {"parent": 0, "kind": "aten::t"}]}],
      "lanes": [{"cells": [{"slot": 0, "samples": [100], "begins": 3, "cut": 1},
                           {"slot": 1, "samples": [80, 900]},
                           {"slot": 2, "samples": [10, 10]}]}]})"},
};

UInt128 sumOfRows(const SiteTable &Sites, const Selection &Selected,
                  RowOptions Options) {
  UInt128 Sum = 0;
  for (const Row &R : makeRows(Sites, Selected, Options))
    Sum += R.Self;
  return Sum;
}

void checkSums(const SiteTable &Sites, const Selection &Selected,
               const char *Name) {
  UInt128 Sum = 0, Outside = 0;
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Selected.matches(Sites, S)) {
      Sum += Sites.self(S).Amount;
      if (Sites[S].isOutside())
        Outside += Sites.self(S).Amount;
    }
  for (GroupBy Group :
       {GroupBy::Node, GroupBy::Kind, GroupBy::Module, GroupBy::Class,
        GroupBy::Source, GroupBy::Stack, GroupBy::Thread, GroupBy::Method})
    EXPECT_EQ(sumOfRows(Sites, Selected, {Group}), Sum)
        << Name << ", grouping " << static_cast<int>(Group);
  RowOptions Torch = {GroupBy::Kind};
  Torch.NamesApart = true;
  EXPECT_EQ(sumOfRows(Sites, Selected, Torch), Sum) << Name;
  Totals All = makeTotals(Sites, Selected);
  EXPECT_EQ(All.Nodes + All.NotSelected + All.Unattributed - All.Excess,
            All.Total)
      << Name;
  if (Selected.all()) {
    EXPECT_EQ(All.Nodes + All.Unattributed + All.Async + Outside, Sum) << Name;
    UInt128 Tree = 0;
    for (const ModuleNode &Root : makeModuleTrees(Sites, Selected))
      Tree += Root.Total;
    EXPECT_EQ(Tree, All.Nodes + All.Unattributed) << Name;
  }
}

SiteTable tableOf(const char *Json) {
  SiteTable Sites;
  Sites.add(parse(Json), {/*Histograms=*/false, /*Lanes=*/true});
  return Sites;
}

TEST(SelfTimes, AddUpInEveryGrouping) {
  for (const Case &C : Cases) {
    SiteTable Sites = tableOf(C.Json);
    checkSums(Sites, Selection(), C.Name);
    checkSums(Sites, llvm::cantFail(Selection::create({"aten::mm"}, {})),
              C.Name);
    // Twice the same, with lanes of both.
    Sites.add(parse(C.Json), {/*Histograms=*/false, /*Lanes=*/true});
    checkSums(Sites, Selection(), C.Name);
  }
}

// What a style prints is a sum of the same numbers.
TEST(SelfTimes, AddUpInEveryStyle) {
  for (const Case &C : Cases) {
    SiteTable Sites = tableOf(C.Json);
    Selection All;
    SummaryInput In(Sites, All);
    Table Torch = llvm::cantFail(makeTorchTable(In, {}));
    double Printed = 0, Whole = 0;
    for (const std::vector<Value> &Row : Torch.Rows)
      Printed += Row[2].Number;
    for (uint32_t S = 0; S < Sites.size(); ++S)
      Whole += static_cast<double>(Sites.self(S).Amount);
    EXPECT_EQ(Printed, Whole) << C.Name;
    EXPECT_EQ(Torch.Footer[0].Amount.Number, Whole) << C.Name;

    Table Fx = llvm::cantFail(makeFxTable(In, {}));
    double Percent = 0;
    for (const std::vector<Value> &Row : Fx.Rows)
      Percent += Row[3].Number;
    EXPECT_NEAR(Percent, In.All.share(static_cast<double>(In.All.Nodes)), 1e-9)
        << C.Name;
  }
}

TEST(SelfTimes, ExcessIsNamedOnce) {
  SiteTable Sites = tableOf(Everything);
  EXPECT_EQ(Sites.self(1).Amount, 0u);
  EXPECT_EQ(Sites.self(1).Excess, 9000u + 1900 + 777 - 10000);
  Totals All = makeTotals(Sites, Selection());
  // The method's second run: 340 with 335 of nodes and a run of 50 inside.
  EXPECT_EQ(All.Excess, 1677u + 45);
}

TEST(SelfTimes, MarksAreExplainedWhereTheyStand) {
  SiteTable Sites = tableOf(Everything);
  Selection All;
  SummaryInput In(Sites, All);
  auto Explained = [&](GroupBy Group, unsigned Limit) {
    SummaryOptions Options;
    Options.Group = Group;
    Options.Limit = Limit;
    Table T = llvm::cantFail(makeSummary(In, Options));
    bool Marked = false, Note = false;
    for (const std::vector<Value> &Row : T.Rows)
      for (const Value &V : Row)
        Marked |= V.Marked;
    for (const std::string &Text : T.Notes)
      Note |= Text[0] == '*';
    EXPECT_EQ(Marked, Note);
    return Note;
  };
  EXPECT_TRUE(Explained(GroupBy::Node, 0));
  EXPECT_FALSE(Explained(GroupBy::Node, 2)); // the region and the root only
  EXPECT_TRUE(Explained(GroupBy::Kind, 0));
  EXPECT_TRUE(Explained(GroupBy::Thread, 0));
}

// Any sites on any lanes: children may well exceed their parents.
TEST(SelfTimes, RandomProfilesAddUp) {
  std::mt19937_64 Random(7);
  for (unsigned Round = 0; Round < 60; ++Round) {
    unsigned Count = 2 + Random() % 30;
    std::string Sites, Lanes;
    for (unsigned I = 0; I < Count; ++I) {
      bool Root = I == 0 || Random() % 10 == 0;
      Sites += std::string(I ? "," : "") + R"({"kind": "k)" +
               std::to_string(Random() % 3) + R"(", "scope": )" +
               std::to_string(Random() % 3);
      if (!Root)
        Sites += R"(, "parent": )" + std::to_string(Random() % I);
      Sites += Root                ? R"(, "flags": ["root"]})"
               : Random() % 6 == 0 ? R"(, "flags": ["async"]})"
                                   : "}";
    }
    for (unsigned L = 0; L < 3; ++L) {
      std::string Cells;
      for (unsigned I = 0; I < Count; ++I)
        if (Random() % 3)
          Cells += std::string(Cells.empty() ? "" : ",") + R"({"slot": )" +
                   std::to_string(I) + R"(, "samples": [)" +
                   std::to_string(Random() % 1000) + R"(], "nested": )" +
                   std::to_string(Random() % 5 ? 0 : Random() % 100) + "}";
      Lanes += std::string(L ? "," : "") + R"({"cells": [)" + Cells + "]}";
    }
    SiteTable Table =
        tableOf((R"({"models": [{"id": 1, "scopes": [{"class": "N"},
          {"parent": 0, "module": "a", "class": "A"},
          {"parent": 1, "module": "b", "class": "A"}], "sites": [)" +
                 Sites + R"(]}], "lanes": [)" + Lanes + "]}")
                    .c_str());
    checkSums(Table, Selection(), "random");
  }
}

} // namespace
