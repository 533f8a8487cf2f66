//===- Folder.cpp - adds the records of a lane to its cells ---------------===//

#include "Folder.h"

#include "PeriodFold.h"
#include "Recording.h"

#include <algorithm>

namespace torchprof {

using namespace format;

LogRecord Folder::placesOf(const LogRecord &Log) {
  LogRecord Places{};
  Places.Ring = Log.Ring;
  Places.Base = Log.Base;
  Places.Kept = Log.Kept;
  return Places;
}

//===----------------------------------------------------------------------===//
// Ordinary records
//===----------------------------------------------------------------------===//

/// True for a span without a record of its begin that took less than 2^32
/// ticks: what nearly all records are.
static constexpr bool isShortSpan(const LogEntry &E) {
  constexpr uint64_t KindAndHighTicks =
      ((uint64_t(1) << LogSlotShift) - 1) & ~uint64_t(UINT32_MAX);
  static_assert(LogKind::Span == LogKind(0));
  return (E.Packed & KindAndHighTicks) == 0;
}

/// True if the next record, or the one before, says how long a span took.
static bool isPartOfLong(const LogEntry &E) {
  return kindOf(E) == LogKind::Long || durationOf(E) == MaxLogDuration;
}

inline Folder::Target Folder::targetOf(const LogEntry &E) const {
  const SlotEntry *Known = knownEntry(L, siteOf(E));
  if (!Known) [[unlikely]]
    return {nullptr, nullptr};
  Cell *To = Known->Data;
  uint32_t *InBucket = &To->Histogram[histogramBucket(durationOf(E))];
  __builtin_prefetch(To, /*rw=*/1);
  __builtin_prefetch(InBucket, /*rw=*/1);
  return {To, InBucket};
}

Folder::Batch Folder::batchAt(uint64_t Number) const {
  static_assert(LogPageEntries % BatchSize == 0);
  Batch B;
  B.Entries = &L.Entries[placeOf(Places, Number)];
  B.Number = Number;
  B.Count = std::min(
      {BatchSize, End - Number, LogPageEntries - Number % LogPageEntries});
  uint64_t Later = (Number + RecordsAhead) & ~(BatchSize - 1);
  const LogEntry *LaterEntries = &L.Entries[placeOf(Places, Later)];
  for (uint64_t I = 0; I < BatchSize; I += 64 / sizeof(LogEntry))
    __builtin_prefetch(&LaterEntries[I]);
  for (uint64_t I = 0; I < B.Count; ++I)
    B.Targets[I] = targetOf(B.Entries[I]);
  return B;
}

// Apart, so that the loop has the processor's registers for what is frequent.
void Folder::foldOther(const LogEntry &E, uint64_t Number, Target T) {
  LogKind Kind = kindOf(E);
  foldRecord(*T.To, *L.Log, Number, Kind, durationOf(E), *T.InBucket);
  Spans += Kind != LogKind::Begin;
}

uint64_t Folder::foldOrdinary(const Batch &B) {
  LogRecord &Log = *L.Log;
  const EpochStart Here = Epoch;
  uint64_t I = 0, Others = 0;
  for (; I < B.Count; ++I) {
    const LogEntry &E = B.Entries[I];
    Target T = B.Targets[I];
    if (!T.To || T.To->Epoch != Here.Number || E.BeginTicks < Here.Ticks ||
        isNearlyFull(*T.InBucket)) [[unlikely]]
      break;
    if (isShortSpan(E)) [[likely]] {
      foldRecord(*T.To, Log, B.Number + I, LogKind::Span,
                 uint32_t(durationOf(E)), *T.InBucket);
      continue;
    }
    if (isPartOfLong(E))
      break;
    foldOther(E, B.Number + I, T);
    ++Others;
  }
  Spans += I - Others;
  return I;
}

//===----------------------------------------------------------------------===//
// All records
//===----------------------------------------------------------------------===//

/// True if the record can be added to its slot's cell as it is. The owner alone
/// makes, empties and continues cells: it looks at them without the lock.
bool Folder::isReady(const SlotEntry *Entry, const LogEntry &E,
                     uint64_t Ticks) const {
  return Entry && Entry->Data->Epoch == Epoch.Number &&
         (!isSpan(E) ||
          !isNearlyFull(Entry->Data->Histogram[histogramBucket(Ticks)]));
}

bool Folder::add(const LogEntry &E, uint64_t Number, uint64_t Ticks,
                 LogFate Fate) {
  SlotEntry *Entry = knownEntry(L, siteOf(E));
  if (!R && !isReady(Entry, E, Ticks))
    return false;
  if (!Entry)
    Entry = R->touchSlotLocked(L, siteOf(E));
  if (!Entry) {
    if (isSpan(E))
      count(Counter::LostNoMemory);
    return true;
  }
  Cell &C = *Entry->Data;
  if (C.Epoch != Epoch.Number)
    resetCell(*Entry, Epoch.Number);
  if (Fate == LogFate::IsCut) {
    foldCut(C, *L.Log, Number);
    return true;
  }
  Spans += isSpan(E);
  if (foldRecord(C, *L.Log, Number, kindOf(E), Ticks))
    R->continueCell(L, *Entry);
  return true;
}

bool Folder::fold(const LogEntry &E, uint64_t Number) {
  if (kindOf(E) == LogKind::Long) {
    LongTicks = E.BeginTicks;
    return true;
  }
  uint64_t Ticks = LongTicks ? LongTicks : durationOf(E);
  LogFate Fate = fateOf(E, Ticks, Epoch.Ticks);
  if (Fate != LogFate::IsPast && !add(E, Number, Ticks, Fate))
    return false;
  LongTicks = 0;
  return true;
}

uint64_t Folder::foldPeriods(uint64_t Number) {
  uint64_t Place = placeOf(Places, Number);
  uint64_t Behind =
      Places.Kept + (Place < Places.Kept ? 0 : Places.Ring) - Place;
  PeriodFold Runs(L, Epoch,
                  {&L.Entries[Place], Number, std::min(End - Number, Behind)});
  Runs.fold([this](const LogEntry &E, uint64_t Number) { fold(E, Number); });
  Spans += Runs.spans();
  return Runs.count();
}

bool Folder::run() {
  uint64_t Number = L.Log->Folded;
  // Where it makes no cells, it could stop in the middle.
  if (R)
    while (uint64_t Done = foldPeriods(Number))
      Number += Done;
  bool IsDone = true;
  while (IsDone && Number < End) {
    Batch B = batchAt(Number);
    uint64_t Ordinary = foldOrdinary(B);
    Number += Ordinary;
    if (Ordinary == B.Count)
      continue;
    IsDone = fold(B.Entries[Ordinary], Number);
    ++Number;
  }
  if (!IsDone) // again, with the Long record before it
    Number -= LongTicks ? 2 : 1;
  storeRelease(L.Log->Folded, Number);
  if (L.Log->Epoch == Epoch.Number)
    storeRelaxed(L.Log->Spans, L.Log->Spans + Spans);
  return IsDone;
}

} // namespace torchprof
