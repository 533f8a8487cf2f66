//===- Levels.cpp - what threads held when spans ended --------------------===//

#include "Levels.h"

#include "Host.h"
#include "Memory.h"
#include "Process.h"
#include "ProfileFile.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <algorithm>

namespace torchprof {

using namespace format;
using LevelSegment = SegmentOf<SegmentType::Levels>;

Levels::Levels(ProfileFile &File, const Host &Program)
    : File(File), Kept(measuresMemory(Program.Opts)),
      SpanKeep(Kept ? keepOf(Program.Opts) : LogKeep::None),
      SpanCount(uint32_t(Program.Opts.TraceEvents)) {
  // Not before there is a recording: a child may free much that was its
  // parent's before its first span.
  Process.KeepsSpanLevels.store(SpanKeep != LogKeep::None,
                                std::memory_order_relaxed);
}

SegmentHeader *Levels::make(const Lane &L, uint32_t Capacity, LogKeep Keep,
                            bool OfRuns, MemoryPlace Place) {
  ProcessLock Lock;
  SegmentHeader *Head = File.add(
      SegmentType::Levels, LevelSegment::payloadBytes(Capacity), L.Number);
  if (!Head)
    return nullptr;
  LevelsRecord &R = LevelSegment(Head).record();
  R.Capacity = Capacity;
  R.Keep = Keep;
  R.OfRuns = OfRuns;
  R.Place = Place;
  R.Epoch = Process.Epoch.load(std::memory_order_relaxed);
  File.publish();
  return Head;
}

static void put(Level &To, const Level &New) {
  storeRelaxed(To.EndTicks, New.EndTicks);
  storeRelaxed(To.Held, New.Held);
  storeRelaxed(To.Peak, New.Peak);
  storeRelaxed(To.Site, New.Site);
  storeRelaxed(To.PeakSite, New.PeakSite);
}

/// Empties a ring of a past epoch. One of spans begins with its last level: a
/// reset does not free what is held.
static void restart(LevelSegment Segment, uint32_t Epoch) {
  LevelsRecord &R = Segment.record();
  uint64_t Past = R.Count;
  if (R.Keep == LogKeep::First)
    Past = std::min<uint64_t>(Past, R.Capacity);
  bool HasLast = !R.OfRuns && Past;
  storeRelease(R.Count, uint64_t(0));
  if (HasLast)
    put(Segment.entries()[0], Segment.entries()[(Past - 1) % R.Capacity]);
  storeRelease(R.Epoch, Epoch);
  storeRelease(R.Count, uint64_t(HasLast));
}

static void add(SegmentHeader *Head, const Level &New) {
  LevelSegment Segment(Head);
  LevelsRecord &R = Segment.record();
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  if (R.Epoch != Epoch)
    restart(Segment, Epoch);
  uint64_t Count = R.Count;
  if (R.Keep == LogKeep::Last || Count < R.Capacity)
    put(Segment.entries()[Count % R.Capacity], New);
  storeRelease(R.Count, Count + 1);
}

/// True if the next level of a ring will be in it.
static bool keepsNext(SegmentHeader *Head) {
  const LevelsRecord &R = LevelSegment(Head).record();
  return R.Keep == LogKeep::Last || R.Count < R.Capacity ||
         R.Epoch != Process.Epoch.load(std::memory_order_relaxed);
}

/// Takes what was allocated and freed while no span was open, by whom ever,
/// into the levels of \p L.
static void claimOutside(Lane &L, MemoryPlace Place) {
  std::atomic<int64_t> &Outside = Process.HeldOutside[unsigned(Place)];
  // Most spans end with nothing of it.
  if (Outside.load(std::memory_order_relaxed))
    L.HeldOutside[unsigned(Place)] +=
        Outside.exchange(0, std::memory_order_relaxed);
}

/// Without blocks there is nothing to keep.
static bool isUsed(MemoryPlace Place) {
  return Place == MemoryPlace::Cpu || DeviceMemory::isBooked();
}

void Levels::addEach(Lane &L, SegmentHeader *(&Rings)[MemoryPlaceCount],
                     uint32_t Capacity, LogKeep Keep, bool OfRuns, Slot Site,
                     uint64_t Now) {
  for (MemoryPlace Place : MemoryPlaces) {
    if (!isUsed(Place))
      continue;
    SegmentHeader *&Ring = Rings[unsigned(Place)];
    if (!Ring)
      Ring = make(L, Capacity, Keep, OfRuns, Place);
    if (!Ring)
      continue;
    const MemoryCounters &M = memoryIn(Place);
    int64_t Held = L.HeldElsewhere[unsigned(Place)] + M.held();
    if (!OfRuns && keepsNext(Ring))
      claimOutside(L, Place);
    if (!OfRuns)
      Held += L.HeldOutside[unsigned(Place)] - M.HeldOutside;
    add(Ring, {Now, Held, OfRuns ? uint64_t(M.RunHigh - M.HeldAtRun) : 0, Site,
               OfRuns ? M.RunHighSite : NoSlot});
  }
}

void Levels::runEnded(Lane &L, Slot Site, uint64_t Now) {
  addEach(L, L.RunLevels, RunsCapacity, LogKeep::Last, /*OfRuns=*/true, Site,
          Now);
}

void Levels::addSpan(Lane &L, Slot Site, uint64_t Now) {
  addEach(L, L.SpanLevels, SpanCount, SpanKeep, /*OfRuns=*/false, Site, Now);
}

} // namespace torchprof
