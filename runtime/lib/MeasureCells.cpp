//===- MeasureCells.cpp - what slots measured, in the file ----------------===//

#include "MeasureCells.h"

#include "ProfileFile.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <cstring>

namespace torchprof {

using namespace format;

/// What a segment says of a measure.
static MeasureRecord recordOf(MeasureId Id) {
  MeasureRecord R{};
  R.Measure = Id;
  switch (Id) {
#define TORCHPROF_MEASURE(NAME, NUMBER, ID, WORD, UNIT, SUM, MEANING)          \
  case MeasureId::NAME:                                                        \
    static_assert(sizeof(ID) <= sizeof(R.Name));                               \
    memcpy(R.Name, ID, sizeof(ID));                                            \
    R.Unit = MeasureUnit::UNIT;                                                \
    R.Sum = MeasureSum::SUM;                                                   \
    break;
#include "torchprof/format/Measures.def"
  }
  return R;
}

MeasureCell *newMeasureCell(ProfileFile &File, uint32_t Lane, Slot Site,
                            const MeasureId *Ids, unsigned Count,
                            SegmentHeader *&Head) {
  ProcessLock Lock;
  using MeasuresSegment = SegmentOf<SegmentType::Measures>;
  if (!Head || MeasuresSegment(Head).record().Used ==
                   MeasuresSegment(Head).record().Capacity) {
    constexpr uint32_t Capacity = 2 * PageBytes / sizeof(MeasureCell) - 2;
    SegmentHeader *New = File.add(
        SegmentType::Measures, MeasuresSegment::payloadBytes(Capacity), Lane);
    if (!New)
      return nullptr;
    MeasuresRecord &R = MeasuresSegment(New).record();
    R.Count = Count;
    R.Stride = sizeof(MeasureCell);
    R.Capacity = Capacity;
    for (unsigned I = 0; I < Count; ++I)
      R.Measures[I] = recordOf(Ids[I]);
    File.publish();
    Head = New;
  }
  MeasuresRecord &R = MeasuresSegment(Head).record();
  MeasureCell &New = MeasuresSegment(Head).entries()[R.Used];
  storeRelaxed(New.Site, Site);
  storeRelaxed(New.Epoch, Process.Epoch.load(std::memory_order_relaxed));
  storeRelease(R.Used, R.Used + 1);
  return &New;
}

void emptyMeasureCell(MeasureCell &C, uint32_t Epoch) {
  storeRelaxed(C.Word, C.Word | 1);
  storeRelease(C.Time, uint64_t(0));
  for (unsigned I = 0; I < MeasuresPerCell; ++I)
    for (uint64_t *Field : {&C.Sum[I], &C.Max[I], &C.Nested[I]})
      storeRelease(*Field, uint64_t(0));
  storeRelease(C.Word, 0); // as in resetCell()
  storeRelease(C.Epoch, Epoch);
}

} // namespace torchprof
