//===- DeviceTime.h - how long a device works for spans ---------*- C++ -*-===//
//
// Work that a host gives to a device runs later, in the order of its stream. An
// event is recorded into the stream at a span's begin and another at its end;
// the device stamps them when it comes to them, and what lies between is the
// span's device time. It holds what the device did for the span and what it
// waited for the host meanwhile, but no work of before. Nobody waits for the
// device: see DeviceQueue.h.
//
// A node is starved if the device had reached all that its thread had recorded
// when it began: from there on the device waits for the host.
//
// The functions are called by the lane's owner but for harvest().
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_DEVICETIME_H
#define TORCHPROF_DEVICETIME_H

#include "DeviceQueue.h"
#include "Lane.h"

namespace torchprof {

class DeviceTime {
public:
  DeviceTime(ProfileFile &File, PageSource &Pages, const DeviceApi &Api,
             const Options &Opts);

  /// An outermost run begins on the lane.
  void beginRun(Lane &L);
  /// Forgets open spans that have no frame any more.
  void forgetSpans(Lane &L);

  /// Records the event before a span. \p Of: a node's operands, if they are
  /// known. False if the span is not timed.
  bool beginSpan(Lane &L, format::Slot Site, const Operands &Of);
  /// Tells the first tick of a span for which beginSpan() was true.
  void spanBegan(Lane &L, format::Slot Site, uint64_t Begin);
  /// Records the event after a span. False if it is not timed. Its time is
  /// nested in \p Waiting, a span of another thread, if that is one.
  bool endSpan(Lane &L, format::Slot Site, uint64_t Begin, uint64_t Ticks,
               format::Slot Waiting);
  /// Lets the time of the span that ended last be nested in \p Outer.
  void addNested(Lane &L, format::Slot Outer);

  /// What the framework says of a node whose operands were not known, if it is
  /// the innermost open span: where its inputs are before it runs, its outputs
  /// afterwards.
  void tellInputs(Lane &L, const Operands &Inputs);
  void tellOutputs(Lane &L, const Operands &Outputs);

  /// Books what the devices have finished, of all lanes from \p First on. Any
  /// thread that holds no lock.
  void harvest(Lane *First);
  /// Names what the process is to call at its end, once a device was in use.
  static void harvestAtExitWith(void (*Harvest)());
  /// The same as harvest(), of queues that nobody holds, and waits for nobody:
  /// exit() may have interrupted who holds a lock.
  void harvestIfFree(Lane *First);
  /// Number of spans of these lanes that are not booked yet. Waits for nobody
  /// either.
  uint64_t pending(Lane *First) const;

private:
  DeviceQueue *queueOf(Lane &L);
  bool usesDevice(const OpenDeviceSpan &Span) const;
  OpenDeviceSpan *innermost(DeviceQueue &Q, const Lane &L) const;
  bool recordEnd(DeviceQueue &Q, const OpenDeviceSpan &Span, uint64_t Ticks,
                 uint64_t Host, format::Slot Waiting);
  void dropOpen(DeviceQueue &Q, uint32_t Count);

  ProfileFile &File;
  PageSource &Pages;
  const DeviceApi &Api;
  DeviceQueue::Trace Kept;
  std::atomic<bool> Found = false;
  std::atomic<bool> HasWarned = false;
};

} // namespace torchprof

#endif // TORCHPROF_DEVICETIME_H
