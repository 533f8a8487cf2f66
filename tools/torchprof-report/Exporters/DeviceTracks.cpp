//===- DeviceTracks.cpp - what devices did, for trace viewers -------------===//

#include "DeviceTracks.h"
#include "EndedSpans.h"

#include "llvm/ADT/Hashing.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

size_t DeviceTracks::KeyHash::operator()(const Key &K) const {
  return hash_combine(K.Lane, K.Site, K.BeginNs);
}

uint64_t DeviceTracks::flowOf(uint32_t Lane, uint32_t Site,
                              uint64_t BeginNs) const {
  auto Found = Flows.find({Lane, Site, BeginNs});
  return Found == Flows.end() ? 0 : Found->second;
}

static uint64_t positive(double Ns) {
  return Ns > 0 ? static_cast<uint64_t>(Ns) : 0;
}

/// Lets a span of a stream lie around or beside those that ended before. It
/// does on the device; but its times are rounded, each by itself, and viewers
/// draw what overlaps by a nanosecond wrongly.
static void putInOrder(EndedSpans &Ended, DeviceTrackSpan &Span) {
  Span.EndNs = std::max(Span.EndNs, Ended.takeInside(Span.BeginNs));
  Span.BeginNs = std::max(Span.BeginNs, Ended.lastEnd());
  Span.EndNs = std::max(Span.EndNs, Span.BeginNs);
  Ended.add(Span.BeginNs, Span.EndNs);
}

void DeviceTracks::addLane(const ExportInput &In, uint32_t Lane) {
  const report::Lane &L = In.Single->Lanes[Lane];
  const TickClock &Clock = In.Sites.clock();
  using Stream = std::pair<uint16_t, uint16_t>;
  std::map<Stream, std::vector<const format::DeviceSpan *>> ByStream;
  for (const auto &Ring : L.DeviceSpans)
    for (const format::DeviceSpan &S : Ring.Entries)
      ByStream[{S.Device, S.Stream}].push_back(&S);
  for (const auto &[On, OfStream] : ByStream) {
    double Late = -std::numeric_limits<double>::infinity();
    for (const format::DeviceSpan *S : OfStream)
      Late = std::max(Late, Clock.sinceStart(S->HostTicks) -
                                static_cast<double>(S->BeginNs));
    auto Track = static_cast<uint32_t>(Tracks.size());
    Tracks.push_back({"device " + std::to_string(On.first) + ", stream " +
                      std::to_string(On.second) + " (" + L.name() + ")"});
    EndedSpans Ended;
    for (const format::DeviceSpan *S : OfStream) {
      uint32_t Site = (*In.SlotsOfSingle)[S->Site];
      if (Site == NoIndex || !In.Selected.matches(In.Sites, Site))
        continue;
      double Begin = static_cast<double>(S->BeginNs) + Late;
      DeviceTrackSpan Span = {Site, Track, positive(Begin),
                              positive(Begin + static_cast<double>(S->Ns)), 0};
      putInOrder(Ended, Span);
      if (!In.Sites[Site].isRoot()) {
        Span.Flow = Spans.size() + 1;
        Flows[{Lane, Site, positive(Clock.sinceStart(S->HostTicks))}] =
            Span.Flow;
      }
      Spans.push_back(Span);
    }
  }
}

DeviceTracks::DeviceTracks(const ExportInput &In) {
  for (uint32_t Lane = 0; Lane < In.Single->Lanes.size(); ++Lane)
    addLane(In, Lane);
}
