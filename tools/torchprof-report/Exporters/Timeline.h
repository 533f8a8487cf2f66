//===- Timeline.h - spans in time, for trace viewers ------------*- C++ -*-===//
//
// The spans of a trace, or those of one run made up from mean times. On each
// track spans nest strictly: a span that only overlaps another one of its lane
// (a task that was resumed on another thread) goes to a further track of the
// lane.
//
// Rounding keeps nesting: begins and ends go through one monotonic function.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_TIMELINE_H
#define TORCHPROF_REPORT_TIMELINE_H

#include "DeviceTracks.h"
#include "Exporter.h"

#include "llvm/ADT/STLExtras.h"

namespace torchprof::report {

struct TimelineSpan {
  uint32_t Site = 0;
  uint32_t Track = 0;
  uint64_t BeginNs = 0; ///< since the timeline's start
  uint64_t EndNs = 0;
  uint64_t Flow = 0; ///< that leads to a device, or from a host; 0: none
  bool OnDevice = false;
};

struct TimelineTrack {
  uint32_t Number = 0; ///< from 0
  uint64_t Thread = 0; ///< kernel thread id, 0 if there is none or were several
  std::string Name;
  /// The track whose spans those of this one overlap, that of the lane.
  llvm::Optional<uint32_t> Beside = llvm::None;
};

class Timeline {
public:
  /// Fails without a trace unless \p In asks for a made-up run. Warns of spans
  /// that the trace has not kept.
  static llvm::Expected<Timeline> create(const ExportInput &In);

  llvm::ArrayRef<TimelineTrack> tracks() const { return Tracks; }
  /// CLOCK_REALTIME of the start, ns; 0 if made up.
  uint64_t startRealtimeNs() const { return Start; }

  /// Visits all selected spans: lane by lane, and within a lane in the order of
  /// their ends; then those of devices, track by track in the same order.
  /// Memory does not grow with the number of the hosts' spans.
  void forEach(llvm::function_ref<void(const TimelineSpan &)> Visit) const;

private:
  explicit Timeline(const ExportInput &In) : In(&In) {}
  void addLane(const Lane &L);
  /// Sites to lay out behind each other in a run that is made up.
  struct RunPlan;
  void makeUp();
  uint64_t layOut(uint32_t Site, uint32_t Track, uint64_t Begin, RunPlan &Plan);
  void visitLane(uint32_t Lane,
                 llvm::function_ref<void(const TimelineSpan &)> Visit) const;

  const ExportInput *In;
  std::vector<TimelineTrack> Tracks;
  uint64_t Start = 0;
  std::vector<TimelineSpan> MadeUp;
  DeviceTracks Devices;
  std::vector<uint32_t> FirstTracks; ///< by lane
  uint32_t FirstDeviceTrack = 0;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_TIMELINE_H
