//===- DeviceQueue.cpp - spans that a device has not finished -------------===//

#include "DeviceQueue.h"

#include "Clock.h"
#include "MeasureCells.h"
#include "Pages.h"
#include "Process.h"
#include "ProfileFile.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <algorithm>
#include <cstring>

namespace torchprof {

using namespace format;

DeviceQueue *DeviceQueue::make(ProfileFile &File, PageSource &Pages,
                               const DeviceApi &Api, uint32_t Lane,
                               Trace ToKeep) {
  // Zero pages are a queue but for what follows.
  auto *Q = static_cast<DeviceQueue *>(Pages.plain(sizeof(DeviceQueue)));
  if (!Q)
    return nullptr;
  pthread_mutex_init(&Q->Mutex, nullptr);
  Q->File = &File;
  Q->Pages = &Pages;
  Q->Api = &Api;
  Q->LaneNumber = Lane;
  Q->Kept = ToKeep;
  Q->TicksPerUs = clock::nominalTicksPerSecond() / 1'000'000;
  return Q;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

DeviceEvent *DeviceQueue::freeEvent(int32_t Device) {
  if (Device < 0 || Device >= MostDevices)
    return nullptr;
  if (DeviceEvent *E = Free[Device]) {
    Free[Device] = E->NextFree;
    return E;
  }
  if (Spare == EndOfSpare) {
    auto *More = static_cast<DeviceEvent *>(Pages->plain(PageBytes));
    if (!More)
      return nullptr;
    Spare = More;
    EndOfSpare = More + PageBytes / sizeof(DeviceEvent);
  }
  return Spare++;
}

void DeviceQueue::release(DeviceEvent *E) {
  if (E && --E->Users == 0) {
    E->NextFree = Free[E->On.Device];
    Free[E->On.Device] = E;
  }
}

DeviceEvent *DeviceQueue::recordEvent(const DeviceStream &On, uint64_t Host,
                                      bool EndsSpan, uint32_t ShareUs) {
  if (Newest && Newest->On == On && (Newest->EndsSpan || !EndsSpan) &&
      Host - Newest->Host < ShareUs * TicksPerUs) {
    ++Newest->Users;
    return Newest;
  }
  DeviceEvent *E = freeEvent(On.Device);
  if (!E)
    return nullptr;
  E->On = On;
  E->EndsSpan = EndsSpan;
  E->Number = ++Recorded;
  E->Users = 1;
  if (!Api->Record(E->Native, On)) {
    release(E);
    return nullptr;
  }
  E->Host = Host;
  release(Newest);
  Newest = E;
  ++E->Users;
  return E;
}

//===----------------------------------------------------------------------===//
// Spans
//===----------------------------------------------------------------------===//

DeviceQueue::SlotState *DeviceQueue::stateOf(Slot Site) {
  uint32_t Number = number(Site);
  if (Number >= SlotCount) {
    uint32_t NewCount = std::max<uint32_t>(
        {Number + 1, SlotCount * 2, uint32_t(PageBytes / sizeof(SlotState))});
    auto *New = static_cast<SlotState *>(
        Pages->plain(uint64_t(NewCount) * sizeof(SlotState)));
    if (!New)
      return nullptr;
    if (Slots) {
      std::memcpy(New, Slots, uint64_t(SlotCount) * sizeof(SlotState));
      Pages->free(Slots, uint64_t(SlotCount) * sizeof(SlotState));
    }
    Slots = New;
    SlotCount = NewCount;
  }
  return &Slots[Number];
}

uint64_t DeviceQueue::pendingIfFree() {
  if (pthread_mutex_trylock(&Mutex) != 0)
    return 0;
  uint64_t Number = Tail - Head;
  pthread_mutex_unlock(&Mutex);
  return Number;
}

void DeviceQueue::push(const PendingDeviceSpan &Span) {
  if (Tail - Head == MostPending) {
    count(Counter::LostDeviceSpans);
    release(Span.First);
    release(Span.Last);
    return;
  }
  Pending[Tail++ % MostPending] = Span;
  HasLast = true;
}

void DeviceQueue::forget() {
  for (; Head != Tail; ++Head) {
    const PendingDeviceSpan &Span = Pending[Head % MostPending];
    release(Span.First);
    release(Span.Last);
  }
  HasLast = false;
}

PendingDeviceSpan *DeviceQueue::last() {
  return Head == Tail || !HasLast ? nullptr
                                  : &Pending[(Tail - 1) % MostPending];
}

using DeviceGroup = MeasureGroup<MeasureId::Device, MeasureId::Starved>;

MeasureCell *DeviceQueue::cellOf(Slot Site) {
  SlotState *Of = stateOf(Site);
  return Of ? DeviceGroup::cellOf(Of->Data, *File, LaneNumber, Site, Cells)
            : nullptr;
}

void DeviceQueue::book(const PendingDeviceSpan &Span) {
  if (Span.Epoch != Process.Epoch.load(std::memory_order_relaxed))
    return; // a reset lies between
  double Ns = Api->NsBetween(Span.First->Native, Span.Last->Native,
                             Span.Last->On.Device);
  MeasureCell *Cell = Ns < 0 ? nullptr : cellOf(Span.Site);
  if (!Cell)
    return count(Counter::LostDeviceSpans);
  auto Value = uint64_t(Ns);
  const uint64_t Values[] = {Value, Span.Starved};
  DeviceGroup::add(*Cell, Values, Span.HostTicks);
  for (uint32_t I = 0; I < Span.OuterCount; ++I)
    if (MeasureCell *Outer = cellOf(Span.Outer[I]))
      DeviceGroup::addNested(*Outer, Values);
  if (Kept.Keep != LogKeep::None)
    keep(Span, Value);
}

//===----------------------------------------------------------------------===//
// Trace
//===----------------------------------------------------------------------===//

/// The clock of an event's stream; null beyond the bound.
DeviceQueue::StreamClock *DeviceQueue::clockOf(DeviceEvent &E) {
  // Spans become known in the order of their ends: others begin before the
  // first one.
  constexpr uint64_t LongBefore = uint64_t(1) << 40;
  for (StreamClock &C : Streams) {
    if (!C.Base) {
      ++E.Users;
      C = {&E, LongBefore};
    }
    if (C.Base->On == E.On)
      return &C;
  }
  return nullptr;
}

static void addTo(SegmentHeader *Head, const DeviceSpan &New) {
  SegmentOf<SegmentType::DeviceSpans> Segment(Head);
  DeviceSpansRecord &R = Segment.record();
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  if (R.Epoch != Epoch) {
    storeRelease(R.Count, uint64_t(0));
    storeRelease(R.Epoch, Epoch);
  }
  if (R.Keep == LogKeep::Last || R.Count < R.Capacity) {
    DeviceSpan &S = Segment.entries()[R.Count % R.Capacity];
    storeRelaxed(S.HostTicks, New.HostTicks);
    storeRelaxed(S.BeginNs, New.BeginNs);
    storeRelaxed(S.Ns, New.Ns);
    storeRelaxed(S.Site, New.Site);
    storeRelaxed(S.Device, New.Device);
    storeRelaxed(S.Stream, New.Stream);
  }
  storeRelease(R.Count, R.Count + 1);
}

/// Time from one event of a stream to another, which may come before it.
double DeviceQueue::nsFrom(const DeviceEvent &From, const DeviceEvent &To) {
  if (&From == &To)
    return 0;
  if (From.Number <= To.Number)
    return Api->NsBetween(From.Native, To.Native, To.On.Device);
  double Ns = Api->NsBetween(To.Native, From.Native, To.On.Device);
  return Ns < 0 ? Ns : -Ns;
}

SegmentHeader *DeviceQueue::newTrace() {
  ProcessLock Lock;
  using TraceSegment = SegmentOf<SegmentType::DeviceSpans>;
  SegmentHeader *Head =
      File->add(SegmentType::DeviceSpans,
                TraceSegment::payloadBytes(Kept.Capacity), LaneNumber);
  if (!Head)
    return nullptr;
  DeviceSpansRecord &R = TraceSegment(Head).record();
  R.Capacity = Kept.Capacity;
  R.Keep = Kept.Keep;
  R.Epoch = Process.Epoch.load(std::memory_order_relaxed);
  File->publish();
  return Head;
}

void DeviceQueue::keep(const PendingDeviceSpan &Span, uint64_t Ns) {
  StreamClock *Clock = clockOf(*Span.First);
  if (!Traced)
    Traced = newTrace();
  if (!Clock || !Traced)
    return count(Counter::LostDeviceSpans);
  uint64_t BeginNs =
      Clock->BaseNs + uint64_t(int64_t(nsFrom(*Clock->Base, *Span.First)));
  // Devices tell long times less exactly.
  constexpr uint64_t LongestNs = 1'000'000'000;
  if (BeginNs > Clock->BaseNs + LongestNs) {
    release(Clock->Base);
    ++Span.First->Users;
    *Clock = {Span.First, BeginNs};
  }
  addTo(Traced,
        {Span.Begin, BeginNs, Ns, Span.Site, uint16_t(Span.First->On.Device),
         uint16_t(Span.First->On.Number)});
}

//===----------------------------------------------------------------------===//
// What was reached
//===----------------------------------------------------------------------===//

EventState DeviceQueue::stateOf(const DeviceEvent &E) {
  if (E.On == ReachedOn && E.Number <= Reached)
    return EventState::Reached;
  EventState State = Api->StateOf(E.Native);
  if (State == EventState::Reached) {
    ReachedOn = E.On;
    Reached = E.Number;
  }
  return State;
}

void DeviceQueue::bookReached(uint32_t Most) {
  for (; Head != Tail && Most; --Most, ++Head) {
    const PendingDeviceSpan &Span = Pending[Head % MostPending];
    switch (stateOf(*Span.Last)) {
    case EventState::Waits:
      return;
    case EventState::Reached:
      book(Span);
      break;
    case EventState::Failed:
      count(Counter::LostDeviceSpans);
      break;
    }
    release(Span.First);
    release(Span.Last);
  }
  if (Head == Tail)
    Head = Tail = 0; // the next spans meet places that are in the cache
}

bool DeviceQueue::followDevice() {
  constexpr uint32_t Batch = 16;
  if (Head == Tail)
    return true;
  Asking Ask(*Api);
  const DeviceEvent &Last = *Pending[(Tail - 1) % MostPending].Last;
  bool HasReached = stateOf(Last) == EventState::Reached;
  // A device that is behind is asked once for many.
  if (HasReached || (Tail - Head > 2 * Batch &&
                     stateOf(*Pending[(Head + Batch) % MostPending].Last) ==
                         EventState::Reached))
    bookReached(Batch);
  return HasReached;
}

void DeviceQueue::harvest() {
  if (Head == Tail)
    return;
  Asking Ask(*Api);
  stateOf(*Pending[(Tail - 1) % MostPending].Last);
  bookReached(MostPending);
}

void DeviceQueue::harvestIfFree() {
  if (pthread_mutex_trylock(&Mutex) != 0)
    return;
  harvest();
  pthread_mutex_unlock(&Mutex);
}

} // namespace torchprof
