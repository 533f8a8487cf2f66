//===- LaneSegments.cpp - reads what lanes recorded -----------------------===//

#include "SegmentReader.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;
using format::ConstSegmentOf;
using format::SegmentType;

Lane *SegmentReader::findLane(const format::SegmentHeader &Head) {
  auto It = LaneIndex.find(Head.Lane);
  if (It != LaneIndex.end())
    return &P.Lanes[It->second];
  damaged("a segment of lane " + Twine(Head.Lane) + ", which is not known");
  return nullptr;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Lane> S) {
  Lane L;
  L.Record = record(S);
  if (L.Record.Lane != S.header().Lane)
    return damaged("expected lane " + Twine(S.header().Lane) + ", found lane " +
                   Twine(L.Record.Lane));
  if (!LaneIndex.emplace(L.Record.Lane, P.Lanes.size()).second)
    return damaged("a second segment of lane " + Twine(L.Record.Lane));
  P.Lanes.push_back(std::move(L));
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Cells> S) {
  format::CellsRecord Record = record(S);
  ArrayRef<format::Cell> Cells;
  Lane *L = findLane(S.header());
  if (!L || !entries(S, Record.Capacity, Record.Used, Cells))
    return false;
  L->Cells.push_back(Cells);
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Runs> S) {
  format::RunsRecord Record = record(S);
  RunRing Ring = {Record.Site, Record.Capacity, Record.Count, {}};
  Lane *L = findLane(S.header());
  if (!L ||
      !entries(S, Record.Capacity,
               std::min<uint64_t>(Record.Count, Record.Capacity), Ring.Samples))
    return false;
  if (Record.Capacity == 0 && Record.Count)
    return damaged(Twine(Record.Count) + " runs in a ring without room");
  L->Runs.push_back(Ring);
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Log> S) {
  format::LogRecord Record = record(S);
  Lane *L = findLane(S.header());
  if (!L)
    return false;
  if (!isKnown(Record.Keep))
    return false;
  ArrayRef<format::LogEntry> Entries;
  if (!isPowerOf2_64(Record.Ring))
    return damaged("a log of " + Twine(Record.Ring) +
                   " entries in turn, which is no power of two");
  if (!entries(S, SaturatingAdd(Record.Kept, Record.Ring), 0, Entries))
    return false;
  if (Record.Folded < Record.Written &&
      Record.Written - Record.Folded > Record.Ring)
    return damaged(Twine(Record.Written - Record.Folded) +
                   " unfolded records in a log of " + Twine(Record.Ring));
  Logs.push_back({LaneIndex[S.header().Lane],
                  {},
                  P.allocate<format::LogEntry>(Record.Kept + Record.Ring),
                  &S.record(),
                  S.entries()});
  LaneLog &Log = Logs.back();
  format::copyLiveLog(Log.Head, Log.Entries.data(), S.record(), S.entries());
  return true;
}

/// A live cell as it was at one moment, or one that reads as torn.
static format::MeasureCell copyOf(const void *Live) {
  auto &Source = *static_cast<const format::MeasureCell *>(Live);
  format::MeasureCell Copy = {};
  if (!format::copyLiveCell(Copy, Source)) {
    format::copyWords(&Copy, &Source, sizeof(Copy));
    Copy.Word |= 1;
  }
  return Copy;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Measures> S) {
  format::MeasuresRecord Record = record(S);
  Lane *L = findLane(S.header());
  if (!L)
    return false;
  if (Record.Count == 0 || Record.Count > format::MeasuresPerCell)
    return damaged("expected 1 to " + Twine(format::MeasuresPerCell) +
                   " measures in a cell, found " + Twine(Record.Count));
  // Those of a later version may be wider.
  constexpr uint64_t CellBytes = sizeof(format::MeasureCell);
  if (Record.Stride < CellBytes || Record.Stride % sizeof(uint64_t))
    return damaged("expected a stride of at least " + Twine(CellBytes) +
                   " bytes and whole words, found " + Twine(Record.Stride));
  if (!fit(S, Record.Capacity, Record.Used, Record.Stride))
    return false;
  std::vector<MutableArrayRef<MeasuredSlot>> Slots;
  for (uint32_t M = 0; M < Record.Count; ++M)
    Slots.push_back(P.allocate<MeasuredSlot>(Record.Used));
  const char *Cells =
      static_cast<const char *>(static_cast<const void *>(S.entries()));
  for (uint32_t I = 0; I < Record.Used; ++I) {
    format::MeasureCell C = copyOf(Cells + uint64_t(I) * Record.Stride);
    for (uint32_t M = 0; M < Record.Count; ++M)
      Slots[M][I] = {C.Site,   C.Epoch, C.Word,     C.Sum[M],
                     C.Max[M], C.Time,  C.Nested[M]};
  }
  for (uint32_t M = 0; M < Record.Count; ++M) {
    const format::MeasureRecord &Of = Record.Measures[M];
    L->Measures.push_back(
        {Of.Measure, Of.Unit, Of.Sum, fixedText(Of.Name).str(), Slots[M]});
  }
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Variants> S) {
  format::VariantsRecord Record = record(S);
  ArrayRef<format::VariantCell> Cells;
  Lane *L = findLane(S.header());
  if (!L || !entries(S, Record.Capacity, Record.Used, Cells))
    return false;
  L->Variants.push_back(Cells);
  return true;
}

/// Reads the ring of a lane, whose head \p R is a copy of. True with none if it
/// is of an older epoch.
template <SegmentType Type, typename Record, typename T>
bool SegmentReader::readRing(ConstSegmentOf<Type> S, const Record &R,
                             StringRef Noun, Optional<KeptRing<T>> &Out) {
  ArrayRef<T> Ring;
  if (!isKnown(R.Keep) ||
      !entries(S, R.Capacity, std::min<uint64_t>(R.Count, R.Capacity), Ring))
    return false;
  if (R.Capacity == 0 && R.Count)
    return damaged(Twine(R.Count) + " " + Noun + " in a ring without room");
  if (R.Epoch != static_cast<uint32_t>(P.Epoch))
    return true;
  std::vector<T> Entries = entriesOfRing(R, S.entries());
  Out = KeptRing<T>{R.Keep, R.Capacity, R.Count, P.keep(ArrayRef<T>(Entries))};
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Levels> S) {
  Lane *L = findLane(S.header());
  Optional<KeptRing<format::Level>> Ring;
  format::LevelsRecord Record = record(S);
  if (!L || !readRing(S, Record, "levels", Ring) || !isKnown(Record.Place))
    return false;
  // A lane that has added nothing since a reset holds what it held before.
  if (!Ring && !Record.OfRuns && Record.Count) {
    std::vector<format::Level> Past = entriesOfRing(Record, S.entries());
    Ring = {Record.Keep, Record.Capacity, 1,
            P.keep(ArrayRef(Past).take_back())};
  }
  if (Ring)
    L->Levels.push_back({*Ring, Record.OfRuns != 0, Record.Place});
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::DeviceSpans> S) {
  Lane *L = findLane(S.header());
  Optional<KeptRing<format::DeviceSpan>> Ring;
  if (!L || !readRing(S, record(S), "device spans", Ring))
    return false;
  if (Ring)
    L->DeviceSpans.push_back(*Ring);
  return true;
}
