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

#include <span>

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

/// What a span adds to a cell's sum of squares.
struct SquareStep {
  uint64_t Low;  ///< added to SquaresLow
  uint64_t High; ///< to SquaresHigh, with the carry; mostly 0
};
constexpr SquareStep squareStep(uint64_t SquaresLow, uint64_t Ticks) {
  auto Square = static_cast<unsigned __int128>(Ticks) * Ticks;
  auto Low = static_cast<uint64_t>(Square);
  return {Low, static_cast<uint64_t>(Square >> 64) + (SquaresLow + Low < Low)};
}

/// True if a span more fills a bucket: the one after it needs another cell.
constexpr bool isNearlyFull(uint32_t InBucket) {
  return InBucket >= UINT32_MAX - 1;
}

/// Adds record \p Number of \p Ticks, any but a Long one, to its cell. The
/// caller is the only one who writes to the cell and to \p Log. True if a
/// bucket of the histogram is full now: the next span needs another cell.
///
/// \p InBucket: of the cell, the bucket of \p Ticks. Who folds many records
/// knows it, and calls this with a constant \p Kind.
[[gnu::always_inline]] inline bool foldRecord(Cell &C, LogRecord &Log,
                                              uint64_t Number, LogKind Kind,
                                              uint64_t Ticks,
                                              uint32_t &InBucket) {
  uint64_t Word = C.Word;
  uint64_t Begins = C.Begins;
  uint64_t Sum = C.Sum;
  uint64_t SquaresLow = C.SquaresLow;
  SquareStep Square = squareStep(SquaresLow, Ticks);
  storeRelaxed(Log.UndoBegins, Begins);
  storeRelaxed(Log.UndoSum, Sum);
  storeRelaxed(Log.UndoSquaresLow, SquaresLow);
  if (Square.High) [[unlikely]]
    storeRelaxed(Log.UndoSquaresHigh, C.SquaresHigh);
  if (Kind == LogKind::PairEnd)
    storeRelaxed(Log.UndoPairs, C.Pairs);
  storeRelease(Log.UndoNumber, Number + 1);
  storeRelease(C.Word, Word + 1);
  // Release stores keep the odd word before what it protects.
  if (countsBegin(Kind))
    storeRelease(C.Begins, Begins + 1);
  if (Kind == LogKind::Begin) {
    storeRelease(C.Folded, Number + 1);
    storeRelease(C.Word, Word);
    return false;
  }
  storeRelease(C.Sum, Sum + Ticks);
  storeRelease(C.SquaresLow, SquaresLow + Square.Low);
  if (Square.High) [[unlikely]]
    storeRelease(C.SquaresHigh, C.SquaresHigh + Square.High);
  if (Kind == LogKind::PairEnd)
    storeRelease(C.Pairs, C.Pairs + 1);
  if (Ticks < C.Min) [[unlikely]]
    storeRelease(C.Min, Ticks);
  if (Ticks > C.Max) [[unlikely]]
    storeRelease(C.Max, Ticks);
  if (Word < 2 * FirstSamples) [[unlikely]]
    storeRelease(C.First[Word / 2], Ticks);
  uint32_t Old = InBucket;
  if (Old != UINT32_MAX) [[likely]] // it stays full where no other cell was had
    storeRelease(InBucket, Old + 1);
  storeRelease(C.Folded, Number + 1);
  storeRelease(C.Word, Word + 2);
  return isNearlyFull(Old);
}

inline bool foldRecord(Cell &C, LogRecord &Log, uint64_t Number, LogKind Kind,
                       uint64_t Ticks) {
  return foldRecord(C, Log, Number, Kind, Ticks,
                    C.Histogram[histogramBucket(Ticks)]);
}

/// Adds several records of one site, in their order, to its cell: as many calls
/// of foldRecord(), but what is the same in all is done once. While it lives
/// the cell is torn.
class GroupFold {
public:
  /// \p Number is the first record's, of \p Count at most. Writers as above.
  GroupFold(Cell &C, LogRecord &Log, uint64_t Number, uint64_t Count)
      : C(C), Log(Log), Word(C.Word), Sum(C.Sum), Min(C.Min), Max(C.Max),
        Squares(static_cast<unsigned __int128>(C.SquaresHigh) << 64 |
                C.SquaresLow) {
    storeRelaxed(Log.UndoBegins, C.Begins);
    storeRelaxed(Log.UndoSum, Sum);
    storeRelaxed(Log.UndoSquaresLow, C.SquaresLow);
    storeRelaxed(Log.UndoSquaresHigh, C.SquaresHigh);
    storeRelaxed(Log.UndoPairs, C.Pairs);
    storeRelaxed(Log.UndoCount, Count);
    storeRelease(Log.UndoNumber, Number + 1);
    storeRelease(C.Word, Word + 1);
  }
  GroupFold(const GroupFold &) = delete;
  GroupFold &operator=(const GroupFold &) = delete;

  /// Adds a span. False if that would fill its bucket: it is to be folded by
  /// itself, after finish().
  [[gnu::always_inline]] bool addSpan(uint64_t Ticks) {
    uint32_t &InBucket = C.Histogram[histogramBucket(Ticks)];
    uint32_t Old = InBucket;
    if (isNearlyFull(Old)) [[unlikely]]
      return false;
    if (Word < 2 * FirstSamples) [[unlikely]]
      storeRelease(C.First[Word / 2], Ticks);
    // The counts say how many spans were added, should this be the end.
    storeRelease(InBucket, Old + 1);
    Word += 2;
    Sum += Ticks;
    Squares += static_cast<unsigned __int128>(Ticks) * Ticks;
    Min = Ticks < Min ? Ticks : Min;
    Max = Ticks > Max ? Ticks : Max;
    return true;
  }

  /// Adds spans of \p Count records, each \p Stride behind the one before it.
  /// Returns the number of the first one that is to be folded by itself.
  [[gnu::always_inline]] uint64_t addSpans(const LogEntry *E, uint64_t Stride,
                                           uint64_t Count) {
    // As long as no bucket can be full, and no sample is one of the first.
    if (Word < 2 * FirstSamples || Word / 2 + Count >= UINT32_MAX - 1)
        [[unlikely]] {
      uint64_t Done = 0;
      for (; Done < Count && addSpan(durationOf(*E)); E += Stride)
        ++Done;
      return Done;
    }
    // In registers: what is stored to the file keeps members from staying
    // there.
    uint32_t *Histogram = C.Histogram;
    uint64_t AnyBit = 0, SumHere = 0, Small = 0, Least = Min, Most = Max;
    const LogEntry *First = E;
    for (uint64_t I = 0; I < Count; ++I, E += Stride) {
      uint64_t Ticks = durationOf(*E);
      uint32_t &InBucket = Histogram[histogramBucket(Ticks)];
      storeRelease(InBucket, InBucket + 1);
      AnyBit |= Ticks;
      SumHere += Ticks;
      Small += Ticks * Ticks;
      Least = Ticks < Least ? Ticks : Least;
      Most = Ticks > Most ? Ticks : Most;
    }
    Word += 2 * Count;
    Sum += SumHere;
    Min = Least;
    Max = Most;
    // Squares of so few bits fit, as long as there are not more than 2^12.
    if (AnyBit >> 26 == 0 && Count >> 12 == 0) [[likely]]
      Squares += Small;
    else
      for (uint64_t I = 0; I < Count; ++I) {
        unsigned __int128 Ticks = durationOf(First[I * Stride]);
        Squares += Ticks * Ticks;
      }
    return Count;
  }

  /// Ends before record \p Number. \p Begins of the records count a begin,
  /// \p Pairs end a pair.
  void finish(uint64_t Number, uint64_t Begins, uint64_t Pairs) {
    storeRelease(C.Begins, C.Begins + Begins);
    storeRelease(C.Sum, Sum);
    storeRelease(C.SquaresLow, static_cast<uint64_t>(Squares));
    storeRelease(C.SquaresHigh, static_cast<uint64_t>(Squares >> 64));
    storeRelease(C.Pairs, C.Pairs + Pairs);
    storeRelease(C.Min, Min);
    storeRelease(C.Max, Max);
    storeRelease(C.Folded, Number);
    storeRelease(C.Word, Word);
    storeRelease(Log.UndoCount, uint64_t(0));
  }

private:
  Cell &C;
  LogRecord &Log;
  uint64_t Word, Sum, Min, Max;
  unsigned __int128 Squares;
};

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

/// Takes the spans that a torn cell's histogram has and its count has not out
/// of the histogram: the first ones of \p Ticks.
inline void uncountSpans(Cell &C, std::span<const uint64_t> Ticks) {
  uint64_t Samples = 0;
  for (uint32_t InBucket : C.Histogram)
    Samples += InBucket;
  for (size_t I = 0; I < Ticks.size() && Samples > C.Word / 2; ++I, --Samples)
    --C.Histogram[histogramBucket(Ticks[I])];
}

/// Makes a torn cell what it was before record \p Number of a \p Kind and \p
/// Ticks was folded into it, as \p Fate says; the record is to be folded again.
/// The extremes and the first samples may stay: they will be the same. For a
/// copy that nobody writes.
inline void undoFold(Cell &C, const LogRecord &Log, uint64_t Number,
                     LogKind Kind, uint64_t Ticks, LogFate Fate) {
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
  if (squareStep(Log.UndoSquaresLow, Ticks).High)
    C.SquaresHigh = Log.UndoSquaresHigh;
  if (Kind == LogKind::PairEnd)
    C.Pairs = Log.UndoPairs;
  uncountSpans(C, {&Ticks, 1});
}

/// The same for a group whose first record is \p Number, and whose spans took
/// \p Ticks.
inline void undoGroup(Cell &C, const LogRecord &Log, uint64_t Number,
                      std::span<const uint64_t> Ticks) {
  C.Word -= 1;
  C.Begins = Log.UndoBegins;
  C.Sum = Log.UndoSum;
  C.SquaresLow = Log.UndoSquaresLow;
  C.SquaresHigh = Log.UndoSquaresHigh;
  C.Pairs = Log.UndoPairs;
  if (C.Folded > Number)
    C.Folded = Number;
  uncountSpans(C, Ticks);
}

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_FOLD_H
