//===- PlanEvents.cpp - plans that the framework has made -----------------===//

#include "PlanEvents.h"

#include "Process.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

namespace torchprof {

using namespace format;
using PlansSegment = SegmentOf<SegmentType::Plans>;

/// Events of a segment: as many as fill a page.
static constexpr uint32_t SegmentEvents =
    (PageBytes - sizeof(SegmentHeader) - PlansSegment::payloadBytes()) /
    sizeof(PlanEvent);

void PlanEvents::wait(const PlanEvent &Event) {
  if (Waiting.size() < MaxPlanEvents)
    Waiting.push_back(Event);
  else
    count(Counter::DroppedPlans);
}

void PlanEvents::write(ProfileFile &File, const PlanEvent &Event) {
  if (Count == MaxPlanEvents)
    return count(Counter::DroppedPlans);
  if (!Segment) {
    SegmentHeader *Head =
        File.add(SegmentType::Plans, PlansSegment::payloadBytes(SegmentEvents));
    if (!Head)
      return count(Counter::DroppedPlans);
    PlansSegment(Head).record().Capacity = SegmentEvents;
    File.publish();
    Segment = Head;
  }
  PlansSegment Plans(Segment);
  uint32_t Used = Plans.record().Used;
  Plans.entries()[Used] = Event;
  storeRelease(Plans.record().Used, Used + 1);
  ++Count;
  if (Used + 1 == SegmentEvents)
    Segment = nullptr;
}

uint64_t endedRuns(const ProfileFile &File, Slot Root, uint64_t Since) {
  uint64_t Ended = 0;
  for (const ProfileFile::Segment &S : File.segments()) {
    if (S.Head->Type != SegmentType::Runs)
      continue;
    ConstSegmentOf<SegmentType::Runs> Ring(S.Head);
    uint64_t Count = loadAcquire(Ring.record().Count);
    if (Ring.record().Site != Root || Count == 0)
      continue;
    // An owner empties its ring when it comes by after the reset.
    const RunSample &Last = Ring.entries()[(Count - 1) % RunsCapacity];
    if (loadRelaxed(Last.EndTicks) >= Since)
      Ended += Count;
  }
  return Ended;
}

} // namespace torchprof
