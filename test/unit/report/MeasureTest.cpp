//===- MeasureTest.cpp - what is recorded beside host time ----------------===//

#include "../../../tools/torchprof-report/Report/Diff.h"
#include "../../../tools/torchprof-report/Report/Summary.h"
#include "TestProfiles.h"

#include "gtest/gtest.h"

using namespace torchprof;
using namespace torchprof::report;
using namespace torchprof::report::test;

namespace {

/// forward of 100 with an If of 70, which holds mm of 40; two lanes.
SiteTable table(unsigned Seed = 0) {
  SiteTable Sites;
  Sites.add(parse(R"({
    "models": [{"id": 1, "sites": [
      {"kind": "method", "name": "forward", "flags": ["root"]},
      {"parent": 0, "kind": "prim::If", "flags": ["control"]},
      {"parent": 1, "kind": "aten::mm", "name": "y"}]}],
    "lanes": [
      {"cells": [{"slot": 0, "samples": [100]}, {"slot": 1, "samples": [70]},
                 {"slot": 2, "samples": [40]}]},
      {"cells": [{"slot": 0, "samples": [100]}, {"slot": 1, "samples": [70]},
                 {"slot": 2, "samples": [40]}]}]})"),
            {/*Histograms=*/true, /*Lanes=*/true});
  MeasureId Cpu =
      Sites.declareMeasure({"cpu", MeasureUnit::Nanoseconds, MeasureFold::Sum});
  MeasureId Memory =
      Sites.declareMeasure({"peak", MeasureUnit::Bytes, MeasureFold::Peak});
  MeasureId Count = Sites.declareMeasure(
      {"allocations", MeasureUnit::Count, MeasureFold::Sum});
  for (uint32_t Lane : {0u, 1u}) {
    Sites.addMeasure(Cpu, 0, Lane, {1, 60 + Seed, 60 + Seed, 0, 100});
    Sites.addMeasure(Cpu, 1, Lane, {1, 50, 50, 0, 70});
    Sites.addMeasure(Cpu, 2, Lane, {1, 30, 30, 0, 40});
    Sites.addMeasure(Memory, 2, Lane, {1, 0, 1536 * (Lane + 1), 0});
  }
  Sites.addMeasure(Count, 2, 1, {1, 7, 7, 0});
  return Sites;
}

std::string cell(const SiteTable &Sites, GroupBy Group, const char *Column,
                 const char *Name, bool Exact = false) {
  Selection All;
  SummaryInput In(Sites, All);
  SummaryOptions Options;
  Options.Group = Group;
  Options.Columns = {Group == GroupBy::Node ? "kind" : "name", Column};
  Table T = llvm::cantFail(makeSummary(In, Options));
  for (const std::vector<Value> &Row : T.Rows)
    if (Row[0].Text == Name)
      return Exact ? exactValue(Row[1], T.Columns[1])
                   : formatValue(Row[1], T.Columns[1], TimeUnit::Auto);
  return "no row";
}

TEST(Measure, EachOfTheFormatIsKnown) {
#define TORCHPROF_MEASURE(NAME, NUMBER, ID, WORD, UNIT, SUM, MEANING)          \
  {                                                                            \
    const KnownMeasure *Known = findKnownMeasure(ID);                          \
    ASSERT_NE(Known, nullptr) << ID;                                           \
    EXPECT_TRUE(Known->Of == format::MeasureId::NAME) << ID;                   \
    EXPECT_EQ(Known->Switch.str(), "TORCHPROF_RECORD=" WORD);                  \
    EXPECT_FALSE(Known->Title.empty() || Known->Help.empty()) << ID;           \
  }
#include "torchprof/format/Measures.def"
  for (const DerivedMeasure &D : derivedMeasures())
    EXPECT_EQ(D.More.Switch.str(), D.Less.Switch.str()) << D.Id.str();
}

TEST(Measure, TotalSelfAndRest) {
  SiteTable Sites = table();
  EXPECT_EQ(cell(Sites, GroupBy::Node, "cpu_ns", "prim::If"), "100 ns");
  EXPECT_EQ(cell(Sites, GroupBy::Node, "self_cpu_ns", "prim::If"), "40 ns");
  EXPECT_EQ(cell(Sites, GroupBy::Node, "wait_ns", "prim::If"), "40 ns");
  EXPECT_EQ(cell(Sites, GroupBy::Method, "wait_ns", "forward"), "80 ns");
  EXPECT_EQ(cell(Sites, GroupBy::Node, "allocations", "aten::mm"), "7");
  EXPECT_EQ(cell(Sites, GroupBy::Node, "allocations", "prim::If"), "-");
}

TEST(Measure, PeaksAreNotAddedUp) {
  SiteTable Sites = table();
  EXPECT_EQ(cell(Sites, GroupBy::Node, "peak_bytes", "aten::mm"), "3.0 KiB");
  EXPECT_EQ(cell(Sites, GroupBy::Node, "peak_bytes", "aten::mm", true), "3072");
  EXPECT_EQ(cell(Sites, GroupBy::Thread, "peak_bytes", "lane 0"), "1.5 KiB");
}

// A measure may be taken of some spans only: the rest is theirs.
TEST(Measure, RestIsOfTheSpansMeasured) {
  SiteTable Sites = table();
  Sites.add(parse(R"({"models": [{"id": 1, "sites": [
      {"kind": "method", "name": "forward", "flags": ["root"]},
      {"parent": 0, "kind": "prim::If", "flags": ["control"]},
      {"parent": 1, "kind": "aten::mm", "name": "y"}]}],
    "lanes": [{"cells": [{"slot": 2, "samples": [40]}]}]})"));
  EXPECT_EQ(cell(Sites, GroupBy::Node, "total_ns", "aten::mm"), "120 ns");
  EXPECT_EQ(cell(Sites, GroupBy::Node, "wait_ns", "aten::mm"), "20 ns");
  EXPECT_EQ(cell(Sites, GroupBy::Node, "wait_ns", "prim::If"), "40 ns");
}

TEST(Measure, SelfAddsUpInEveryGrouping) {
  SiteTable Sites = table();
  for (GroupBy Group :
       {GroupBy::Node, GroupBy::Kind, GroupBy::Module, GroupBy::Class,
        GroupBy::Source, GroupBy::Stack, GroupBy::Thread, GroupBy::Method}) {
    UInt128 Sum = 0;
    for (const Row &R : makeRows(Sites, Selection(), {Group}))
      Sum += R.Measures[0].Self;
    EXPECT_EQ(Sum, 120u) << static_cast<int>(Group);
  }
}

TEST(Measure, RecordedOnesAreShownAndMissingOnesNamed) {
  SiteTable Sites = table();
  Selection All;
  auto Columns = [&](const SiteTable &Sites) {
    std::string Text;
    for (const TableColumn &C :
         llvm::cantFail(makeSummary(SummaryInput(Sites, All), {})).Columns)
      Text += C.Id + " ";
    return Text;
  };
  EXPECT_NE(Columns(Sites).find("cpu_ns wait_ns peak_bytes allocations"),
            std::string::npos);
  SiteTable Without;
  Profile Timed = everySegment();
  for (Lane &L : Timed.Lanes)
    L.Measures.clear();
  Without.add(Timed);
  EXPECT_EQ(Columns(Without).find("cpu_ns"), std::string::npos);
  SummaryOptions Options;
  Options.Columns = {"name", "wait_ns"};
  Table T = llvm::cantFail(makeSummary(SummaryInput(Without, All), Options));
  EXPECT_EQ(T.Rows[0][1].Type, ValueType::None);
  EXPECT_TRUE(llvm::is_contained(
      T.Notes,
      "note: wait_ns was not recorded; TORCHPROF_RECORD=cpu records it"));
}

TEST(Measure, DifferencesHaveThem) {
  SiteTable A = table(), B = table(10);
  DiffColumns Columns = diffColumns(A, B);
  DiffRow R;
  R.A = R.B = 0;
  DiffContext Context(A, B);
  auto Text = [&](const char *Id) {
    const DiffColumns::Column *C = Columns.find(Id);
    return formatValue(C->Get(R, Context), C->Shape, TimeUnit::Auto);
  };
  EXPECT_EQ(Text("before_cpu_ns"), "60 ns");
  EXPECT_EQ(Text("after_cpu_ns"), "70 ns");
  EXPECT_EQ(Text("before_peak_bytes"), "-");
}

} // namespace
