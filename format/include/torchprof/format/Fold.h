//===- Fold.h - records of a log become part of a cell ----------*- C++ -*-===//
//
// Used by the runtime, whose cells others read meanwhile, and by the reader for
// what a process had not folded. A record is in its cell if the cell's Folded
// is above the record's number; so a record is never counted twice, even if the
// process was killed in the middle of a fold: the update of the one cell that
// may be torn is undone with what the log keeps for that, and made again.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_FOLD_H
#define TORCHPROF_FORMAT_FOLD_H

#include "torchprof/format/Atomics.h"
#include "torchprof/format/Records.h"

namespace torchprof::format {

/// What becomes of a record.
enum class LogFate {
  Counts,
  IsCut,  ///< a reset was made while the span was open
  IsPast, ///< and this before the last reset
};

constexpr LogFate fateOf(const LogEntry &E, uint64_t Ticks,
                         uint64_t ResetTicks) {
  if (E.BeginTicks >= ResetTicks)
    return LogFate::Counts;
  return isSpan(E) && E.BeginTicks + Ticks > ResetTicks ? LogFate::IsCut
                                                        : LogFate::IsPast;
}

/// Adds record \p Number of \p Ticks, any but a Long one, to its cell. The
/// caller is the only one who writes to the cell and to \p Log. True if a
/// bucket of the histogram is full now: the next span needs another cell.
inline bool foldRecord(Cell &C, LogRecord &Log, uint64_t Number, LogKind Kind,
                       uint64_t Ticks) {
  uint64_t Word = C.Word;
  storeRelaxed(Log.UndoBegins, C.Begins);
  storeRelaxed(Log.UndoSum, C.Sum);
  storeRelaxed(Log.UndoSquaresLow, C.SquaresLow);
  storeRelaxed(Log.UndoSquaresHigh, C.SquaresHigh);
  storeRelaxed(Log.UndoPairs, C.Pairs);
  storeRelease(Log.UndoNumber, Number + 1);
  storeRelease(C.Word, Word + 1);
  // Release stores keep the odd word before what it protects.
  if (countsBegin(Kind))
    storeRelease(C.Begins, C.Begins + 1);
  if (Kind == LogKind::Begin) {
    storeRelease(C.Folded, Number + 1);
    storeRelease(C.Word, Word);
    return false;
  }
  storeRelease(C.Sum, C.Sum + Ticks);
  auto Square = static_cast<unsigned __int128>(Ticks) * Ticks;
  auto Low = static_cast<uint64_t>(Square);
  uint64_t OldLow = C.SquaresLow;
  storeRelease(C.SquaresLow, OldLow + Low);
  storeRelease(C.SquaresHigh, C.SquaresHigh +
                                  static_cast<uint64_t>(Square >> 64) +
                                  (OldLow + Low < Low));
  storeRelease(C.Pairs, C.Pairs + (Kind == LogKind::PairEnd));
  if (Ticks < C.Min)
    storeRelease(C.Min, Ticks);
  if (Ticks > C.Max)
    storeRelease(C.Max, Ticks);
  if (Word < 2 * FirstSamples) [[unlikely]]
    storeRelease(C.First[Word / 2], Ticks);
  uint32_t &Count = C.Histogram[histogramBucket(Ticks)];
  uint32_t Old = Count;
  bool IsFull = Old >= UINT32_MAX - 1;
  if (Old != UINT32_MAX) [[likely]] // it stays full where no other cell was had
    storeRelease(Count, Old + 1);
  storeRelease(C.Folded, Number + 1);
  storeRelease(C.Word, Word + 2);
  return IsFull;
}

/// The same for a span that a reset cut.
inline void foldCut(Cell &C, LogRecord &Log, uint64_t Number) {
  uint64_t Word = C.Word;
  storeRelaxed(Log.UndoBegins, C.Begins);
  storeRelaxed(Log.UndoCut, C.Cut);
  storeRelease(Log.UndoNumber, Number + 1);
  storeRelease(C.Word, Word + 1);
  storeRelease(C.Begins, C.Begins + 1);
  storeRelease(C.Cut, C.Cut + 1);
  storeRelease(C.Folded, Number + 1);
  storeRelease(C.Word, Word);
}

/// Makes a torn cell what it was before record \p Number of \p Ticks was folded
/// into it, as \p Fate says; the record is to be folded again. The extremes and
/// the first samples may stay: they will be the same. For a copy that nobody
/// writes.
inline void undoFold(Cell &C, const LogRecord &Log, uint64_t Number,
                     uint64_t Ticks, LogFate Fate) {
  C.Word -= 1;
  C.Begins = Log.UndoBegins;
  if (C.Folded > Number)
    C.Folded = Number;
  if (Fate == LogFate::IsCut) {
    C.Cut = Log.UndoCut;
    return;
  }
  C.Sum = Log.UndoSum;
  C.SquaresLow = Log.UndoSquaresLow;
  C.SquaresHigh = Log.UndoSquaresHigh;
  C.Pairs = Log.UndoPairs;
  uint64_t Samples = 0;
  for (uint32_t InBucket : C.Histogram)
    Samples += InBucket;
  if (Samples > C.Word / 2)
    --C.Histogram[histogramBucket(Ticks)];
}

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_FOLD_H
