//===- Histogram.h - the buckets of a cell ----------------------*- C++ -*-===//
//
// Log-linear: each octave (from a power of two to the next) is cut into
// HistogramSteps buckets of equal width, so that the middle of a bucket is
// within half a step of every value in it:
//
//   |middle - value| <= value / 28 + 2 ticks     (3.6 % and 2 ticks)
//
// Below the first octave the steps go on at its width. The last bucket is
// open; Cell::Max bounds it. At 3 GHz it begins at nearly three minutes.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_HISTOGRAM_H
#define TORCHPROF_FORMAT_HISTOGRAM_H

#include <bit>
#include <cstdint>

namespace torchprof::format {

inline constexpr unsigned HistogramSteps = 14;
inline constexpr unsigned HistogramFirstOctave = 6; ///< 64 to 127 ticks
inline constexpr unsigned HistogramBuckets = 476;
/// Percentiles are within this share of the exact value and so many ticks.
inline constexpr double HistogramError = 0.5 / HistogramSteps;
inline constexpr unsigned HistogramErrorTicks = 2;

/// Bucket of a value in ticks.
constexpr unsigned histogramBucket(uint64_t Ticks) {
  if (Ticks >> 59) // the product below must not wrap
    return HistogramBuckets - 1;
  unsigned Octave = static_cast<unsigned>(std::bit_width(Ticks | 64)) - 1;
  unsigned Bucket = HistogramSteps * (Octave - HistogramFirstOctave) +
                    static_cast<unsigned>(Ticks * HistogramSteps >> Octave);
  return Bucket < HistogramBuckets ? Bucket : HistogramBuckets - 1;
}

/// Smallest value in ticks that falls into a bucket.
constexpr uint64_t histogramLowerBound(unsigned Bucket) {
  uint64_t Step = Bucket;
  unsigned Octave = HistogramFirstOctave;
  if (Bucket >= 2 * HistogramSteps) {
    Octave += Bucket / HistogramSteps - 1;
    Step = HistogramSteps + Bucket % HistogramSteps;
  }
  return ((Step << Octave) + HistogramSteps - 1) / HistogramSteps;
}

/// Middle of a bucket in ticks. Of the last one: its lower bound.
constexpr double histogramMiddle(unsigned Bucket) {
  auto Low = static_cast<double>(histogramLowerBound(Bucket));
  if (Bucket + 1 >= HistogramBuckets)
    return Low;
  auto Next = static_cast<double>(histogramLowerBound(Bucket + 1));
  return (Low + Next - 1) / 2;
}

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_HISTOGRAM_H
