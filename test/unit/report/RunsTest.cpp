//===- RunsTest.cpp - many runs and events, and shapes that came in them --===//

#include "../../../tools/torchprof-report/Report/Runs.h"
#include "../../../tools/torchprof-report/Report/Loads.h"
#include "../../../tools/torchprof-report/Report/NewShapes.h"
#include "../../../tools/torchprof-report/Report/Plans.h"
#include "../../../tools/torchprof-report/Report/RunMemory.h"
#include "../IsSanitized.h"
#include "TestProfiles.h"

#include "gtest/gtest.h"

using namespace torchprof;
using namespace torchprof::report;
using namespace torchprof::report::test;

namespace {

using Times = std::vector<uint64_t>;

/// One method and what the only lane has.
Profile methodWith(const std::string &OfLane, const std::string &More = "") {
  return parse(R"({"models": [{"id": 1, "sites": [
    {"kind": "method", "name": "forward", "flags": ["root"]}]}],)" +
               More + R"("lanes": [{)" + OfLane + "}]}");
}

/// With a ring of \p Count runs, which end at \p First and every 2000 ns.
Profile ringOf(uint64_t First, unsigned Count) {
  std::string Samples;
  for (unsigned I = 0; I < Count; ++I)
    Samples += (I ? ",[" : "[") + std::to_string(First + 2000 * I) + ",500]";
  return methodWith(R"("runs": [{"slot": 0, "samples": [)" + Samples + "]}]");
}

/// With a plan, a load and the memory of a run at \p Ticks.
Profile eventsAt(uint64_t Ticks) {
  std::string At = std::to_string(Ticks);
  return methodWith(R"("levels": [{"levels": [[0,)" + At + ",0,50,0]]}]",
                    R"("plans": [{"root": 0, "begin": )" + At +
                        R"(}], "loads": [{"begin": )" + At + "}],");
}

Times endsOf(llvm::ArrayRef<RunLatency> Runs) {
  Times Ends;
  for (const RunLatency &R : Runs)
    Ends.push_back(R.EndRealtimeNs);
  return Ends;
}

/// The wall clock was set back by an hour when two seconds had passed.
const std::string SetBack =
    R"("process": {"clock": "injected"}, "anchors": [
       {"ticks": 0, "monotonic_ns": 0, "realtime_ns": 3600000000000},
       {"ticks": 2000000000, "monotonic_ns": 2000000000,
        "realtime_ns": 2000000000}],)";

TEST(Runs, AreInTheOrderOfTime) {
  SlotToSite Slots;
  Slots.add(format::Slot{0}, 1, 7);
  RunLatencies Latencies;
  Latencies.add(ringOf(2000, 2), Slots);
  Latencies.add(ringOf(1000, 2), Slots);
  EXPECT_EQ(endsOf(Latencies.of(7)), (Times{1000, 2000, 3000, 4000}));
  Latencies.add(ringOf(500, 1), Slots);
  EXPECT_EQ(endsOf(Latencies.of(7)), (Times{500, 1000, 2000, 3000, 4000}));
  EXPECT_TRUE(Latencies.of(0).empty());
}

TEST(Runs, EventsAreInTheOrderOfTime) {
  SiteTable Sites;
  LoadHistory Loads;
  PlanHistory Plans;
  RunMemory Memory;
  Times Expected;
  for (uint64_t Ticks : {30, 20, 10}) {
    Profile P = eventsAt(Ticks);
    SlotToSite Slots = Sites.add(P);
    Loads.add(P);
    Plans.add(P, Sites, Slots);
    Memory.add(P, Slots);
    Expected.insert(Expected.begin(), Ticks);
    Times OfLoads, OfPlans, OfMemory;
    for (const LoadedFile &L : Loads.loads())
      OfLoads.push_back(L.BeginRealtimeNs);
    for (const MadePlan &M : Plans.plans())
      OfPlans.push_back(M.BeginRealtimeNs);
    for (const RunPeak &R : Memory.runs())
      OfMemory.push_back(R.EndRealtimeNs);
    EXPECT_EQ(OfLoads, Expected);
    EXPECT_EQ(OfPlans, Expected);
    EXPECT_EQ(OfMemory, Expected);
  }
}

TEST(Runs, KeepTheirOrderWhereTheWallClockIsSetBack) {
  Profile P = methodWith(
      R"("runs": [{"slot": 0, "samples": [[3000000000, 5], [1000000000, 5]]}],
         "levels": [{"levels": [[0, 3000000000, 0, 50, 0],
                                [0, 1000000000, 0, 50, 0]]}])",
      SetBack + R"("plans": [{"root": 0, "begin": 3000000000},
                             {"root": 0, "begin": 1000000000}],
                   "loads": [{"begin": 3000000000}, {"begin": 1000000000}],)");
  SiteTable Sites;
  RunLatencies Latencies;
  LoadHistory Loads;
  PlanHistory Plans;
  RunMemory Memory;
  SlotToSite Slots = Sites.add(P);
  Latencies.add(P, Slots);
  Loads.add(P);
  Plans.add(P, Sites, Slots);
  Memory.add(P, Slots);
  Times Expected = {3'601'000'000'000, 3'000'000'000};
  EXPECT_EQ(endsOf(Latencies.of(0)), Expected);
  ASSERT_EQ(Loads.loads().size(), 2u);
  EXPECT_EQ(Loads.loads()[0].BeginRealtimeNs, Expected[0]);
  ASSERT_EQ(Plans.plans().size(), 2u);
  EXPECT_EQ(Plans.plans()[0].BeginRealtimeNs, Expected[0]);
  ASSERT_EQ(Memory.runs().size(), 2u);
  EXPECT_EQ(Memory.runs()[0].EndRealtimeNs, Expected[0]);
}

// Sorting all of them again for each of the profiles would not end here.
TEST(Runs, OfThousandsOfProfilesAreSortedWhenTheyAreLookedAt) {
  constexpr unsigned Files = IsSanitized ? 300 : 6000, PerRing = 256;
  Profile Early = ringOf(1000, PerRing), Late = ringOf(2000, PerRing);
  SlotToSite Slots;
  Slots.add(format::Slot{0}, 1, 0);
  RunLatencies Latencies;
  for (unsigned I = 0; I < Files; ++I)
    Latencies.add(I % 2 ? Early : Late, Slots);
  llvm::ArrayRef<RunLatency> Runs = Latencies.of(0);
  ASSERT_EQ(Runs.size(), size_t(Files) * PerRing);
  for (size_t I = 0; I < Runs.size(); ++I)
    ASSERT_EQ(Runs[I].EndRealtimeNs, 1000 * (1 + I / (Files / 2)));
}

/// Gives the method nodes, and signatures with the numbers behind theirs.
void addNodes(Profile &P, uint32_t Nodes, uint32_t Signatures) {
  auto Table = std::make_shared<Manifest>(*P.Models[0].Table);
  ManifestSite Node;
  Node.Parent = 0;
  Node.Kind = Table->intern("aten::relu");
  Table->Sites.resize(1 + Nodes, Node);
  P.Models[0].Table = Table;
  for (uint32_t I = 0; I < Signatures; ++I)
    P.DynamicSites.push_back({format::Slot(1 + Nodes + I), format::Slot(1),
                              format::DynamicKind::Shape, 0,
                              "float32[" + std::to_string(I) + "]"});
}

format::VariantCell metAt(uint64_t Ticks, uint32_t Node, uint32_t Signature) {
  format::VariantCell C = {};
  C.Site = format::Slot(Node);
  C.Signature = format::Slot(Signature);
  C.Word = 2;
  C.FirstTicks = Ticks;
  return C;
}

const Value &valueIn(const Table &T, size_t Row, const char *Column) {
  for (size_t I = 0; I < T.Columns.size(); ++I)
    if (T.Columns[I].Id == Column)
      return T.Rows.at(Row)[I];
  ADD_FAILURE() << "no column " << Column;
  return T.Rows.at(Row)[0];
}

// One run ends before the clock is set, in the other one it is set.
TEST(NewShapes, RunsAreFoundWhereTheWallClockIsSetBack) {
  Profile P = methodWith(R"("runs": [{"slot": 0, "samples": [
                              [1000000000, 9000000], [2000500000, 1000000]]}])",
                         SetBack);
  addNodes(P, 1, 2);
  std::vector<format::VariantCell> Cells = {metAt(995'000'000, 1, 2),
                                            metAt(1'999'600'000, 1, 3)};
  P.Lanes[0].Variants.push_back(P.keep(llvm::ArrayRef(Cells)));
  SiteTable Sites;
  RunLatencies Latencies;
  Latencies.add(P, Sites.add(P));
  Table T = makeNewShapes(Sites, Selection(), Latencies, 0);
  ASSERT_EQ(T.Rows.size(), 2u);
  EXPECT_EQ(valueIn(T, 0, "begin_realtime_ns").Count, 3'600'995'000'000u);
  EXPECT_EQ(valueIn(T, 0, "latency_ns").Number, 9e6);
  EXPECT_EQ(valueIn(T, 1, "latency_ns").Number, 1e6);
}

// A look at all nodes of the row for each node would not end here.
TEST(NewShapes, AllNodesOfARunAreOneRow) {
  constexpr uint32_t Nodes = IsSanitized ? 10'000 : 200'000;
  Profile P = methodWith("");
  addNodes(P, Nodes, 2);
  std::vector<format::VariantCell> Cells;
  for (uint32_t I = 1; I <= Nodes; ++I)
    Cells.push_back(metAt(I, I, 1 + Nodes));
  Cells.push_back(metAt(1 + Nodes, 7, 2 + Nodes)); // in a later run
  P.Lanes[0].Variants.push_back(P.keep(llvm::ArrayRef(Cells)));
  SiteTable Sites;
  Sites.add(P);
  for (unsigned Limit = 2; Limit < 42; ++Limit) {
    Table T = makeNewShapes(Sites, Selection(), RunLatencies(), Limit);
    ASSERT_EQ(T.Rows.size(), 2u);
    ASSERT_EQ(valueIn(T, 0, "nodes").Count, Nodes);
    ASSERT_EQ(valueIn(T, 1, "nodes").Count, 1u);
  }
}

// Nor would a look at all runs for each signature.
TEST(NewShapes, RunsOfAllSignaturesAreFound) {
  constexpr uint32_t Signatures = IsSanitized ? 10'000 : 200'000;
  constexpr uint32_t Early = Signatures / 2;
  constexpr uint64_t Kept = 5 * Signatures, FirstEnd = 1'000'000;
  Profile P = methodWith("");
  addNodes(P, 1, Signatures);
  std::vector<format::RunSample> Samples(Kept);
  for (uint64_t I = 0; I < Kept; ++I) {
    Samples[I].EndTicks = FirstEnd + 1000 * I;
    Samples[I].LatencyTicks = 3 + I % 100;
  }
  RunRing Ring;
  Ring.Capacity = Ring.Count = Kept;
  Ring.Samples = P.keep(llvm::ArrayRef(Samples));
  P.Lanes[0].Runs.push_back(Ring);
  // The first half came before all runs that are kept, the others in one each.
  std::vector<format::VariantCell> Cells;
  for (uint32_t I = 0; I < Signatures; ++I)
    Cells.push_back(
        metAt(I < Early ? 1 + I : Samples[I - Early].EndTicks - 2, 1, 2 + I));
  P.Lanes[0].Variants.push_back(P.keep(llvm::ArrayRef(Cells)));
  SiteTable Sites;
  RunLatencies Latencies;
  Latencies.add(P, Sites.add(P));
  for (unsigned Limit : {10, 20, 30, 40, 50, 60, 70, 80}) {
    Table T = makeNewShapes(Sites, Selection(), Latencies, Limit);
    ASSERT_EQ(T.Rows.size(), Limit);
    for (unsigned I = 0; I < Limit; ++I)
      ASSERT_EQ(valueIn(T, I, "latency_ns").Number,
                3 + (Signatures - Early - Limit + I) % 100);
    ASSERT_EQ(T.Notes.size(), 1u);
    ASSERT_EQ(T.Notes[0], std::to_string(Signatures - Limit) +
                              " earlier rows; --limit=0 shows them");
  }
}

} // namespace
