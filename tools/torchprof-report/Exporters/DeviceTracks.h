//===- DeviceTracks.h - what devices did, for trace viewers -----*- C++ -*-===//
//
// A track for each stream that a thread has used, with the device times of
// spans in place: the clock of a stream is laid so that no span begins on the
// device before it began on the host. A node's span on the host and that on the
// device have the number of their arrow, the flow, in common.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_DEVICETRACKS_H
#define TORCHPROF_REPORT_DEVICETRACKS_H

#include "Exporter.h"

#include <unordered_map>

namespace torchprof::report {

struct DeviceTrack {
  std::string Name; ///< "device 0, stream 3 (python3)"
};

struct DeviceTrackSpan {
  uint32_t Site = 0;
  uint32_t Track = 0;              ///< among DeviceTracks::tracks()
  uint64_t BeginNs = 0, EndNs = 0; ///< as in TimelineSpan
  uint64_t Flow = 0;               ///< 0: none
};

class DeviceTracks {
public:
  DeviceTracks() = default;
  /// Of the selected sites of \p In's single profile.
  explicit DeviceTracks(const ExportInput &In);

  llvm::ArrayRef<DeviceTrack> tracks() const { return Tracks; }
  /// Track by track, in the order in which they became known: inner ones
  /// first.
  llvm::ArrayRef<DeviceTrackSpan> spans() const { return Spans; }
  /// The flow of a span on the host; 0 if it has none.
  uint64_t flowOf(uint32_t Lane, uint32_t Site, uint64_t BeginNs) const;

private:
  /// A span of the host.
  struct Key {
    uint32_t Lane, Site;
    uint64_t BeginNs;
    bool operator==(const Key &) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key &K) const;
  };

  void addLane(const ExportInput &In, uint32_t Lane);

  std::vector<DeviceTrack> Tracks;
  std::vector<DeviceTrackSpan> Spans;
  std::unordered_map<Key, uint64_t, KeyHash> Flows;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_DEVICETRACKS_H
