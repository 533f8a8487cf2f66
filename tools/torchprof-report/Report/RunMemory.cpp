//===- RunMemory.cpp - what the runs took ---------------------------------===//

#include "RunMemory.h"
#include "RunTables.h"
#include "Totals.h"

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
