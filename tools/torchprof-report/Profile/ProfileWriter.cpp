//===- ProfileWriter.cpp - writes .tprof files ----------------------------===//
//
// The file's header names the file's size, so the segments are laid out first
// and written afterwards.
//
//===----------------------------------------------------------------------===//

#include "ProfileWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <functional>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

struct Segment {
  format::SegmentType Type;
  uint32_t Lane;
  uint64_t PayloadBytes; ///< exactly what Write writes
  std::function<void(raw_ostream &)> Write;
};

class Layout {
public:
  explicit Layout(const Profile &P);
  void write(raw_ostream &OS) const;

private:
  void addNames(format::SegmentType Type, ArrayRef<Region> Names);
  void addLane(const Lane &L);

  const Profile &P;
  std::vector<Segment> Segments;
};

} // namespace

static uint64_t segmentBytes(const Segment &S) {
  return alignTo(sizeof(format::SegmentHeader) + S.PayloadBytes,
                 format::PageBytes);
}

template <typename T>
static void writeRecord(raw_ostream &OS, const T &Record) {
  OS.write(reinterpret_cast<const char *>(&Record), sizeof(T));
}

template <typename T>
static void writeEntries(raw_ostream &OS, ArrayRef<T> Entries) {
  OS.write(reinterpret_cast<const char *>(Entries.data()),
           Entries.size() * sizeof(T));
}

/// Bytes between a head record and entries at a fixed offset.
static unsigned gap(uint64_t EntriesOffset, size_t RecordBytes) {
  return EntriesOffset - sizeof(format::SegmentHeader) - RecordBytes;
}

Layout::Layout(const Profile &P) : P(P) {
  using Type = format::SegmentType;
  Segments.push_back({Type::Process, 0, sizeof(format::ProcessRecord),
                      [&P](raw_ostream &OS) { writeRecord(OS, P.Process); }});
  format::ClockRecord Clock = {static_cast<uint32_t>(P.Anchors.size()),
                               static_cast<uint32_t>(P.Anchors.size()),
                               P.AnchorIntervalNs};
  Segments.push_back(
      {Type::Clock, 0,
       sizeof(Clock) + P.Anchors.size() * sizeof(format::ClockAnchor),
       [&P, Clock](raw_ostream &OS) {
         writeRecord(OS, Clock);
         writeEntries(OS, ArrayRef(P.Anchors));
       }});
  for (const Model &M : P.Models) {
    std::string Text = printManifest(*M.Table);
    format::ModelRecord Record = {M.Table->ModelId, M.FirstSlot,
                                  static_cast<uint32_t>(M.Table->Sites.size()),
                                  Text.size()};
    Segments.push_back({Type::Manifest, 0, sizeof(Record) + Text.size(),
                        [Record, Text](raw_ostream &OS) {
                          writeRecord(OS, Record);
                          OS << Text;
                        }});
  }
  addNames(Type::Regions, P.Regions);
  addNames(Type::Groups, P.Groups);
  for (const Lane &L : P.Lanes)
    addLane(L);
}

void Layout::addNames(format::SegmentType Type, ArrayRef<Region> Names) {
  if (Names.empty())
    return;
  auto Count = static_cast<uint32_t>(Names.size());
  format::RegionsRecord Record = {Count, Count};
  unsigned Gap = gap(format::RegionsOffset, sizeof(Record));
  Segments.push_back(
      {Type, 0, sizeof(Record) + Gap + Count * sizeof(format::RegionRecord),
       [Names, Record, Gap](raw_ostream &OS) {
         writeRecord(OS, Record);
         OS.write_zeros(Gap);
         for (const Region &R : Names) {
           format::RegionRecord Entry = {};
           Entry.Slot = R.Slot;
           setFixedText(Entry.Name, R.Name);
           writeRecord(OS, Entry);
         }
       }});
}

void Layout::addLane(const Lane &L) {
  using Type = format::SegmentType;
  uint32_t Number = L.Record.Lane;
  Segments.push_back({Type::Lane, Number, sizeof(L.Record),
                      [&L](raw_ostream &OS) { writeRecord(OS, L.Record); }});
  for (ArrayRef<format::Cell> Cells : L.Cells) {
    auto Count = static_cast<uint32_t>(Cells.size());
    format::CellsRecord Record = {Count, Count};
    unsigned Gap = gap(format::CellsOffset, sizeof(Record));
    Segments.push_back(
        {Type::Cells, Number,
         sizeof(Record) + Gap + Cells.size() * sizeof(format::Cell),
         [Cells, Record, Gap](raw_ostream &OS) {
           writeRecord(OS, Record);
           OS.write_zeros(Gap);
           writeEntries(OS, Cells);
         }});
  }
  for (const RunRing &R : L.Runs) {
    format::RunsRecord Record = {R.Slot, R.Capacity, R.Count};
    uint64_t Unused = R.Capacity - R.Samples.size();
    Segments.push_back({Type::Runs, Number,
                        sizeof(Record) + R.Capacity * sizeof(format::RunSample),
                        [&R, Record, Unused](raw_ostream &OS) {
                          writeRecord(OS, Record);
                          writeEntries(OS, R.Samples);
                          OS.write_zeros(Unused * sizeof(format::RunSample));
                        }});
  }
  for (const TraceBuffer &T : L.Traces) {
    format::TraceRecord Record = {T.Keep, static_cast<uint32_t>(P.Generation),
                                  T.Capacity, T.Written};
    unsigned Gap = gap(format::TraceOffset, sizeof(Record));
    uint64_t Unused = T.Capacity - T.Events.size();
    Segments.push_back(
        {Type::Trace, Number,
         sizeof(Record) + Gap + T.Capacity * sizeof(format::TraceEvent),
         [&T, Record, Gap, Unused](raw_ostream &OS) {
           writeRecord(OS, Record);
           OS.write_zeros(Gap);
           writeEntries(OS, T.Events);
           OS.write_zeros(Unused * sizeof(format::TraceEvent));
         }});
  }
}

void Layout::write(raw_ostream &OS) const {
  format::FileHeader Header = {};
  std::memcpy(Header.Magic, format::FileMagic, sizeof(Header.Magic));
  Header.Version = format::FormatVersion;
  Header.ByteOrder = format::ByteOrderMark;
  Header.HeaderBytes = format::PageBytes;
  Header.State = P.State;
  Header.Generation = P.Generation;
  Header.SegmentCount = Segments.size();
  Header.FileBytes = format::PageBytes;
  for (const Segment &S : Segments)
    Header.FileBytes += segmentBytes(S);
  writeRecord(OS, Header);
  for (auto Item : enumerate(Segments)) {
    const Segment &S = Item.value();
    format::SegmentHeader Head = {};
    Head.Magic = format::SegmentMagic;
    Head.Type = S.Type;
    Head.Bytes = segmentBytes(S);
    Head.PayloadBytes = S.PayloadBytes;
    Head.Index = static_cast<uint32_t>(Item.index());
    Head.Lane = S.Lane;
    writeRecord(OS, Head);
    S.Write(OS);
    OS.write_zeros(Head.Bytes - sizeof(Head) - S.PayloadBytes);
  }
}

void report::writeProfile(const Profile &P, raw_ostream &OS) {
  Layout(P).write(OS);
}
