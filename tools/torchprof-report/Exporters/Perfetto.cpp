//===- Perfetto.cpp - trace protobuf for Perfetto -------------------------===//
//
// Track events: a track per thread, with the kernel's id of it, slices with
// interned names and their place in the source. The viewer sorts by time and
// keeps the order of equal times, so the slices of one outermost span are
// written together, outer ones first.
// https://perfetto.dev/docs/reference/trace-packet-proto
//
//===----------------------------------------------------------------------===//

#include "HeldMemory.h"
#include "Timeline.h"

#include <protozero/pbf_writer.hpp>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace perfetto_export {

namespace {

// Field numbers of perfetto_trace.proto.
namespace packet {
enum {
  Timestamp = 8,
  SequenceId = 10,
  TrackEvent = 11,
  InternedData = 12,
  SequenceFlags = 13,
  TrackDescriptor = 60
};
} // namespace packet
enum { TracePacket = 1 };
enum { StateCleared = 1, NeedsState = 2 };
enum { SliceBegin = 1, SliceEnd = 2, CounterValue = 4 };

// Slices of one outermost span that are held back to be sorted; beyond that
// they are written as they come, right but for the order of equal times.
constexpr size_t MaxHeld = 1 << 20;

class PerfettoWriter {
public:
  PerfettoWriter(const ExportInput &In, raw_ostream &OS) : In(In), OS(OS) {}
  void write(const Timeline &T);

private:
  void packet(StringRef Message);
  void describe(const TimelineTrack &Track);
  void slice(const TimelineSpan &Span);
  void sliceEnd(const TimelineSpan &Span);
  void intern();
  void heldMemory(format::MemoryPlace Place);
  void flush(std::vector<TimelineSpan> &Spans);
  uint64_t uuid(uint32_t Track) const { return uint64_t(Track) + 2; }

  const ExportInput &In;
  raw_ostream &OS;
};

} // namespace

static constexpr uint32_t Sequence = 1;
static constexpr uint64_t ProcessUuid = 1;
static constexpr uint64_t MemoryUuid = uint64_t(1) << 40; // above all tracks

void PerfettoWriter::packet(StringRef Message) {
  std::string Framed;
  protozero::pbf_writer(Framed).add_message(TracePacket, Message.data(),
                                            Message.size());
  OS << Framed;
}

void PerfettoWriter::describe(const TimelineTrack &Track) {
  std::string Message;
  {
    protozero::pbf_writer Packet(Message);
    protozero::pbf_writer Descriptor(Packet, packet::TrackDescriptor);
    Descriptor.add_uint64(1, uuid(Track.Number));
    Descriptor.add_string(2, Track.Name);
    uint32_t Pid = In.Single ? In.Single->Process.Pid : 0;
    // Only one track can be the thread's; others lie below it.
    if (!Track.Beside && Pid && Track.Thread && Track.Thread <= INT32_MAX) {
      protozero::pbf_writer Thread(Descriptor, 4);
      Thread.add_int32(1, static_cast<int32_t>(Pid));
      Thread.add_int32(2, static_cast<int32_t>(Track.Thread));
      Thread.add_string(5, Track.Name);
    }
    Descriptor.add_uint64(5, Track.Beside ? uuid(*Track.Beside) : ProcessUuid);
  }
  packet(Message);
}

/// Names, categories and source locations of all sites, by site number + 1.
void PerfettoWriter::intern() {
  const SiteTable &Sites = In.Sites;
  std::string Message;
  {
    protozero::pbf_writer Packet(Message);
    Packet.add_uint32(packet::SequenceId, Sequence);
    Packet.add_uint32(packet::SequenceFlags, StateCleared);
    protozero::pbf_writer Data(Packet, packet::InternedData);
    auto Entry = [&](unsigned Field, uint64_t Id, StringRef Name) {
      protozero::pbf_writer Out(Data, Field);
      Out.add_uint64(1, Id);
      Out.add_string(2, Name.data(), Name.size());
    };
    Entry(/*event_categories=*/1, 1, "cpu_op");
    Entry(1, 2, "user_annotation");
    Entry(1, 3, "gpu_user_annotation");
    for (uint32_t S = 0; S < Sites.size(); ++S) {
      Entry(/*event_names=*/2, S + 1, Sites.label(S));
    }
    Entry(/*debug_annotation_names=*/3, 1, "module");
    Entry(3, 2, "output");
    for (uint32_t S = 0; S < Sites.size(); ++S) {
      std::vector<Frame> Frames = Sites.frames(S);
      if (Frames.empty() || Frames.front().File.empty())
        continue;
      protozero::pbf_writer Out(Data, /*source_locations=*/4);
      Out.add_uint64(1, S + 1);
      Out.add_string(2, Frames.front().File);
      Out.add_string(3, Frames.front().Function);
      Out.add_uint32(4, Frames.front().Line);
    }
  }
  packet(Message);
}

void PerfettoWriter::slice(const TimelineSpan &Span) {
  const SiteTable &Sites = In.Sites;
  std::string Message;
  {
    protozero::pbf_writer Packet(Message);
    Packet.add_uint64(packet::Timestamp, Span.BeginNs);
    Packet.add_uint32(packet::SequenceId, Sequence);
    Packet.add_uint32(packet::SequenceFlags, NeedsState);
    protozero::pbf_writer Event(Packet, packet::TrackEvent);
    Event.add_uint64(/*category_iids=*/3, Span.OnDevice                 ? 3
                                          : Sites[Span.Site].isRegion() ? 2
                                                                        : 1);
    auto Annotate = [&](uint64_t Name, StringRef Text) {
      if (Text.empty())
        return;
      protozero::pbf_writer Out(Event, /*debug_annotations=*/4);
      Out.add_uint64(1, Name);
      Out.add_string(6, Text.data(), Text.size());
    };
    Annotate(1, Sites.modulePath(Span.Site));
    Annotate(2, Sites.name(Sites.nodeOf(Span.Site)));
    Event.add_int32(/*type=*/9, SliceBegin);
    Event.add_uint64(/*name_iid=*/10, Span.Site + 1);
    Event.add_uint64(/*track_uuid=*/11, uuid(Span.Track));
    std::vector<Frame> Frames = Sites.frames(Span.Site);
    if (!Frames.empty() && !Frames.front().File.empty())
      Event.add_uint64(/*source_location_iid=*/34, Span.Site + 1);
    if (Span.Flow)
      Event.add_fixed64(/*flow_ids=*/47, Span.Flow);
  }
  packet(Message);
}

void PerfettoWriter::sliceEnd(const TimelineSpan &Span) {
  std::string Message;
  {
    protozero::pbf_writer Packet(Message);
    Packet.add_uint64(packet::Timestamp, Span.EndNs);
    Packet.add_uint32(packet::SequenceId, Sequence);
    Packet.add_uint32(packet::SequenceFlags, NeedsState);
    protozero::pbf_writer Event(Packet, packet::TrackEvent);
    Event.add_int32(9, SliceEnd);
    Event.add_uint64(11, uuid(Span.Track));
  }
  packet(Message);
}

/// Writes strictly nested spans of one track as begins and ends, in order.
void PerfettoWriter::flush(std::vector<TimelineSpan> &Spans) {
  // They came in the order of their ends, inner ones first: reversed, an outer
  // one precedes an inner one with the same times.
  std::reverse(Spans.begin(), Spans.end());
  stable_sort(Spans, [](const TimelineSpan &A, const TimelineSpan &B) {
    if (A.BeginNs != B.BeginNs)
      return A.BeginNs < B.BeginNs;
    return A.EndNs > B.EndNs;
  });
  std::vector<TimelineSpan> Open;
  for (const TimelineSpan &Span : Spans) {
    while (!Open.empty() && Open.back().EndNs <= Span.BeginNs) {
      // A span of no length inside one that ends now is still inside.
      if (Open.back().EndNs == Span.EndNs && Open.back().BeginNs < Span.BeginNs)
        break;
      sliceEnd(Open.back());
      Open.pop_back();
    }
    slice(Span);
    Open.push_back(Span);
  }
  while (!Open.empty()) {
    sliceEnd(Open.back());
    Open.pop_back();
  }
  Spans.clear();
}

/// A counter track; nothing without values for it.
void PerfettoWriter::heldMemory(format::MemoryPlace Place) {
  bool IsDescribed = false;
  uint64_t Uuid = MemoryUuid + unsigned(Place);
  StringRef Name = heldMemoryName(Place);
  forEachHeld(In, Place, [&](uint64_t Ns, int64_t Bytes) {
    std::string Message;
    if (!IsDescribed) {
      {
        protozero::pbf_writer Packet(Message);
        protozero::pbf_writer Descriptor(Packet, packet::TrackDescriptor);
        Descriptor.add_uint64(1, Uuid);
        Descriptor.add_string(2, Name.data(), Name.size());
        Descriptor.add_uint64(5, ProcessUuid);
        protozero::pbf_writer Counter(Descriptor, 8);
        Counter.add_int32(/*unit: bytes=*/3, 3);
      }
      packet(Message);
      Message.clear();
      IsDescribed = true;
    }
    {
      protozero::pbf_writer Packet(Message);
      Packet.add_uint64(packet::Timestamp, Ns);
      Packet.add_uint32(packet::SequenceId, Sequence);
      protozero::pbf_writer Event(Packet, packet::TrackEvent);
      Event.add_int32(9, CounterValue);
      Event.add_uint64(11, Uuid);
      Event.add_int64(/*counter_value=*/30, Bytes);
    }
    packet(Message);
  });
}

void PerfettoWriter::write(const Timeline &T) {
  std::string Message;
  {
    protozero::pbf_writer Packet(Message);
    protozero::pbf_writer Descriptor(Packet, packet::TrackDescriptor);
    Descriptor.add_uint64(1, ProcessUuid);
    protozero::pbf_writer Process(Descriptor, 3);
    Process.add_int32(
        1, In.Single ? static_cast<int32_t>(In.Single->Process.Pid) : 0);
    Process.add_string(6, In.Title);
  }
  packet(Message);
  for (const TimelineTrack &Track : T.tracks())
    describe(Track);
  intern();
  std::map<uint32_t, std::vector<TimelineSpan>> Held;
  std::vector<uint64_t> Runs = runsOf(In.Sites);
  T.forEach([&](const TimelineSpan &Span) {
    std::vector<TimelineSpan> &Spans = Held[Span.Track];
    // A span in no other one: those that are held are complete. A gradient may
    // lie in a run whatever it is of, and so may a run of a method that is also
    // called in runs.
    const Site &Here = In.Sites[Span.Site];
    bool Outermost = Here.Parent == NoIndex && !Here.Gradient;
    if (Here.isRoot() && Runs[Span.Site] < In.Sites.measured(Span.Site).Count)
      Outermost = false;
    Spans.push_back(Span);
    if (Outermost || Spans.size() >= MaxHeld)
      flush(Spans);
  });
  for (auto &[Track, Spans] : Held)
    flush(Spans);
  for (format::MemoryPlace Place : format::MemoryPlaces)
    heldMemory(Place);
}

static Error write(const ExportInput &In, raw_ostream &OS) {
  Expected<Timeline> T = Timeline::create(In);
  if (!T)
    return T.takeError();
  PerfettoWriter(In, OS).write(*T);
  return Error::success();
}

static ExporterRegistration Registration({"perfetto",
                                          "trace protobuf for Perfetto", false,
                                          write, HasTitle | HasAggregate});

} // namespace perfetto_export
