//===- DeviceQueue.h - spans that a device has not finished -----*- C++ -*-===//
//
// A lane's spans whose device time is not known yet, in the order of their
// ends, and the events that they wait for. Whoever holds the queue's lock may
// look which events were reached, and book their spans: the lane's owner does
// so at later probes, and others when a profile is read. Nobody waits.
//
// The queue is bounded. It lies in pages that are shared with nobody; a forked
// child finds no queue in its lanes and makes its own.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_DEVICEQUEUE_H
#define TORCHPROF_DEVICEQUEUE_H

#include "DeviceApi.h"
#include "Operands.h"
#include "torchprof/format/LogRecord.h"
#include "torchprof/format/Measure.h"
#include "torchprof/format/Records.h"

#include <cstdint>
#include <pthread.h>

namespace torchprof {

class PageSource;
class ProfileFile;

/// An event, shared by the spans that begin or end with it.
struct DeviceEvent {
  void *Native;
  DeviceStream On;
  uint64_t Host;   ///< DeviceQueue::hostAt() of the probe that recorded it
  uint64_t Number; ///< of the queue's recordings, in their order
  uint32_t Users;  ///< spans, and the queue if it is the newest
  bool EndsSpan;
  DeviceEvent *NextFree;
};

/// A span that is open on the host.
struct OpenDeviceSpan {
  uint64_t Begin; ///< 0 until it is known
  DeviceEvent *First;
  Operands Of;
  format::Slot Site;
  uint32_t Starved;   ///< the queue's, at its begin
  bool WasIdle;       ///< the device had reached all that was recorded
  bool KnowsOperands; ///< it is a node, and UsesDevice says where they are
  bool UsesDevice;
};

/// A span that has ended on the host.
struct PendingDeviceSpan {
  DeviceEvent *First, *Last;
  uint64_t Begin; ///< on the host
  uint64_t HostTicks;
  format::Slot Site;
  uint32_t Epoch;
  uint32_t Starved;
  uint32_t OuterCount;
  format::Slot Outer[4]; ///< spans around it whose nested time it is part of
};

class DeviceQueue {
public:
  /// What a lane knows of a slot.
  struct SlotState {
    format::MeasureCell *Data;
    bool IsElsewhere; ///< its node has had nothing on a device
  };

  /// Spans that may be open, and pending.
  static constexpr uint32_t MostOpen = 1024, MostPending = 4096;
  static constexpr int32_t MostDevices = 64;

  /// Which spans are kept one by one, and how many.
  struct Trace {
    format::LogKeep Keep;
    uint32_t Capacity;
  };

  /// A queue in zero pages, for lane number \p Lane; null without memory.
  static DeviceQueue *make(ProfileFile &File, PageSource &Pages,
                           const DeviceApi &Api, uint32_t Lane, Trace ToKeep);

  /// Holds the queue's lock, which everything below asks for.
  class Holder {
  public:
    explicit Holder(DeviceQueue &Q) : Q(Q) { pthread_mutex_lock(&Q.Mutex); }
    ~Holder() { pthread_mutex_unlock(&Q.Mutex); }
    Holder(const Holder &) = delete;
    Holder &operator=(const Holder &) = delete;

  private:
    DeviceQueue &Q;
  };

  /// Number of spans that are pending, 0 if somebody holds the lock. Does not
  /// ask for it.
  uint64_t pendingIfFree();

  /// What the host's clock shows at the begin \p Start of a probe, less what
  /// probes for devices took before: between two of them, what the host took.
  uint64_t hostAt(uint64_t Start) const { return Start - ProbeTicks; }

  /// Records an event at \p Host of hostAt(). Takes the newest one instead if
  /// that is recorded on the same stream, less than \p ShareUs microseconds of
  /// the host's ago, and, where a span ends, by the end of one. Null if it
  /// fails.
  ///
  /// What gives work to a device takes the host more than two microseconds. One
  /// that is behind then goes on from event to event at once; one that waits
  /// does so as long as the host.
  DeviceEvent *recordEvent(const DeviceStream &On, uint64_t Host, bool EndsSpan,
                           uint32_t ShareUs);
  void release(DeviceEvent *E);

  /// The stream of the newest event, or none.
  DeviceStream newestStream() const {
    return Newest ? Newest->On : DeviceStream();
  }

  /// Books the spans whose end was reached.
  void harvest();
  /// The same if nobody holds the lock. Does not ask for it.
  void harvestIfFree();
  /// Books some of them, for a probe: more than come to be meanwhile. True if
  /// the device has reached the last event that a span waits for.
  bool followDevice();

  /// Drops all that is pending.
  void forget();

  /// Adds a span and takes over its events. Counts it as lost without room.
  void push(const PendingDeviceSpan &Span);
  /// The span that ended last, if it is pending.
  PendingDeviceSpan *last();

  /// What is known of a slot; null without memory.
  SlotState *stateOf(format::Slot Site);

  OpenDeviceSpan Open[MostOpen];
  uint32_t OpenCount;
  bool HasLast;        ///< the span that ended last is pending
  uint32_t Starved;    ///< nodes that began when the device had nothing to do
  uint64_t ProbeTicks; ///< that probes for devices took

private:
  /// A stream whose clock the spans of the trace go by.
  struct StreamClock {
    DeviceEvent *Base; ///< of the stream; null: unused
    uint64_t BaseNs;   ///< what the clock showed then
  };
  static constexpr uint32_t MostStreams = 64;

  /// While one lives, events may be asked.
  class Asking {
  public:
    explicit Asking(const DeviceApi &Api) : Api(Api), Was(Api.BeginAsking()) {}
    ~Asking() { Api.EndAsking(Was); }
    Asking(const Asking &) = delete;
    Asking &operator=(const Asking &) = delete;

  private:
    const DeviceApi &Api;
    int Was;
  };

  EventState stateOf(const DeviceEvent &E);
  void bookReached(uint32_t Most);
  void book(const PendingDeviceSpan &Span);
  void keep(const PendingDeviceSpan &Span, uint64_t Ns);
  StreamClock *clockOf(DeviceEvent &E);
  double nsFrom(const DeviceEvent &From, const DeviceEvent &To);
  format::SegmentHeader *newTrace();
  /// The cell of a slot, of this epoch; null if none can be had.
  format::MeasureCell *cellOf(format::Slot Site);
  DeviceEvent *freeEvent(int32_t Device);

  pthread_mutex_t Mutex;
  ProfileFile *File;
  PageSource *Pages;
  const DeviceApi *Api;
  uint64_t TicksPerUs;
  DeviceEvent *Newest;
  uint64_t Recorded; ///< number of recordings
  /// The newest event that is known to be reached: those before it on its
  /// stream are, too.
  DeviceStream ReachedOn;
  uint64_t Reached;
  DeviceEvent *Free[MostDevices];
  DeviceEvent *Spare, *EndOfSpare; ///< room for more, up to the next
  SlotState *Slots;
  uint32_t SlotCount;
  uint32_t LaneNumber;
  format::SegmentHeader *Cells; ///< segment that has room, or null
  Trace Kept;
  format::SegmentHeader *Traced;
  StreamClock Streams[MostStreams];
  uint64_t Head, Tail;
  PendingDeviceSpan Pending[MostPending];
};

} // namespace torchprof

#endif // TORCHPROF_DEVICEQUEUE_H
