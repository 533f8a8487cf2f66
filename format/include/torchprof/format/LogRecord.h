//===- LogRecord.h - a lane's log of spans ----------------------*- C++ -*-===//
//
// What a probe writes: a record of 16 bytes at a span's end, and one at the
// begin of a span whose end may be another thread's, or never come. The records
// are folded into the cells later, many at a time (Fold.h); what a killed
// process had not folded, the reader folds. In trace mode the log is longer,
// and its records stay after they were folded.
//
// Records are numbered from 0. Numbers may be skipped, so that a log that is
// empty goes on at its first page, which is near the processor.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_LOGRECORD_H
#define TORCHPROF_FORMAT_LOGRECORD_H

#include "torchprof/format/Site.h"

#include <cstdint>

namespace torchprof::format {

enum class LogKind : uint32_t {
  Span = 0,    ///< a span that has ended, and whose begin has no record
  End = 1,     ///< a span that has ended, and whose begin has one
  Begin = 2,   ///< a span that began
  Long = 3,    ///< before a span that has ended: BeginTicks are its duration
  PairEnd = 4, ///< as End, of a pair of probes around a node
};

/// Packed is slot << 40 | kind << 37 | duration in ticks. A duration that does
/// not fit is the largest one here, and stands in a Long record.
struct LogEntry {
  uint64_t BeginTicks;
  uint64_t Packed;
};
static_assert(sizeof(LogEntry) == 16);

inline constexpr unsigned LogDurationBits = 37;
inline constexpr unsigned LogSlotShift = 40;
inline constexpr uint64_t MaxLogDuration = (uint64_t(1) << LogDurationBits) - 1;
/// Slots are below this number.
inline constexpr uint32_t MaxSlots = 1u << (64 - LogSlotShift);

constexpr uint64_t packEntry(Slot Site, LogKind Kind, uint64_t Ticks = 0) {
  return uint64_t(number(Site)) << LogSlotShift |
         uint64_t(Kind) << LogDurationBits |
         (Ticks < MaxLogDuration ? Ticks : MaxLogDuration);
}
constexpr Slot siteOf(const LogEntry &E) {
  return Slot(static_cast<uint32_t>(E.Packed >> LogSlotShift));
}
constexpr LogKind kindOf(const LogEntry &E) {
  return LogKind(E.Packed >> LogDurationBits & 7);
}
constexpr uint64_t durationOf(const LogEntry &E) {
  return E.Packed & MaxLogDuration;
}
/// A record that says nothing.
inline constexpr LogEntry BlankEntry = {0, packEntry(Slot(0), LogKind::Long)};

/// True for a record of a span that has ended.
constexpr bool isSpan(const LogEntry &E) {
  return kindOf(E) == LogKind::Span || kindOf(E) == LogKind::End ||
         kindOf(E) == LogKind::PairEnd;
}

/// True if the record counts a begin: of its span no other record does.
constexpr bool countsBegin(LogKind Kind) {
  return Kind == LogKind::Span || Kind == LogKind::Begin;
}

/// Which spans stay in the log after they were folded.
enum class LogKeep : uint32_t { None = 0, First = 1, Last = 2 };

/// The innermost open span of a lane: its slot, NoSlot between runs, and
/// whether the log lacks its begin.
constexpr uint64_t packCurrent(Slot Site, bool IsUnlogged) {
  return uint64_t(IsUnlogged) << 32 | number(Site);
}
constexpr Slot slotOfCurrent(uint64_t Current) {
  return Slot(static_cast<uint32_t>(Current));
}
constexpr bool isUnlogged(uint64_t Current) { return Current >> 32 & 1; }

/// Head of a Log segment. The first line of cache is what every probe stores
/// to; the second what a fold does.
struct LogRecord {
  uint64_t Written;      ///< number of the next record
  uint64_t CurrentTicks; ///< begin of the innermost open span
  uint64_t Current;      ///< packCurrent(); stored after its begin
  uint64_t Reserved0[5];

  /// Number of the first record that may not be in its cell yet. Above Written
  /// while numbers are skipped.
  uint64_t Folded;
  /// What the cell of the record that is being folded, or of the first of
  /// UndoCount ones, held before: the number behind that of the record, and
  /// fields of the cell.
  uint64_t UndoNumber;
  uint64_t UndoBegins;
  uint64_t UndoSum;
  uint64_t UndoSquaresLow;
  uint64_t UndoSquaresHigh;
  uint64_t Spans;      ///< of Epoch, among the records before Folded
  uint64_t ApartTicks; ///< of Epoch, part of no span: folding, by whichever
                       ///< thread, and device events

  LogKeep Keep;
  uint32_t Epoch;    ///< of the last reset that this log has seen
  uint64_t Ring;     ///< entries that are used in turn, a power of two
  uint64_t Base;     ///< number of the record in the first entry
  uint64_t Kept;     ///< entries before the ring, which are used once
  uint64_t Capacity; ///< spans that are shown of those kept
  uint64_t UndoCut;  ///< the cell's Cut, only if the record is a cut span
  uint64_t Start;    ///< number of the first record since its lane was emptied
  uint64_t UndoPairs;
  uint64_t UndoCount; ///< records of one site that are folded at once, or 0
  uint64_t Reserved1[7];
};
static_assert(sizeof(LogRecord) == 256);

/// The entry in which the record of a number lies.
constexpr uint64_t placeOf(const LogRecord &R, uint64_t Number) {
  uint64_t Offset = Number - R.Base;
  return Offset < R.Kept ? Offset : R.Kept + ((Offset - R.Kept) & (R.Ring - 1));
}

/// Records from Begin to before End.
struct LogRange {
  uint64_t Begin;
  uint64_t End;
};

/// The records that a log still holds because it keeps them.
constexpr LogRange keptRecords(const LogRecord &R) {
  LogRange Kept{0, 0};
  switch (R.Keep) {
  case LogKeep::None:
    return Kept;
  case LogKeep::First:
    Kept = {R.Base, R.Written < R.Base + R.Kept ? R.Written : R.Base + R.Kept};
    break;
  case LogKeep::Last:
    Kept = {R.Written < R.Base + R.Ring ? R.Base : R.Written - R.Ring,
            R.Written};
    break;
  }
  if (Kept.Begin < R.Start)
    Kept.Begin = R.Start < Kept.End ? R.Start : Kept.End;
  return Kept;
}

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_LOGRECORD_H
