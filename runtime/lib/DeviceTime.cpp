//===- DeviceTime.cpp - how long a device works for spans -----------------===//

#include "DeviceTime.h"

#include "OpenFrames.h"
#include "Options.h"
#include "Process.h"
#include "Warn.h"
#include "torchprof/format/Atomics.h"

#include <cstdlib>

namespace torchprof {

using namespace format;

DeviceTime::DeviceTime(ProfileFile &File, PageSource &Pages,
                       const DeviceApi &Api, const Options &Opts)
    : File(File), Pages(Pages),
      Api(Api), Kept{keepOf(Opts), uint32_t(Opts.TraceEvents)} {}

namespace {
/// What a probe does for a device is part of no span. But in a trace, spans lie
/// where they were: there it is part of those around. The lane's owner makes
/// one.
class ApartTime {
public:
  ApartTime(Lane &L, DeviceQueue &Q) : L(L), Q(Q), Start(clock::ticks()) {}
  ~ApartTime() {
    uint64_t Ticks = clock::ticksBetween(Start, clock::ticks());
    Q.ProbeTicks += Ticks;
    if (!L.Log || L.Log->Keep != LogKeep::None)
      return;
    L.Clock.addApart(Ticks);
    addRelaxed(L.Log->ApartTicks, Ticks);
  }
  /// DeviceQueue::hostAt() of its begin.
  uint64_t host() const { return Q.hostAt(Start); }
  ApartTime(const ApartTime &) = delete;
  ApartTime &operator=(const ApartTime &) = delete;

private:
  Lane &L;
  DeviceQueue &Q;
  const uint64_t Start;
};
} // namespace

static void (*LastHarvest)() = nullptr;

void DeviceTime::harvestAtExitWith(void (*Harvest)()) { LastHarvest = Harvest; }

/// The queue of a lane that has one.
static DeviceQueue *knownQueue(const Lane &L) {
  return L.Device.load(std::memory_order_acquire);
}

DeviceQueue *DeviceTime::queueOf(Lane &L) {
  DeviceQueue *Q = knownQueue(L);
  if (!Q && L.Attached) {
    Q = DeviceQueue::make(File, Pages, Api, L.Number, Kept);
    // After the device's own handlers, since the device is in use: it is called
    // before them.
    static const bool IsRegistered = LastHarvest && atexit(LastHarvest) == 0;
    (void)IsRegistered;
    L.Device.store(Q, std::memory_order_release);
  }
  return Q;
}

/// Forgets the open spans above the first \p Count: exceptions have ended them,
/// or they end on other threads.
void DeviceTime::dropOpen(DeviceQueue &Q, uint32_t Count) {
  while (Q.OpenCount > Count)
    Q.release(Q.Open[--Q.OpenCount].First);
}

void DeviceTime::beginRun(Lane &L) {
  if (!Found.load(std::memory_order_relaxed)) {
    if (!Api.Find()) {
      if (!HasWarned.exchange(true))
        warn(
            "device time is not recorded as long as the process uses no device "
            "whose events can be timed");
      return;
    }
    Found.store(true, std::memory_order_relaxed);
  }
  forgetSpans(L);
}

void DeviceTime::forgetSpans(Lane &L) {
  if (DeviceQueue *Q = knownQueue(L)) {
    DeviceQueue::Holder Lock(*Q);
    // Regions may be open around the run.
    uint32_t Open = Q->OpenCount;
    while (Open &&
           !hasFrame(L, Q->Open[Open - 1].Begin, Q->Open[Open - 1].Site))
      --Open;
    dropOpen(*Q, Open);
  }
}

bool DeviceTime::beginSpan(Lane &L, Slot Site, const Operands &Of) {
  DeviceQueue *Q = Found.load(std::memory_order_relaxed) ? queueOf(L) : nullptr;
  if (!Q)
    return false;
  ApartTime Apart(L, *Q);
  DeviceQueue::Holder Lock(*Q);
  bool IsNode = Of.Stack != nullptr;
  int32_t Device = IsNode ? Api.DeviceOf(Of.Stack, Of.Inputs) : CurrentDevice;
  bool UsesDevice = Device != NoDevice;
  if (!UsesDevice) {
    DeviceQueue::SlotState *State = Q->stateOf(Site);
    if (!State || State->IsElsewhere)
      return false;
    Device = CurrentDevice; // on which its outputs may come to be
  }
  DeviceStream On = Q->newestStream();
  if (!Api.StreamOf(Device, On))
    return false;
  bool WasIdle = Q->followDevice();
  DeviceEvent *First =
      Q->OpenCount == DeviceQueue::MostOpen
          ? nullptr
          : Q->recordEvent(On, Apart.host(), /*EndsSpan=*/false,
                           /*ShareUs=*/WasIdle ? 1 : 2);
  if (!First) {
    count(Counter::LostDeviceSpans);
    return false;
  }
  Q->Open[Q->OpenCount++] = {0,          First,   Of,     Site,
                             Q->Starved, WasIdle, IsNode, UsesDevice};
  return true;
}

void DeviceTime::spanBegan(Lane &L, Slot Site, uint64_t Begin) {
  DeviceQueue *Q = knownQueue(L);
  if (!Q || !Q->OpenCount)
    return;
  OpenDeviceSpan &Top = Q->Open[Q->OpenCount - 1];
  if (Top.Site == Site && !Top.Begin)
    Top.Begin = Begin;
}

bool DeviceTime::usesDevice(const OpenDeviceSpan &Span) const {
  return Span.UsesDevice || !Span.KnowsOperands ||
         (Span.Of.Stack &&
          Api.DeviceOf(Span.Of.Stack, Span.Of.Outputs) != NoDevice);
}

/// Records the event after a span, which becomes pending, at \p Host of
/// DeviceQueue::hostAt().
bool DeviceTime::recordEnd(DeviceQueue &Q, const OpenDeviceSpan &Span,
                           uint64_t Ticks, uint64_t Host, Slot Waiting) {
  DeviceStream On = Span.First->On;
  if (!Api.StreamOf(On.Device, On) || On != Span.First->On)
    return false;
  // What a node shared at its end would lie before its work.
  DeviceEvent *Last = Q.recordEvent(On, Host, /*EndsSpan=*/true,
                                    /*ShareUs=*/Span.KnowsOperands ? 0 : 1);
  if (!Last)
    return false;
  Q.Starved += Span.KnowsOperands && Span.WasIdle;
  Q.push({Span.First,
          Last,
          Span.Begin,
          Ticks,
          Span.Site,
          Process.Epoch.load(std::memory_order_relaxed),
          Q.Starved - Span.Starved,
          uint32_t(Waiting != NoSlot),
          {Waiting}});
  return true;
}

bool DeviceTime::endSpan(Lane &L, Slot Site, uint64_t Begin, uint64_t Ticks,
                         Slot Waiting) {
  DeviceQueue *Q = knownQueue(L);
  if (!Q)
    return false;
  ApartTime Apart(L, *Q);
  DeviceQueue::Holder Lock(*Q);
  Q->HasLast = false;
  uint32_t Place = Q->OpenCount;
  while (Place &&
         (Q->Open[Place - 1].Begin != Begin || Q->Open[Place - 1].Site != Site))
    --Place;
  if (!Place)
    return false;
  dropOpen(*Q, Place);
  OpenDeviceSpan Span = Q->Open[--Q->OpenCount];
  bool IsTimed = usesDevice(Span);
  if (!IsTimed) {
    if (DeviceQueue::SlotState *State = Q->stateOf(Site))
      State->IsElsewhere = true;
  } else if (!recordEnd(*Q, Span, Ticks, Apart.host(), Waiting)) {
    count(Counter::LostDeviceSpans);
    IsTimed = false;
  }
  if (!IsTimed)
    Q->release(Span.First);
  else if (!Q->OpenCount)
    Q->harvest();
  return IsTimed;
}

void DeviceTime::addNested(Lane &L, Slot Outer) {
  DeviceQueue *Q = knownQueue(L);
  if (!Q)
    return;
  DeviceQueue::Holder Lock(*Q);
  PendingDeviceSpan *Span = Q->last();
  if (Span && Span->OuterCount < std::size(Span->Outer))
    Span->Outer[Span->OuterCount++] = Outer;
}

OpenDeviceSpan *DeviceTime::innermost(DeviceQueue &Q, const Lane &L) const {
  if (!Q.OpenCount)
    return nullptr;
  OpenDeviceSpan &Top = Q.Open[Q.OpenCount - 1];
  return Top.Begin == L.CurrentTicks &&
                 Top.Site == format::slotOfCurrent(L.Current)
             ? &Top
             : nullptr;
}

void DeviceTime::tellInputs(Lane &L, const Operands &Inputs) {
  DeviceQueue *Q = knownQueue(L);
  OpenDeviceSpan *Span = Q ? innermost(*Q, L) : nullptr;
  if (!Span)
    return;
  Span->KnowsOperands = true;
  Span->UsesDevice = Api.DeviceOf(Inputs.Stack, Inputs.Inputs) != NoDevice;
}

void DeviceTime::tellOutputs(Lane &L, const Operands &Outputs) {
  DeviceQueue *Q = knownQueue(L);
  OpenDeviceSpan *Span = Q ? innermost(*Q, L) : nullptr;
  if (Span && !Span->UsesDevice)
    Span->UsesDevice = Api.DeviceOf(Outputs.Stack, Outputs.Outputs) != NoDevice;
}

void DeviceTime::harvest(Lane *First) {
  for (Lane *L = First; L; L = L->NextLane)
    if (DeviceQueue *Q = knownQueue(*L)) {
      DeviceQueue::Holder Lock(*Q);
      Q->harvest();
    }
}

void DeviceTime::harvestIfFree(Lane *First) {
  for (Lane *L = First; L; L = L->NextLane)
    if (DeviceQueue *Q = knownQueue(*L))
      Q->harvestIfFree();
}

uint64_t DeviceTime::pending(Lane *First) const {
  uint64_t Sum = 0;
  for (Lane *L = First; L; L = L->NextLane)
    if (DeviceQueue *Q = knownQueue(*L))
      Sum += Q->pendingIfFree();
  return Sum;
}

} // namespace torchprof
