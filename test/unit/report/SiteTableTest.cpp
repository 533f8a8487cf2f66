//===- SiteTableTest.cpp - slots, dynamic sites, layers, paths ------------===//

#include "../../../tools/torchprof-report/Report/Merge.h"
#include "../../../tools/torchprof-report/Report/SiteKey.h"
#include "../../../tools/torchprof-report/Report/Totals.h"
#include "../IsSanitized.h"
#include "TestProfiles.h"

#include "gtest/gtest.h"

using namespace torchprof;
using namespace torchprof::report;
using namespace torchprof::report::test;

namespace {

std::string model(const char *Id, const char *Sites, const char *Slots = "0") {
  return std::string(R"({"models": [{"id": )") + Id + R"(, "first_slot": )" +
         Slots + R"(, "scopes": [{"class": "Net", "function": "forward"},
           {"parent": 0, "module": "a", "class": "A",
            "call": {"file": "/home/me/net/net.py", "line": 4}}],
         "sites": [{"kind": "method", "name": "forward", "flags": ["root"],
                    "source": {"file": "/home/me/net/net.py", "line": 3}},)" +
         Sites + R"(]}], "lanes": [{"cells": [{"slot": )" + Slots +
         R"(, "samples": [100]}]}]})";
}

const char *TwoNodes = R"({"parent": 0, "kind": "aten::mm", "scope": 1,
   "source": {"file": "/home/me/net/ops/mm.py", "line": 9}},
  {"parent": 0, "kind": "aten::t"})";

TEST(SiteTable, MapsOfProfilesStayRight) {
  SiteTable Sites;
  SlotToSite First = Sites.add(parse(model("1", TwoNodes, "10")));
  SlotToSite Second =
      Sites.add(parse(model("2", R"({"parent": 0, "kind": "aten::mm"})")));
  EXPECT_EQ(First[format::Slot{10}], 0u);
  EXPECT_EQ(First[format::Slot{12}], 2u);
  EXPECT_EQ(First[format::Slot{13}], NoIndex);
  EXPECT_EQ(First[format::Slot{9}], NoIndex);
  EXPECT_EQ(Second[format::Slot{0}], 3u);
  EXPECT_EQ(Second[format::Slot{1}], 4u);
  EXPECT_EQ(Second[format::Slot{2}], NoIndex);
}

TEST(SiteTable, DynamicSitesStandWhereTheirParentsDo) {
  SiteTable Sites;
  Sites.add(parse(model("1", TwoNodes)));
  uint32_t Inside = Sites.addDynamic(1, "region", "copy");
  uint32_t Deeper = Sites.addDynamic(Inside, "region", "pin");
  uint32_t Outside = Sites.addDynamic(NoIndex, "region", "copy");
  EXPECT_EQ(Sites.addDynamic(1, "region", "copy"), Inside);
  EXPECT_NE(Inside, Outside);
  EXPECT_EQ(Sites.kind(Deeper), "region");
  EXPECT_EQ(Sites.name(Deeper), "pin");
  EXPECT_EQ(Sites.modulePath(Deeper), "a");
  EXPECT_EQ(Sites.className(Deeper), "A");
  EXPECT_EQ(Sites.source(Deeper), "/home/me/net/ops/mm.py:9");
  EXPECT_TRUE(Sites[Deeper].isOverlay());
  EXPECT_EQ(Sites[Deeper].Root, 0u);
  EXPECT_TRUE(Sites[Outside].isOutside());
  EXPECT_EQ(Sites.modulePath(Outside), "");
  EXPECT_EQ(Sites.source(Outside), "?");
  EXPECT_EQ(Sites.manifest(Outside), nullptr);
}

// A region inside a method lies over the nodes that ran in it: their time stays
// theirs, and the footer adds up. A run inside the region is a call.
TEST(SiteTable, OverlaysTakeNothingFromTheirParents) {
  SiteTable Sites;
  Sites.add(parse(R"({
    "models": [{"id": 1, "sites": [
        {"kind": "method", "name": "f", "flags": ["root"]},
        {"parent": 0, "kind": "aten::mm"}]},
      {"id": 2, "sites": [
        {"kind": "method", "name": "g", "flags": ["root"]}]}],
    "dynamic_sites": [{"slot": 3, "parent": 0, "kind": "region",
                       "name": "most of it"}],
    "lanes": [{"cells": [{"slot": 0, "samples": [100], "nested": 20},
                         {"slot": 1, "samples": [50]},
                         {"slot": 2, "samples": [20]},
                         {"slot": 3, "samples": [80], "nested": 20}]}]})"));
  uint32_t Region = 3;
  EXPECT_EQ(Sites.self(0).Amount, 100u - 50 - 20);
  EXPECT_EQ(Sites.self(0).Excess, 0u);
  EXPECT_EQ(Sites.self(Region).Amount, 0u);
  EXPECT_EQ(Sites.total(Region), 80u);
  Totals All = makeTotals(Sites, Selection());
  EXPECT_EQ(All.Total, 100u);
  EXPECT_EQ(All.Nodes, 50u);
  EXPECT_EQ(All.Unattributed, 30u + 20);
  EXPECT_EQ(All.Excess, 0u);
}

TEST(SiteTable, NodesOfALoopThatWasUnrolledArePartOfWhatIsAroundIt) {
  // Ten runs of 100, of which the first alone had the If and the loop in it.
  auto Table = [](const char *LeftOut) {
    SiteTable Sites;
    Sites.add(parse((R"({
      "models": [{"id": 1, "sites": [
        {"kind": "method", "name": "f", "flags": ["root"]},
        {"parent": 0, "kind": "prim::If"},
        {"parent": 1, "kind": "prim::Loop"},
        {"parent": 2, "kind": "aten::mm"}]}],
      "dynamic_sites": [)" +
                     llvm::Twine(LeftOut) + R"(],
      "lanes": [{"cells": [
        {"slot": 0, "count": 10, "sum": 1000},
        {"slot": 1, "count": 1, "sum": 90},
        {"slot": 2, "count": 1, "sum": 85},
        {"slot": 3, "count": 10, "sum": 800}]}]})")
                        .str()));
    return Sites;
  };
  SiteTable Sites = Table(R"(
        {"slot": 4, "parent": 1, "kind": "left_out"},
        {"slot": 5, "parent": 2, "kind": "left_out"})");
  EXPECT_EQ(Sites.self(0).Amount, 200u);
  EXPECT_EQ(Sites.self(1).Amount, 0u);
  EXPECT_EQ(Sites.self(2).Amount, 0u);
  EXPECT_EQ(Sites.self(3).Amount, 800u);
  Totals All = makeTotals(Sites, Selection());
  EXPECT_EQ(All.Nodes, 800u);
  EXPECT_EQ(All.Unattributed, 200u);
  EXPECT_EQ(All.Excess, 0u);
  // Of a loop that is there it would be wrong.
  EXPECT_EQ(Table("").self(2).Excess, 715u);
  EXPECT_EQ(Table("").self(0).Amount, 910u);
}

TEST(SiteTable, KeysNameLayers) {
  SiteTable Sites;
  Sites.add(parse(model("1", TwoNodes)));
  Sites.add(parse(model("2", TwoNodes)));
  uint32_t Region = Sites.addDynamic(NoIndex, "region", "load");
  std::vector<SiteKey> Keys = siteKeys(Sites);
  EXPECT_EQ(Keys[1].text(), "Net/forward/a/aten::mm/0");
  EXPECT_EQ(Keys[4].text(), "Net#2/forward/a/aten::mm/0");
  EXPECT_EQ(Keys[Region].text(), "load//region/0");
  EXPECT_EQ(siteKeys(*Sites.manifest(4))[1].text(), "forward/a/aten::mm/0");
  Keys = siteKeys(Sites, {{2, "Net#2"}});
  EXPECT_EQ(Keys[1].text(), "(other)/forward/a/aten::mm/0");
  EXPECT_EQ(Keys[4].text(), "Net#2/forward/a/aten::mm/0");
  EXPECT_EQ(Keys[Region].text(), "load//region/0");
  Keys = siteKeys(Sites, {{1, ""}, {2, ""}}); // each by itself
  EXPECT_EQ(Keys[1].text(), "forward/a/aten::mm/0");
  EXPECT_EQ(Keys[4].text(), "forward/a/aten::mm/0");
}

TEST(SiteTable, SameLayersAreOneModel) {
  const char *Swapped = R"({"parent": 0, "kind": "aten::t"},
    {"parent": 0, "kind": "aten::mm", "scope": 1})";
  AddOptions Options;
  Options.SameLayers = true;
  SiteTable Sites;
  Sites.add(parse(model("1", TwoNodes)), Options);
  SlotToSite Slots = Sites.add(parse(model("2", Swapped)), Options);
  EXPECT_EQ(Sites.size(), 3u);
  EXPECT_EQ(Slots[format::Slot{0}], 0u);
  EXPECT_EQ(Slots[format::Slot{1}], 2u);
  EXPECT_EQ(Slots[format::Slot{2}], 1u);
  EXPECT_EQ(Sites.total(0), 200u);
  // One layer more: another model.
  Sites.add(parse(model("3", R"({"parent": 0, "kind": "aten::mm"})")), Options);
  EXPECT_EQ(Sites.size(), 5u);
}

/// A node with eight signatures, of which the last came first, and what stands
/// for others.
Profile nineSignatures() {
  std::string Names, Cells;
  for (unsigned I = 0; I < 9; ++I) {
    std::string Slot = std::to_string(2 + I);
    Names += (I ? R"(,{"slot": )" : R"({"slot": )") + Slot +
             R"(, "parent": 1, "kind": "shape", "name": ")" +
             std::to_string(I) +
             (I < 8 ? R"("})" : R"(", "flags": ["overflow"]})");
    Cells +=
        (I ? R"(,{"slot": 1, "signature": )" : R"({"slot": 1, "signature": )") +
        Slot + R"(, "count": 2, "time": 30, "first_ticks": )" +
        std::to_string(9 - I) + "}";
  }
  return parse(R"({"models": [{"id": 1, "sites": [
      {"kind": "method", "name": "forward", "flags": ["root"]},
      {"parent": 0, "kind": "aten::mm"}]}],
    "dynamic_sites": [)" +
               Names + R"(], "lanes": [{"variants": [)" + Cells + "]}]}");
}

// A look through all signatures for each of them, or sorting them for each
// profile, would not end here.
TEST(SiteTable, SignaturesOfThousandsOfProfilesAreKeptInOrder) {
  constexpr unsigned Files = IsSanitized ? 1500 : 30000, NewOnes = 7;
  SiteTable Sites;
  Profile P = nineSignatures();
  for (unsigned F = 0; F < Files; ++F) {
    // One is common to all.
    for (unsigned I = 1; I <= NewOnes; ++I)
      P.DynamicSites[I].Name = std::to_string(F * NewOnes + I);
    Sites.add(P);
    if (F < 3) { // to look does not keep others from being added
      ASSERT_EQ(Sites.variants(1).size(), (F + 1) * NewOnes + 2);
    }
  }
  llvm::ArrayRef<SiteVariant> Variants = Sites.variants(1);
  ASSERT_EQ(Variants.size(), Files * NewOnes + 2);
  for (size_t I = 0; I <= Files * NewOnes; ++I) {
    const SiteVariant &V = Variants[I];
    ASSERT_EQ(V.Signature, std::to_string(I <= NewOnes ? NewOnes - I : I));
    ASSERT_EQ(V.Count, V.Signature == "0" ? 2 * Files : 2);
    ASSERT_EQ(V.Sum, V.Signature == "0" ? 30 * Files : 30);
    ASSERT_EQ(V.FirstTicks, I <= NewOnes ? I + 2 : 0);
    ASSERT_FALSE(V.IsOthers);
  }
  EXPECT_TRUE(Variants.back().IsOthers);
  EXPECT_EQ(Variants.back().Count, 2 * Files);
}

// A look at all slots for each note's would not end here.
TEST(SiteTable, MergedNotesHaveSlotsOfTheirOwn) {
  constexpr uint32_t Groups = IsSanitized ? 50'000 : 1'000'000;
  Profile P = parse(R"({"models": [{"id": 1, "sites": [
      {"kind": "method", "name": "forward", "flags": ["root"]},
      {"parent": 0, "kind": "aten::mm"}]}],
    "dynamic_sites": [{"slot": 5, "parent": 0, "name": "load"},
                      {"slot": 6, "parent": 1, "kind": "member", "name": "1"},
                      {"slot": 7, "parent": 1, "kind": "left_out"},
                      {"slot": 8, "parent": 1, "kind": "shape", "name": "f"}],
    "lanes": [{"variants": [{"slot": 1, "signature": 8, "count": 1}]}]})");
  for (uint32_t I = 0; I < Groups; ++I)
    P.DynamicSites.push_back({format::Slot(9 + I), format::Slot(1),
                              format::DynamicKind::Group, 0,
                              std::to_string(I)});
  Merger Sum(/*Mixed=*/false);
  llvm::cantFail(Sum.add(P));
  Profile Merged = llvm::cantFail(Sum.finish());
  const std::vector<DynamicSite> &Found = Merged.DynamicSites;
  ASSERT_EQ(Found.size(), Groups + 4);
  for (uint32_t I = 0; I < Found.size(); ++I)
    ASSERT_EQ(number(Found[I].Slot), 2 + I);
  using Kind = format::DynamicKind;
  EXPECT_EQ(Found[0].Kind, Kind::Region);
  EXPECT_EQ(Found[1].Kind, Kind::Group);
  EXPECT_EQ(Found[Groups + 1].Kind, Kind::Member);
  EXPECT_EQ(Found[Groups + 2].Kind, Kind::LeftOut);
  EXPECT_EQ(Found[Groups + 3].Kind, Kind::Shape);
}

// A scope without a module of its own runs in its caller's.
TEST(SiteTable, FramesHaveThePathsOfTheirModules) {
  SiteTable Sites;
  Sites.add(parse(R"({"models": [{"id": 1, "scopes": [{"function": "forward"},
    {"parent": 0, "module": "a.0", "function": "forward"},
    {"parent": 1, "function": "helper"},
    {"parent": 2, "module": "b", "function": "forward",
     "call": {"file": "/site/torch/nn.py", "line": 5}},
    {"parent": 3, "function": "relu", "call": {"file": "n.py", "line": 7}}],
    "sites": [{"kind": "method", "name": "forward", "flags": ["root"]},
      {"parent": 0, "kind": "aten::relu", "scope": 4,
       "source": {"file": "/site/torch/f.py", "line": 9}},
      {"parent": 0, "kind": "aten::relu", "scope": 3,
       "source": {"file": "/site/torch/f.py", "line": 8}}]}],
    "lanes": [{"cells": [{"slot": 0, "samples": [100]}]}]})"));
  std::vector<std::string> Paths;
  for (const Frame &F : Sites.frames(1))
    Paths.push_back(F.Module);
  EXPECT_EQ(Paths,
            (std::vector<std::string>{"a.0.b", "a.0.b", "a.0", "a.0", ""}));
  EXPECT_EQ(Sites.modulePath(1), "a.0.b");
  EXPECT_EQ(Sites.source(1), "n.py:7");
  EXPECT_EQ(Sites.source(2), "/site/torch/f.py:8");
}

TEST(SiteTable, PrefixesAreCutFromPaths) {
  SiteTable Sites;
  Sites.add(parse(model("1", TwoNodes)));
  EXPECT_EQ(SourcePrefix::common(Sites.models()), "/home/me/net/");
  Sites.setSourcePrefix(SourcePrefix({"/home/me/net"}));
  EXPECT_EQ(Sites.source(1), "ops/mm.py:9");
  EXPECT_EQ(Sites.frames(1)[1].File, "net.py");
  Sites.setSourcePrefix(SourcePrefix({"/home/m", "/home/me/"}));
  EXPECT_EQ(Sites.source(1), "net/ops/mm.py:9");
  Sites.setSourcePrefix(SourcePrefix({"", "/"}));
  EXPECT_EQ(Sites.source(1), "/home/me/net/ops/mm.py:9");
  EXPECT_EQ(SourcePrefix::common({}), "");
}

} // namespace
