//===- MeasureCells.cpp - what slots measured, in the file ----------------===//

#include "MeasureCells.h"

#include "Process.h"
#include "ProfileFile.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <cstring>

namespace torchprof {

using namespace format;

static constexpr MeasureInfo Known[] = {
#define TORCHPROF_MEASURE(NAME, NUMBER, ID, WORD, UNIT, SUM, MEANING)          \
  {MeasureId::NAME, ID, MeasureUnit::UNIT, MeasureSum::SUM},
#include "torchprof/format/Measures.def"
};

const MeasureInfo &measureInfo(MeasureId Id) {
  for (const MeasureInfo &I : Known)
    if (I.Id == Id)
      return I;
  return Known[0]; // each measure has its row
}

MeasureCell *newMeasureCell(ProfileFile &File, uint32_t Lane, Slot Site,
                            const MeasureInfo &Of, SegmentHeader *&Head) {
  ProcessLock Lock;
  using MeasureSegment = SegmentOf<SegmentType::Measure>;
  if (!Head || MeasureSegment(Head).record().Used ==
                   MeasureSegment(Head).record().Capacity) {
    constexpr uint32_t Capacity = 2 * PageBytes / sizeof(MeasureCell) - 2;
    SegmentHeader *New = File.add(SegmentType::Measure,
                                  MeasureSegment::payloadBytes(Capacity), Lane);
    if (!New)
      return nullptr;
    MeasureRecord &R = MeasureSegment(New).record();
    R.Measure = Of.Id;
    R.Unit = Of.Unit;
    R.Sum = Of.Sum;
    R.Stride = sizeof(MeasureCell);
    R.Capacity = Capacity;
    strncpy(R.Name, Of.Name, sizeof(R.Name) - 1);
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

void emptyMeasureCell(MeasureCell &C, uint32_t Epoch) {
  storeRelaxed(C.Word, C.Word | 1);
  for (uint64_t *Field : {&C.Sum, &C.Max, &C.Time, &C.Nested})
    storeRelease(*Field, 0);
  storeRelease(C.Epoch, Epoch);
  storeRelease(C.Word, 0);
}

} // namespace torchprof
