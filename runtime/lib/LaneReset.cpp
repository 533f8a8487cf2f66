//===- LaneReset.cpp - one thread's part of a profile is emptied ----------===//
//
// Cells and rings say of which epoch they are. Those of a lane are made a past
// epoch's: for readers they are empty then, but for the last level of spans
// (Level.h), and whoever adds to one next empties it first. Rings of runs have
// no epoch but their cells', which plans do not look at when they count runs:
// these rings are emptied at once.
//
//===----------------------------------------------------------------------===//

#include "LaneReset.h"

#include "Clock.h"
#include "DeviceQueue.h"
#include "LogPages.h"
#include "Process.h"
#include "ProfileFile.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace torchprof {

using namespace format;

template <SegmentType Type>
static void leaveCells(SegmentHeader *Head, uint32_t Past) {
  SegmentOf<Type> Segment(Head);
  for (uint32_t I = 0; I < Segment.record().Used; ++I)
    storeRelease(Segment.entries()[I].Epoch, Past);
}

static void leaveSegment(SegmentHeader *Head, uint32_t Past) {
  switch (Head->Type) {
  case SegmentType::Cells:
    return leaveCells<SegmentType::Cells>(Head, Past);
  case SegmentType::Measures:
    return leaveCells<SegmentType::Measures>(Head, Past);
  case SegmentType::Variants:
    return leaveCells<SegmentType::Variants>(Head, Past);
  case SegmentType::Runs:
    return storeRelease(SegmentOf<SegmentType::Runs>(Head).record().Count, 0);
  case SegmentType::Levels:
    return storeRelease(SegmentOf<SegmentType::Levels>(Head).record().Epoch,
                        Past);
  case SegmentType::DeviceSpans:
    return storeRelease(
        SegmentOf<SegmentType::DeviceSpans>(Head).record().Epoch, Past);
  default: // no lane's, or has no epoch
    return;
  }
}

/// Plans that the thread has made belong to runs that are not counted any more:
/// readers leave them out.
static void leavePlans(SegmentHeader *Head, uint32_t Thread) {
  SegmentOf<SegmentType::Plans> Plans(Head);
  for (uint32_t I = 0; I < Plans.record().Used; ++I)
    if (PlanEvent &E = Plans.entries()[I]; E.Thread == Thread)
      storeRelaxed(E.Flags, E.Flags | PF_Emptied);
}

static void leaveEpoch(const ProfileFile &File, const Lane &L, uint32_t Past) {
  auto Thread = uint32_t(syscall(SYS_gettid));
  ProcessLock Lock;
  for (const ProfileFile::Segment &S : File.segments())
    if (S.Head->Type == SegmentType::Plans) // of all lanes
      leavePlans(S.Head, Thread);
    else if (S.Head->Lane == L.Number)
      leaveSegment(S.Head, Past);
}

/// Lets the spans that are open now end on the cold path, which cuts them.
static void closeGate(std::atomic<uint64_t> &Gate) {
  uint64_t Since = Gate.load(std::memory_order_relaxed);
  // Another thread may shut it meanwhile, or has opened it anew.
  if (Since != GateShut)
    Gate.compare_exchange_strong(Since, 0, std::memory_order_relaxed);
}

void emptyLane(const ProfileFile &File, Lane &L) {
  ProcessLock ForTheTurn;
  CopyTurn Turn;
  ProcessUnlock Meanwhile; // the lane's lock comes before it
  uint32_t Epoch = Process.Epoch.load(std::memory_order_acquire);
  emptyLog(L, Epoch);
  // What was recorded may have begun at the present tick.
  uint64_t Since = clock::fencedTicks() + 1;
  storeRelaxed(L.Emptied, Since);
  Process.LastEmptied.store(Since, std::memory_order_release);
  closeGate(L.Since);
  closeGate(L.MeasuredSince);
  FoldLock Lock(L);
  DeviceQueue *Devices = L.Device.load(std::memory_order_acquire);
  if (!Devices)
    return leaveEpoch(File, L, Epoch - 1);
  DeviceQueue::Holder Holder(*Devices);
  Devices->forget();
  leaveEpoch(File, L, Epoch - 1);
}

} // namespace torchprof
