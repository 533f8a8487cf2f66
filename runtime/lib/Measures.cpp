//===- Measures.cpp - what is measured beside time ------------------------===//

#include "Measures.h"

#include "CpuTime.h"
#include "Host.h"
#include "Pages.h"
#include "Process.h"
#include "ProfileFile.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <cstring>

namespace torchprof {

using namespace format;

namespace {
struct MeasureInfo {
  MeasureId Id;
  const char *Name;
  MeasureUnit Unit;
  MeasureSum Sum;
};
} // namespace

static constexpr MeasureInfo Infos[] = {
#define TORCHPROF_MEASURE(NAME, NUMBER, ID, UNIT, SUM, MEANING)                \
  {MeasureId::NAME, ID, MeasureUnit::UNIT, MeasureSum::SUM},
#include "torchprof/format/Measures.def"
};

static const MeasureInfo &infoOf(MeasureId Id) {
  for (const MeasureInfo &I : Infos)
    if (I.Id == Id)
      return I;
  return Infos[0]; // each source has its row
}

Measures::Measures(ProfileFile &File, PageSource &Pages, const Host &Program)
    : File(File), Pages(Pages), EverySite(Program.Opts.RecordSites == "all"),
      Every(Program.Opts.RecordEvery) {
  if (hasWord(Program.Opts.Record, infoOf(MeasureId::Cpu).Name))
    Sources.push_back(std::make_unique<CpuTime>());
}

void Measures::beginRun(Lane &L) {
  L.Measuring = exist() && L.Runs++ % Every == 0;
  bool ColdOnly = L.Measuring && EverySite;
  if (ColdOnly == L.ColdOnly)
    return;
  ProcessLock Lock; // the gate does not change meanwhile
  L.ColdOnly = ColdOnly;
  if (Process.Open.load(std::memory_order_relaxed))
    L.Since.store(0, std::memory_order_relaxed);
}

void Measures::endRun(Lane &L) {
  if (L.Measuring)
    for (const auto &Source : Sources)
      Source->resolve(L);
}

bool Measures::makeEntries(Lane &L) {
  if (!L.Measured) // zero pages are empty entries
    L.Measured = static_cast<MeasureEntry *>(Pages.plain(
        uint64_t(L.SlotCount) * MaxMeasures * sizeof(MeasureEntry)));
  return L.Measured != nullptr;
}

MeasureEntry *Measures::entry(Lane &L, Slot Site, unsigned Source) const {
  return L.Measured && number(Site) < L.SlotCount
             ? &L.Measured[uint64_t(number(Site)) * MaxMeasures + Source]
             : nullptr;
}

bool Measures::beginSpan(Lane &L, Slot Site, bool IsRoot) {
  if (!L.Measuring || !(EverySite || IsRoot) || !makeEntries(L))
    return false;
  for (unsigned I = 0; I < Sources.size(); ++I) {
    MeasureEntry &M = *entry(L, Site, I);
    if (M.Begin) // entered again inside itself: the outer one is not measured
      count(Counter::MeasureMissed);
    M.Begin = 0;
    M.Reading = Sources[I]->onBegin();
  }
  return true;
}

void Measures::spanBegan(Lane &L, Slot Site, uint64_t Begin) {
  for (unsigned I = 0; I < Sources.size(); ++I)
    entry(L, Site, I)->Begin = Begin;
}

MeasureCell *Measures::cell(Lane &L, Slot Site, unsigned Source) {
  MeasureEntry &M = *entry(L, Site, Source);
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  if (M.Data) {
    if (M.Data->Epoch != Epoch) {
      MeasureCell &C = *M.Data;
      storeRelaxed(C.Word, C.Word | 1);
      for (uint64_t *Field : {&C.Sum, &C.Max, &C.Time, &C.Nested})
        storeRelease(*Field, 0);
      storeRelease(C.Epoch, Epoch);
      storeRelease(C.Word, 0);
    }
    return M.Data;
  }
  ProcessLock Lock;
  using MeasureSegment = SegmentOf<SegmentType::Measure>;
  SegmentHeader *&Head = L.MeasureCells[Source];
  if (!Head || MeasureSegment(Head).record().Used ==
                   MeasureSegment(Head).record().Capacity) {
    constexpr uint32_t Capacity = 2 * PageBytes / sizeof(MeasureCell) - 2;
    SegmentHeader *New = File.add(
        SegmentType::Measure, MeasureSegment::payloadBytes(Capacity), L.Number);
    if (!New)
      return nullptr;
    MeasureRecord &R = MeasureSegment(New).record();
    const MeasureInfo &Info = infoOf(Sources[Source]->Id);
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
  New.Epoch = Epoch;
  storeRelease(R.Used, R.Used + 1);
  return M.Data = &New;
}

bool Measures::endSpan(Lane &L, Slot Site, uint64_t Begin, uint64_t Ticks) {
  bool Measured = false;
  for (unsigned I = 0; I < Sources.size(); ++I) {
    MeasureEntry *M = entry(L, Site, I);
    if (!M || !M->Begin)
      return false;
    bool IsIts = M->Begin == Begin;
    M->Begin = 0;
    if (!IsIts) {
      count(Counter::MeasureMissed);
      continue;
    }
    uint64_t Value = Sources[I]->onEnd(M->Reading);
    L.LastMeasured[I] = Value;
    Measured = true;
    MeasureCell *C = cell(L, Site, I);
    if (!C)
      continue;
    bool Adds = infoOf(Sources[I]->Id).Sum == MeasureSum::Sum;
    uint64_t Word = C->Word;
    storeRelaxed(C->Word, Word + 1);
    storeRelease(C->Sum,
                 Adds ? C->Sum + Value : (Value > C->Sum ? Value : C->Sum));
    storeRelease(C->Max, Value > C->Max ? Value : C->Max);
    storeRelease(C->Time, C->Time + Ticks);
    storeRelease(C->Word, Word + 2);
  }
  return Measured;
}

void Measures::addNested(Lane &L, Slot Outer) {
  for (unsigned I = 0; I < Sources.size(); ++I)
    if (MeasureEntry *M = entry(L, Outer, I); M && M->Begin)
      if (MeasureCell *C = cell(L, Outer, I))
        storeRelaxed(C->Nested, C->Nested + L.LastMeasured[I]);
}

} // namespace torchprof
