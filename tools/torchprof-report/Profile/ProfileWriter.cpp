//===- ProfileWriter.cpp - writes .tprof files ----------------------------===//
//
// The file header holds the size of the file, so all segments are laid out
// before the first one is written.
//
//===----------------------------------------------------------------------===//

#include "ProfileWriter.h"
#include "LaneLog.h"
#include "torchprof/format/Segments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <deque>
#include <functional>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;
using format::SegmentType;

namespace {

struct Segment {
  SegmentType Type;
  uint32_t Lane;
  uint64_t PayloadBytes; ///< exactly what Write writes
  std::function<void(raw_ostream &)> Write;

  uint64_t bytes() const {
    return alignTo(sizeof(format::SegmentHeader) + PayloadBytes,
                   format::PageBytes);
  }
};

class Layout {
public:
  explicit Layout(const Profile &P);
  void write(raw_ostream &OS) const;

private:
  /// Adds a segment of \p Record, \p Entries, which must outlive this, and
  /// \p Unused entries more.
  template <SegmentType Type, typename Entry>
  void add(uint32_t Lane, const typename format::SegmentLayout<Type>::Record &R,
           ArrayRef<Entry> Entries, uint64_t Unused = 0);
  template <SegmentType Type>
  void add(uint32_t Lane,
           const typename format::SegmentLayout<Type>::Record &R) {
    add<Type>(Lane, R, ArrayRef<char>());
  }
  void addModel(const Model &M);
  void addDynamicSites();
  void addLog(const Lane &L, const TraceBuffer *Trace);
  void addLane(const Lane &L);
  void addMeasures(uint32_t Lane, ArrayRef<MeasureCells> Together);
  void addLevels(uint32_t Lane, const LevelRing &R);
  void addDeviceSpans(uint32_t Lane, const KeptRing<format::DeviceSpan> &R);

  const Profile &P;
  std::vector<Segment> Segments;
  std::deque<std::vector<format::LogEntry>> Logs; ///< segments point into it
  std::deque<std::vector<format::MeasureCell>> Measured;   ///< the same
  std::deque<std::vector<format::Level>> Levels;           ///< the same
  std::deque<std::vector<format::DeviceSpan>> DeviceSpans; ///< the same
};

} // namespace

template <typename T>
static void writeEntries(raw_ostream &OS, ArrayRef<T> Entries) {
  OS.write(reinterpret_cast<const char *>(Entries.data()),
           Entries.size() * sizeof(T));
}

template <typename T>
static void writeRecord(raw_ostream &OS, const T &Record) {
  writeEntries(OS, ArrayRef(Record));
}

template <SegmentType Type, typename Entry>
void Layout::add(uint32_t Lane,
                 const typename format::SegmentLayout<Type>::Record &R,
                 ArrayRef<Entry> Entries, uint64_t Unused) {
  uint64_t Empty = Unused * sizeof(Entry);
  uint64_t Payload = format::SegmentOf<Type>::payloadBytes(
      0, Entries.size() * sizeof(Entry) + Empty);
  uint64_t Gap = Payload - sizeof(R) - Entries.size() * sizeof(Entry) - Empty;
  Segments.push_back({Type, Lane, Payload, [=](raw_ostream &OS) {
                        writeRecord(OS, R);
                        OS.write_zeros(Gap);
                        writeEntries(OS, Entries);
                        OS.write_zeros(Empty);
                      }});
}

Layout::Layout(const Profile &P) : P(P) {
  add<SegmentType::Process>(0, P.Process);
  auto Anchors = static_cast<uint32_t>(P.Anchors.size());
  add<SegmentType::Clock>(0, {Anchors, Anchors, P.AnchorIntervalNs},
                          ArrayRef(P.Anchors));
  if (P.Machine.Threads)
    add<SegmentType::Machine>(0, P.Machine);
  for (const Model &M : P.Models)
    addModel(M);
  addDynamicSites();
  if (auto Plans = static_cast<uint32_t>(P.Plans.size()))
    add<SegmentType::Plans>(0, {Plans, Plans}, ArrayRef(P.Plans));
  if (auto Loads = static_cast<uint32_t>(P.Loads.size()))
    add<SegmentType::Loads>(0, {Loads, Loads}, ArrayRef(P.Loads));
  for (const Optional<BlockBooks> &Books : P.Books) {
    if (!Books)
      continue;
    format::BlocksRecord Record = Books->Totals;
    Record.Capacity = Record.Used =
        static_cast<uint32_t>(Books->Accounts.size());
    add<SegmentType::Blocks>(0, Record, ArrayRef(Books->Accounts));
  }
  for (const Lane &L : P.Lanes)
    addLane(L);
}

void Layout::addModel(const Model &M) {
  std::string Text = printManifest(*M.Table);
  format::ModelRecord Record = {M.Table->ModelId, M.FirstSlot,
                                static_cast<uint32_t>(M.Table->Sites.size()),
                                Text.size()};
  Segments.push_back({SegmentType::Manifest, 0, sizeof(Record) + Text.size(),
                      [Record, Text](raw_ostream &OS) {
                        writeRecord(OS, Record);
                        OS << Text;
                      }});
}

void Layout::addDynamicSites() {
  if (P.DynamicSites.empty())
    return;
  std::vector<format::DynamicSite> Sites;
  std::string Text;
  for (const DynamicSite &D : P.DynamicSites) {
    Sites.push_back({D.Slot, D.Parent, D.Kind, D.Flags,
                     static_cast<uint32_t>(Text.size()),
                     static_cast<uint32_t>(D.Name.size())});
    Text += D.Name;
  }
  auto Count = static_cast<uint32_t>(Sites.size());
  auto TextBytes = static_cast<uint32_t>(Text.size());
  format::DynamicSitesRecord Record = {Count, Count, TextBytes, TextBytes};
  using Type = format::SegmentOf<SegmentType::DynamicSites>;
  Segments.push_back({SegmentType::DynamicSites, 0,
                      Type::payloadBytes(Count, TextBytes),
                      [=](raw_ostream &OS) {
                        writeRecord(OS, Record);
                        OS.write_zeros(Type::payloadBytes() - sizeof(Record));
                        writeEntries(OS, ArrayRef(Sites));
                        OS << Text;
                      }});
}

/// True if two measures are of the same spans of the same slots, in one order.
static bool fitTogether(const MeasureCells &A, const MeasureCells &B) {
  return std::equal(A.Cells.begin(), A.Cells.end(), B.Cells.begin(),
                    B.Cells.end(),
                    [](const MeasuredSlot &L, const MeasuredSlot &R) {
                      return L.Site == R.Site && L.Epoch == R.Epoch &&
                             L.Word == R.Word && L.Time == R.Time;
                    });
}

/// The first of \p All that can share cells.
static ArrayRef<MeasureCells> firstTogether(ArrayRef<MeasureCells> All) {
  size_t Count = 1;
  while (Count < std::min<size_t>(All.size(), format::MeasuresPerCell) &&
         fitTogether(All.front(), All[Count]))
    ++Count;
  return All.take_front(Count);
}

void Layout::addMeasures(uint32_t Lane, ArrayRef<MeasureCells> Together) {
  auto Count = static_cast<uint32_t>(Together.front().Cells.size());
  format::MeasuresRecord Record = {static_cast<uint32_t>(Together.size()),
                                   sizeof(format::MeasureCell),
                                   Count,
                                   Count,
                                   {}};
  std::vector<format::MeasureCell> &Cells = Measured.emplace_back(Count);
  for (size_t M = 0; M < Together.size(); ++M) {
    const MeasureCells &Of = Together[M];
    Record.Measures[M] = {Of.Id, Of.Unit, Of.Sum, 0, {}};
    setFixedText(Record.Measures[M].Name, Of.Name);
    for (uint32_t I = 0; I < Count; ++I) {
      const MeasuredSlot &From = Of.Cells[I];
      format::MeasureCell &To = Cells[I];
      To.Site = From.Site;
      To.Epoch = From.Epoch;
      To.Word = From.Word;
      To.Time = From.Time;
      To.Sum[M] = From.Sum;
      To.Max[M] = From.Max;
      To.Nested[M] = From.Nested;
    }
  }
  add<SegmentType::Measures>(Lane, Record, ArrayRef(Cells));
}

void Layout::addLevels(uint32_t Lane, const LevelRing &R) {
  format::LevelsRecord Record = {R.Capacity, R.Keep,
                                 R.Count,    static_cast<uint32_t>(P.Epoch),
                                 R.OfRuns,   R.Place};
  add<SegmentType::Levels>(Lane, Record,
                           ArrayRef(Levels.emplace_back(turnedEntries(R))),
                           R.Capacity - R.Entries.size());
}

void Layout::addDeviceSpans(uint32_t Lane,
                            const KeptRing<format::DeviceSpan> &R) {
  format::DeviceSpansRecord Record = {R.Capacity, R.Keep, R.Count,
                                      static_cast<uint32_t>(P.Epoch), 0};
  add<SegmentType::DeviceSpans>(
      Lane, Record, ArrayRef(DeviceSpans.emplace_back(turnedEntries(R))),
      R.Capacity - R.Entries.size());
}

void Layout::addLog(const Lane &L, const TraceBuffer *Trace) {
  std::vector<format::LogEntry> &Entries = Logs.emplace_back();
  LaneLog Log = makeLog(L, Trace, P.Epoch, Entries);
  if (Trace && Trace != &L.Traces.front())
    Log.Head.ApartTicks = 0;
  add<SegmentType::Log>(L.Record.Lane, Log.Head, ArrayRef(Entries));
}

void Layout::addLane(const Lane &L) {
  uint32_t Number = L.Record.Lane;
  add<SegmentType::Lane>(Number, L.Record);
  if (L.Traces.empty())
    addLog(L, nullptr);
  for (const TraceBuffer &T : L.Traces)
    addLog(L, &T);
  for (ArrayRef<format::Cell> Cells : L.Cells) {
    auto Count = static_cast<uint32_t>(Cells.size());
    add<SegmentType::Cells>(Number, {Count, Count}, Cells);
  }
  for (const RunRing &R : L.Runs)
    add<SegmentType::Runs>(Number, {R.Slot, R.Capacity, R.Count}, R.Samples,
                           R.Capacity - R.Samples.size());
  for (ArrayRef<MeasureCells> Rest = L.Measures; !Rest.empty();) {
    ArrayRef<MeasureCells> Together = firstTogether(Rest);
    addMeasures(Number, Together);
    Rest = Rest.drop_front(Together.size());
  }
  for (ArrayRef<format::VariantCell> Cells : L.Variants) {
    auto Count = static_cast<uint32_t>(Cells.size());
    add<SegmentType::Variants>(Number, {Count, Count}, Cells);
  }
  for (const LevelRing &R : L.Levels)
    addLevels(Number, R);
  for (const auto &R : L.DeviceSpans)
    addDeviceSpans(Number, R);
}

void Layout::write(raw_ostream &OS) const {
  format::FileHeader Header = {};
  std::memcpy(Header.Magic, format::FileMagic, sizeof(Header.Magic));
  Header.Version = format::FormatVersion;
  Header.ByteOrder = format::ByteOrderMark;
  Header.HeaderBytes = format::PageBytes;
  Header.State = P.State;
  Header.Epoch = P.Epoch;
  Header.ResetTicks = P.ResetTicks;
  Header.SegmentCount = Segments.size();
  Header.FileBytes = format::PageBytes;
  for (const Segment &S : Segments)
    Header.FileBytes += S.bytes();
  writeRecord(OS, Header);
  for (auto Item : enumerate(Segments)) {
    const Segment &S = Item.value();
    format::SegmentHeader Head = {};
    Head.Magic = format::SegmentMagic;
    Head.Type = S.Type;
    Head.Bytes = S.bytes();
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
