//===- RunsTest.cpp - runs and events of many profiles --------------------===//

#include "../../../tools/torchprof-report/Report/Runs.h"
#include "../../../tools/torchprof-report/Report/Loads.h"
#include "../../../tools/torchprof-report/Report/Plans.h"
#include "../../../tools/torchprof-report/Report/RunMemory.h"
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

// Sorting all of them again for each of the profiles would not end here.
TEST(Runs, OfThousandsOfProfilesAreSortedWhenTheyAreLookedAt) {
  constexpr unsigned Files = 6000, PerRing = 256;
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

} // namespace
