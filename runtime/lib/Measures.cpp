//===- Measures.cpp - what is measured beside time ------------------------===//

#include "Measures.h"

#include "CpuTime.h"
#include "Host.h"
#include "Memory.h"
#include "Pages.h"
#include "Process.h"
#include "ProfileFile.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <algorithm>
#include <cstring>

namespace torchprof {

using namespace format;

struct MeasureInfo {
  MeasureId Id;
  const char *Name;
  MeasureUnit Unit;
  MeasureSum Sum;
};

static constexpr MeasureInfo Known[] = {
#define TORCHPROF_MEASURE(NAME, NUMBER, ID, WORD, UNIT, SUM, MEANING)          \
  {MeasureId::NAME, ID, MeasureUnit::UNIT, MeasureSum::SUM},
#include "torchprof/format/Measures.def"
};

static const MeasureInfo &infoOf(MeasureId Id) {
  for (const MeasureInfo &I : Known)
    if (I.Id == Id)
      return I;
  return Known[0]; // each measure has its row
}

Measures::Measures(ProfileFile &File, PageSource &Pages, const Host &Program)
    : File(File), Pages(Pages), EverySite(Program.Opts.RecordSites == "all"),
      Every(Program.Opts.RecordEvery) {
  if (hasWord(Program.Opts.Record, "cpu"))
    addSource(std::make_unique<CpuTime>());
  if (measuresMemory(Program.Opts) && countsMemory())
    addSource(std::make_unique<Memory>());
}

void Measures::addSource(std::unique_ptr<MeasureSource> Source) {
  auto First = unsigned(Infos.size());
  for (MeasureId Id : Source->Ids)
    Infos.push_back(&infoOf(Id));
  Sources.push_back({std::move(Source), First});
}

void Measures::beginRun(Lane &L, bool WithShapes) {
  bool IsDue = L.Runs++ % Every == 0;
  L.Measuring = exist() && IsDue;
  for (const Place &P : Sources)
    L.Measuring = P.Source->beginRun() && L.Measuring;
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

bool Measures::beginSpan(Lane &L, Slot Site, bool IsRoot) {
  if (!L.Measuring || !(EverySite || IsRoot) || !makeEntries(L))
    return false;
  MeasureEntry *Entries = entries(L, Site);
  if (!Entries) // a slot that the lane does not know yet
    return false;
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
  return true;
}

void Measures::spanBegan(Lane &L, Slot Site, uint64_t Begin) {
  MeasureEntry *Entries = entries(L, Site);
  for (const Place &P : Sources)
    Entries[P.First].Begin = Begin;
}

/// Makes a cell of an older epoch one of \p Epoch.
static void emptyCell(MeasureCell &C, uint32_t Epoch) {
  storeRelaxed(C.Word, C.Word | 1);
  for (uint64_t *Field : {&C.Sum, &C.Max, &C.Time, &C.Nested})
    storeRelease(*Field, 0);
  storeRelease(C.Epoch, Epoch);
  storeRelease(C.Word, 0);
}

MeasureCell *Measures::makeCell(Lane &L, Slot Site, unsigned Measure) {
  ProcessLock Lock;
  using MeasureSegment = SegmentOf<SegmentType::Measure>;
  SegmentHeader *&Head = L.MeasureCells[Measure];
  if (!Head || MeasureSegment(Head).record().Used ==
                   MeasureSegment(Head).record().Capacity) {
    constexpr uint32_t Capacity = 2 * PageBytes / sizeof(MeasureCell) - 2;
    SegmentHeader *New = File.add(
        SegmentType::Measure, MeasureSegment::payloadBytes(Capacity), L.Number);
    if (!New)
      return nullptr;
    MeasureRecord &R = MeasureSegment(New).record();
    const MeasureInfo &Info = *Infos[Measure];
    R.Measure = Info.Id;
    R.Unit = Info.Unit;
    R.Sum = Info.Sum;
    R.Stride = sizeof(MeasureCell);
    R.Capacity = Capacity;
    strncpy(R.Name, Info.Name, sizeof(R.Name) - 1);
    File.publish();
    Head = New;
  }
  MeasureRecord &R = MeasureSegment(Head).record();
  MeasureCell &New = MeasureSegment(Head).entries()[R.Used];
  New.Site = Site;
  New.Epoch = Process.Epoch.load(std::memory_order_relaxed);
  storeRelease(R.Used, R.Used + 1);
  return &New;
}

inline MeasureCell *Measures::cell(Lane &L, MeasureEntry &M, Slot Site,
                                   unsigned Measure) {
  if (!M.Data) [[unlikely]]
    M.Data = makeCell(L, Site, Measure);
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  if (M.Data && M.Data->Epoch != Epoch) [[unlikely]]
    emptyCell(*M.Data, Epoch);
  return M.Data;
}

static inline void addTo(MeasureCell &C, bool Adds, uint64_t Value,
                         uint64_t Ticks) {
  uint64_t Word = C.Word;
  storeRelaxed(C.Word, Word + 1);
  storeRelease(C.Sum, Adds ? C.Sum + Value : std::max(C.Sum, Value));
  if (Value > C.Max)
    storeRelease(C.Max, Value);
  storeRelease(C.Time, C.Time + Ticks);
  storeRelease(C.Word, Word + 2);
}

bool Measures::endSpan(Lane &L, Slot Site, uint64_t Begin, uint64_t Ticks) {
  MeasureEntry *Entries = entries(L, Site);
  if (!Entries)
    return false;
  bool Measured = false;
  for (const Place &P : Sources) {
    MeasureEntry *Own = Entries + P.First;
    if (!Own->Begin)
      return false;
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
        addTo(*C, Infos[P.First + I]->Sum == MeasureSum::Sum, Values[I], Ticks);
    }
  }
  return Measured;
}

void Measures::addNested(Lane &L, Slot Outer) {
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
