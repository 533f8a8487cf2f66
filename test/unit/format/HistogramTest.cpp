//===- HistogramTest.cpp - buckets and the error of quantiles -------------===//

#include "torchprof/format/Records.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace torchprof::format;

TEST(Histogram, MiddleOfABucketIsNearEveryValueInIt) {
  for (uint64_t V = 0; V < 200'000; V += V < 5000 ? 1 : 37) {
    double Middle = histogramMiddle(histogramBucket(V));
    EXPECT_NEAR(Middle, double(V),
                double(V) * HistogramError + HistogramErrorTicks)
        << V;
  }
}

TEST(Histogram, MinutesAreStillToldApart) {
  constexpr uint64_t Minute = 180'000'000'000; // ticks at 3 GHz
  EXPECT_LT(histogramBucket(Minute), histogramBucket(Minute + Minute / 10));
  EXPECT_LT(histogramBucket(2 * Minute),
            histogramBucket(2 * Minute + Minute / 5));
  EXPECT_LT(histogramBucket(3 * Minute - Minute / 10), HistogramBuckets - 1);
}

TEST(Histogram, EveryBucketBeginsAtItsLowerBound) {
  for (unsigned B = 0; B < HistogramBuckets; ++B) {
    EXPECT_EQ(histogramBucket(histogramLowerBound(B)), B);
    if (B > 0) {
      EXPECT_EQ(histogramBucket(histogramLowerBound(B) - 1), B - 1);
    }
  }
  EXPECT_EQ(histogramBucket(UINT64_MAX), HistogramBuckets - 1);
}

/// The largest error of the quantiles of values drawn by \p Draw, in shares of
/// the exact ones.
template <typename Function> static double worstQuantile(Function Draw) {
  std::vector<uint64_t> Values(20000);
  std::vector<uint64_t> Counts(HistogramBuckets);
  for (uint64_t &V : Values) {
    V = uint64_t(Draw());
    ++Counts[histogramBucket(V)];
  }
  std::sort(Values.begin(), Values.end());
  double Worst = 0;
  for (double Quantile : {0.01, 0.25, 0.5, 0.9, 0.99, 0.999}) {
    auto Rank = uint64_t(std::ceil(Quantile * double(Values.size())));
    unsigned B = 0;
    for (uint64_t Seen = Counts[0]; Seen < Rank; Seen += Counts[++B])
      ;
    double Exact = double(Values[Rank - 1]);
    Worst = std::max(Worst, std::fabs(histogramMiddle(B) - Exact) / Exact);
  }
  return Worst;
}

TEST(Histogram, QuantilesAreWithinFourPercentOfExactSorting) {
  std::mt19937_64 Random(1);
  // From nodes of some 100 ns at 3 GHz to runs of seconds.
  for (double Median : {300.0, 8e3, 1e6, 3e8, 6e9})
    for (double Spread : {0.02, 0.3, 1.0}) {
      std::lognormal_distribution<double> Latency(std::log(Median), Spread);
      EXPECT_LE(worstQuantile([&] { return 100 + Latency(Random); }), 0.04)
          << Median << " " << Spread;
    }
}

/// Convolutions of one model, some 10 % apart, must not print one p50.
TEST(Histogram, ValuesEightPercentApartAreToldApart) {
  for (double V = 1000; V < 1e10; V *= 1.7)
    EXPECT_NE(histogramBucket(uint64_t(V)),
              histogramBucket(uint64_t(V * 1.08)));
}
