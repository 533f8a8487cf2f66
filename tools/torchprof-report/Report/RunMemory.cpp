//===- RunMemory.cpp - what the runs took ---------------------------------===//

#include "RunMemory.h"
#include "RunTables.h"
#include "Totals.h"

#include <map>
#include <set>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

void RunMemory::add(const Profile &P, const SlotToSite &Slots) {
  TickClock Clock(P);
  for (const Lane &L : P.Lanes)
    for (const LevelRing &R : L.Levels) {
      if (!R.OfRuns)
        continue;
      for (const format::Level &Of : R.Entries)
        if (uint32_t Root = Slots[Of.Site]; Root != NoIndex)
          Runs.add(
              {R.Place, Root, Clock.realtimeNs(Of.EndTicks),
               Clock.steadyNs(Of.EndTicks), Of.Peak, Of.Held,
               Of.PeakSite == format::NoSlot ? NoIndex : Slots[Of.PeakSite],
               L.name()});
    }
  addEnded(P, Slots);
}

static bool hasMemory(const Profile &P) {
  return P.State != format::FileState::Merged &&
         any_of(P.Lanes, [](const Lane &L) {
           return !L.Levels.empty() ||
                  any_of(L.Measures, [](const MeasureCells &M) {
                    return M.Id == format::MeasureId::Allocated;
                  });
         });
}

void RunMemory::addEnded(const Profile &P, const SlotToSite &Slots) {
  if (!hasMemory(P))
    return;
  TickClock Clock(P);
  for (const Lane &L : P.Lanes) {
    std::set<std::pair<format::Slot, uint64_t>> Known; // and its last tick
    // A lane has one ring for all methods: it may have lost levels of runs
    // whose latencies are there.
    uint64_t Since = 0;
    for (const LevelRing &R : L.Levels) {
      if (!R.OfRuns || R.Place != format::MemoryPlace::Cpu)
        continue;
      for (const format::Level &Of : R.Entries)
        Known.insert({Of.Site, Of.EndTicks});
      if (R.Count > R.Entries.size() && !R.Entries.empty())
        Since = std::max(Since, R.Entries.front().EndTicks);
    }
    for (const RunRing &R : L.Runs) {
      uint32_t Root = Slots[R.Slot];
      if (Root == NoIndex)
        continue;
      for (const format::RunSample &S : R.Samples)
        if (S.EndTicks >= Since)
          Ended.add({Root, Clock.steadyNs(S.EndTicks),
                     Known.count({R.Slot, S.EndTicks}) != 0});
    }
  }
}

static const RunColumns<RunPeak> &columns() {
  using Row = RunPeak;
  static const RunColumns<Row> Columns({
      methodColumn<Row>(),
      {TableColumn::text("thread", "thread"), "",
       [](const Row &R, const SiteTable &) { return Value::text(R.Thread); }},
      {TableColumn::count("end_realtime_ns", "ended (UTC)"), "",
       [](const Row &R, const SiteTable &) {
         return realtimeValue(R.EndRealtimeNs);
       }},
      {TableColumn::make("peak_bytes", "peak", ValueType::Bytes), "",
       [](const Row &R, const SiteTable &) { return Value::bytes(R.Peak); }},
      {TableColumn::text("peak_at", "at"), "",
       [](const Row &R, const SiteTable &Sites) {
         return nodeValue(Sites, R.PeakSite);
       }},
      {TableColumn::make("held_bytes", "thread holds", ValueType::Bytes), "",
       [](const Row &R, const SiteTable &) {
         return Value::signedBytes(uint64_t(R.Held));
       }},
  });
  return Columns;
}

Table report::makeRunPeaks(const SiteTable &Sites, const Selection &Selected,
                           const RunMemory &Memory, format::MemoryPlace Place,
                           unsigned Count) {
  std::vector<RunPeak> Rows;
  std::vector<bool> Roots = rootsOf(Sites, Selected);
  std::map<uint32_t, unsigned> Taken;
  for (const RunPeak &R : reverse(Memory.runs()))
    if (R.Place == Place && Roots[R.Root] &&
        (!Count || Taken[R.Root]++ < Count))
      Rows.push_back(R);
  std::reverse(Rows.begin(), Rows.end());
  stable_sort(
      Rows, [](const RunPeak &A, const RunPeak &B) { return A.Root < B.Root; });
  bool OnCpu = Place == format::MemoryPlace::Cpu;
  return makeRunTable<RunPeak>(
      OnCpu ? "memory" : "device_memory",
      OnCpu ? "memory of the last runs, the newest last"
            : "memory on devices of the last runs, the newest last",
      columns(), Rows, Sites);
}

std::string report::noteRunsWithoutMemory(const SiteTable &Sites,
                                          const Selection &Selected,
                                          const RunMemory &Memory,
                                          unsigned Count) {
  std::vector<bool> Roots = rootsOf(Sites, Selected);
  std::map<uint32_t, unsigned> Taken;
  uint64_t Runs = 0, Unknown = 0;
  for (const MeasuredRun &R : reverse(Memory.ended()))
    if (Roots[R.Root] && (!Count || Taken[R.Root]++ < Count)) {
      ++Runs;
      Unknown += !R.HasPeak;
    }
  if (!Unknown)
    return "";
  return ("note: the memory of " + Twine(Unknown) + " of these " + Twine(Runs) +
          " runs is not known: they ended on another thread than they began "
          "on, "
          "or TORCHPROF_RECORD_EVERY left them out")
      .str();
}
