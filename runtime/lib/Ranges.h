//===- Ranges.h - spans as ranges of other tools ----------------*- C++ -*-===//
//
// TORCHPROF_ANNOTATE names tools that are told of each span, so that their own
// timelines and traces show nodes: NVTX for Nsight Systems, ITT for VTune, USDT
// probes for perf and bpftrace. A tool is a RangeMarker.
//
// Ranges of a thread nest. Those that an exception leaves open are ended with
// the span around them, or when the thread's next run begins.
//
// Called by the thread whose spans they are.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_RANGES_H
#define TORCHPROF_RANGES_H

#include "torchprof/format/Site.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace torchprof {

struct Lane;
struct Options;

/// Tells one tool. None of the functions may throw.
struct RangeMarker {
  const char *Word; ///< of TORCHPROF_ANNOTATE
  /// True if the tool's library is there.
  bool (*Find)();
  /// A range begins or ends on the calling thread. \p Name lives as long as the
  /// process.
  void (*Begin)(const char *Name, format::Slot Site);
  void (*End)(const char *Name, format::Slot Site);
};

/// Offers a marker, which lives as long as the process. Before recording.
void addRangeMarker(const RangeMarker *Marker);

class Ranges {
public:
  /// The markers that the options ask for; null if there is none. Warns of
  /// those that cannot be had.
  static std::unique_ptr<Ranges> make(const Options &Opts);

  /// Ends the ranges of spans that have no frame any more on the calling
  /// thread, whose lane is \p L.
  void forgetSpans(Lane &L);

  /// Begins the range of a span. False without memory.
  bool beginSpan(format::Slot Site);
  /// Tells the first tick of a span for which beginSpan() was true.
  void spanBegan(format::Slot Site, uint64_t Begin);
  /// Ends the range of a span, if it has one.
  void endSpan(format::Slot Site, uint64_t Begin);

private:
  void endDownTo(uint32_t Count);

  std::vector<const RangeMarker *> Markers;
};

} // namespace torchprof

#endif // TORCHPROF_RANGES_H
