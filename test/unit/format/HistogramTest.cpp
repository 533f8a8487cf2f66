//===- HistogramTest.cpp - buckets and the error of quantiles -------------===//

#include "torchprof/format/Records.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace torchprof::format;

TEST(Histogram, SmallValuesAreExact) {
  for (uint64_t V = 0; V < 8; ++V) {
    EXPECT_EQ(histogramBucket(V), V);
    EXPECT_EQ(histogramLowerBound(unsigned(V)), V);
  }
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

TEST(Histogram, QuantilesAreWithin12Point5PercentOfExactSorting) {
  std::mt19937_64 Random(1);
  std::lognormal_distribution<double> Latency(9.0, 2.0);
  std::vector<uint64_t> Values(20000);
  std::vector<uint64_t> Counts(HistogramBuckets);
  for (uint64_t &V : Values) {
    V = uint64_t(Latency(Random));
    ++Counts[histogramBucket(V)];
  }
  std::sort(Values.begin(), Values.end());
  for (double Quantile : {0.01, 0.25, 0.5, 0.9, 0.99, 0.999}) {
    auto Rank = uint64_t(std::ceil(Quantile * double(Values.size())));
    uint64_t Exact = Values[Rank - 1];
    unsigned B = 0;
    for (uint64_t Seen = Counts[0]; Seen < Rank; Seen += Counts[++B])
      ;
    double Low = double(histogramLowerBound(B));
    double High = double(histogramLowerBound(B + 1) - 1);
    double Middle = (Low + High) / 2;
    EXPECT_NEAR(Middle, double(Exact), 0.125 * double(Exact));
  }
}
