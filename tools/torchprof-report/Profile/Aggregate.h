//===- Aggregate.h - cells added up -----------------------------*- C++ -*-===//
//
// A cell is one slot on one lane; an Aggregate is the sum of any number of
// them, over lanes, sites or files. Sums have 128 bits, so that no number of
// cells can wrap them. Ticks; plain values, safe to use from any thread that
// owns them.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_AGGREGATE_H
#define TORCHPROF_REPORT_AGGREGATE_H

#include "MeasuredSlot.h"
#include "torchprof/format/LiveReader.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace torchprof::report {

using UInt128 = unsigned __int128;

/// Ticks that are \p Scale times as long as those that are wanted, rounded. A
/// scale of exactly 1 keeps every number exact.
UInt128 scaled(UInt128 Ticks, long double Scale);

/// Copies a cell, which its owner may be writing if \p Live. Returns false for
/// a torn cell, whose copy has an odd Word: the writer was stopped in the
/// middle of an update, and some of the numbers know of one span more than
/// others.
bool readCell(const format::Cell &Source, format::Cell &Copy, bool Live);
bool readCell(const format::VariantCell &Source, format::VariantCell &Copy,
              bool Live);
/// The same of what was copied when the profile was read.
bool readCell(const MeasuredSlot &Source, MeasuredSlot &Copy, bool Live);

/// How many spans a cell of a measure or a signature stands for, of which the
/// longest or largest had \p Max. A torn one, with an odd \p Word, lacks a part
/// of one span: it counts if it is in \p Sum.
inline uint64_t countOf(uint64_t Word, uint64_t Sum, uint64_t Max) {
  uint64_t Count = Word / 2;
  return Count + (Word % 2 && UInt128(Max) * Count < Sum ? 1 : 0);
}

/// A cell without spans.
format::Cell emptyCell(format::Slot Site, uint32_t Epoch);

/// Records one sample of \p Ticks as the runtime does.
void recordSample(format::Cell &C, uint64_t Ticks);

/// Adds the cell of a measure to another one. \p Scale is the length of a tick
/// of \p From in ticks of \p To. Sums beyond 64 bits stay at the largest value.
void addMeasure(MeasuredSlot &To, const MeasuredSlot &From,
                format::MeasureSum How, double Scale = 1);

struct Aggregate {
  uint64_t Begins = 0;
  uint64_t Count = 0;
  uint64_t Cut = 0;
  uint64_t EndedElsewhere = 0; ///< as Profile has it: no cell says so
  UInt128 Sum = 0;
  UInt128 Squares = 0;
  UInt128 Nested = 0;
  UInt128 Gradients = 0;
  uint64_t Pairs = 0;
  /// What the pairs read too much: an estimate, of whoever knows the processes.
  double PairTicks = 0;
  uint64_t Min = UINT64_MAX;
  uint64_t Max = 0;
  /// The first samples of the first lane that has any.
  llvm::SmallVector<uint64_t, 2> First;
  /// Empty (nothing wanted it) or HistogramBuckets counts.
  std::vector<uint64_t> Histogram;

  /// Adds a cell whose ticks are \p Scale times as long as this aggregate's. \p
  /// GoesOn: First is of the same lane, whose calls in \p C come next.
  void add(const format::Cell &C, double Scale = 1, bool WithHistogram = true,
           bool GoesOn = false);
  void add(const Aggregate &Other);

  /// Appends the cells of \p Site that add up to this: one, or several if a
  /// bucket holds more spans than a cell can count. What ended elsewhere has
  /// not begun there: nothing in the cells would end it. False, and nothing is
  /// appended, if a sum does not fit into a cell.
  bool appendCells(format::Slot Site, std::vector<format::Cell> &Cells) const;

  /// Spans that began and were neither counted nor cut, on whatever lane.
  uint64_t unfinished() const {
    uint64_t Ended = Count + Cut + EndedElsewhere;
    return Begins > Ended ? Begins - Ended : 0;
  }

  double mean() const;
  /// Sum of squared distances from the mean, in ticks squared.
  double squaredDeviations() const;
  /// Population standard deviation.
  double standardDeviation() const;
  /// The value below or at which \p Fraction of the samples lie: the middle of
  /// its histogram bucket, kept between Min and Max. 0 without samples.
  double quantile(double Fraction) const;

  bool operator==(const Aggregate &) const = default;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_AGGREGATE_H
