//===- Measures.cpp - what is measured beside time ------------------------===//

#include "Measures.h"

#include "CpuTime.h"
#include "DeviceTime.h"
#include "Host.h"
#include "MeasureCells.h"
#include "Memory.h"
#include "Pages.h"
#include "Process.h"
#include "Ranges.h"

namespace torchprof {

using namespace format;

Measures::Measures(ProfileFile &File, PageSource &Pages, const Host &Program)
    : File(File), Pages(Pages), EverySite(Program.Opts.RecordSites == "all"),
      Every(Program.Opts.RecordEvery) {
  if (hasWord(Program.Opts.Record, "cpu"))
    addSource(std::make_unique<CpuTime>());
  if (measuresMemory(Program.Opts) && countsMemory())
    addSource(std::make_unique<Memory>());
  if (const DeviceApi *Api = deviceApi();
      Api && hasWord(Program.Opts.Record, "device"))
    Device = std::make_unique<DeviceTime>(File, Pages, *Api, Program.Opts);
  Marked = Ranges::make(Program.Opts);
}

Measures::~Measures() = default;

void Measures::addSource(std::unique_ptr<MeasureSource> Source) {
  auto First = unsigned(Infos.size());
  for (MeasureId Id : Source->Ids)
    Infos.push_back(&measureInfo(Id));
  Sources.push_back({std::move(Source), First});
}

void Measures::beginRun(Lane &L, bool WithShapes) {
  bool IsDue = L.Runs++ % Every == 0;
  L.Measuring = exist() && IsDue;
  for (const Place &P : Sources)
    L.Measuring = P.Source->beginRun() && L.Measuring;
  if (Device && L.Measuring)
    Device->beginRun(L);
  if (Marked)
    Marked->beginRun(L);
  L.WithShapes = WithShapes && IsDue && EverySite;
  bool ColdOnly = L.WithShapes || (L.Measuring && EverySite);
  if (ColdOnly == L.ColdOnly)
    return;
  ProcessLock Lock; // the gate does not change meanwhile
  L.ColdOnly = ColdOnly;
  L.MeasuredSince.store(0, std::memory_order_relaxed);
  if (Process.Open.load(std::memory_order_relaxed))
    L.Since.store(0, std::memory_order_relaxed);
}

bool Measures::makeEntries(Lane &L) {
  if (!L.Measured) [[unlikely]] // zero pages are empty entries
    L.Measured = static_cast<MeasureEntry *>(Pages.plain(
        uint64_t(L.SlotCount) * MaxMeasures * sizeof(MeasureEntry)));
  return L.Measured != nullptr;
}

MeasureEntry *Measures::entries(const Lane &L, Slot Site) const {
  return L.Measured && number(Site) < L.SlotCount
             ? &L.Measured[uint64_t(number(Site)) * MaxMeasures]
             : nullptr;
}

SpanMeasures Measures::beginSpan(Lane &L, Slot Site, bool IsRoot,
                                 const Operands &Of) {
  if (!L.Measuring || !(EverySite || IsRoot))
    return SpanMeasures::None;
  SpanMeasures Begun = SpanMeasures::None;
  if (!Sources.empty()) {
    if (!makeEntries(L))
      return SpanMeasures::None;
    MeasureEntry *Entries = entries(L, Site);
    if (!Entries)
      return SpanMeasures::Unknown;
    askSources(Entries);
    Begun = SpanMeasures::Begun;
  }
  if (Marked && Marked->beginSpan(Site))
    Begun = SpanMeasures::Begun;
  // Last: its event lies next to the span's work.
  if (Device && Device->beginSpan(L, Site, Of))
    Begun = SpanMeasures::Begun;
  return Begun;
}

void Measures::askSources(MeasureEntry *Entries) {
  for (const Place &P : Sources) {
    MeasureEntry *Own = Entries + P.First;
    if (Own->Begin) // entered again inside itself: the outer one is not
                    // measured
      count(Counter::MeasureMissed);
    Own->Begin = 0;
    uint64_t Readings[MaxMeasures];
    P.Source->onBegin(Readings);
    for (unsigned I = 0; I < P.count(); ++I)
      Own[I].Reading = Readings[I];
  }
}

void Measures::spanBegan(Lane &L, Slot Site, uint64_t Begin) {
  MeasureEntry *Entries = entries(L, Site);
  for (const Place &P : Sources)
    Entries[P.First].Begin = Begin;
  if (Device)
    Device->spanBegan(L, Site, Begin);
  if (Marked)
    Marked->spanBegan(Site, Begin);
}

inline MeasureCell *Measures::cell(Lane &L, MeasureEntry &M, Slot Site,
                                   unsigned Measure) {
  if (!M.Data) [[unlikely]]
    M.Data = newMeasureCell(File, L.Number, Site, *Infos[Measure],
                            L.MeasureCells[Measure]);
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  if (M.Data && M.Data->Epoch != Epoch) [[unlikely]]
    emptyMeasureCell(*M.Data, Epoch);
  return M.Data;
}

bool Measures::endSpan(Lane &L, Slot Site, uint64_t Begin, uint64_t Ticks) {
  // First: its event lies next to the span's work.
  bool Measured = Device && Device->endSpan(L, Site, Begin, Ticks);
  if (Marked)
    Marked->endSpan(Site, Begin);
  MeasureEntry *Entries = entries(L, Site);
  if (!Entries)
    return Measured;
  for (const Place &P : Sources) {
    MeasureEntry *Own = Entries + P.First;
    if (!Own->Begin)
      return Measured;
    bool IsIts = Own->Begin == Begin;
    Own->Begin = 0;
    if (!IsIts) {
      count(Counter::MeasureMissed);
      continue;
    }
    Measured = true;
    uint64_t Values[MaxMeasures];
    for (unsigned I = 0; I < P.count(); ++I)
      Values[I] = Own[I].Reading;
    P.Source->onEnd(Values);
    for (unsigned I = 0; I < P.count(); ++I) {
      L.LastMeasured[P.First + I] = Values[I];
      if (MeasureCell *C = cell(L, Own[I], Site, P.First + I))
        addToMeasureCell(*C, Infos[P.First + I]->Sum == MeasureSum::Sum,
                         Values[I], Ticks);
    }
  }
  return Measured;
}

void Measures::cutSpan(Slot Site, uint64_t Begin) {
  if (Marked)
    Marked->endSpan(Site, Begin);
}

void Measures::addNested(Lane &L, Slot Outer) {
  if (Device)
    Device->addNested(L, Outer);
  MeasureEntry *Entries = entries(L, Outer);
  if (!Entries)
    return;
  for (const Place &P : Sources) {
    if (!Entries[P.First].Begin)
      continue;
    for (unsigned I = P.First; I < P.First + P.count(); ++I)
      if (MeasureCell *C = cell(L, Entries[I], Outer, I))
        storeRelaxed(C->Nested, C->Nested + L.LastMeasured[I]);
  }
}

} // namespace torchprof
