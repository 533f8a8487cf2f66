//===- AggregateTest.cpp - cells added up ---------------------------------===//

#include "../../../tools/torchprof-report/Profile/Aggregate.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace torchprof;
using namespace torchprof::report;

namespace {

format::Cell cellOf(const std::vector<uint64_t> &Samples) {
  format::Cell C = {};
  for (uint64_t Ticks : Samples)
    recordSample(C, Ticks);
  return C;
}

std::vector<uint64_t> randomSamples(unsigned Count, uint64_t Seed) {
  std::mt19937_64 Random(Seed);
  std::lognormal_distribution<double> Times(12, 2);
  std::vector<uint64_t> Samples;
  for (unsigned I = 0; I < Count; ++I)
    Samples.push_back(static_cast<uint64_t>(Times(Random)));
  return Samples;
}

TEST(Aggregate, MomentsOfKnownSamples) {
  Aggregate A;
  A.add(cellOf({2, 4, 4, 4, 5, 5, 7, 9}));
  EXPECT_EQ(A.Count, 8u);
  EXPECT_EQ(A.Min, 2u);
  EXPECT_EQ(A.Max, 9u);
  EXPECT_DOUBLE_EQ(A.mean(), 5);
  EXPECT_DOUBLE_EQ(A.standardDeviation(), 2);
  EXPECT_NEAR(A.quantile(0.5), 4, 2); // the finest bucket has 5 ticks
  EXPECT_EQ(A.First.size(), format::FirstSamples);
}

TEST(Aggregate, FirstSamplesAreThoseThatACellHasKept) {
  Aggregate Sum;
  Sum.add(cellOf({300, 100}));
  Sum.add(cellOf({200}));
  std::vector<format::Cell> Cells;
  ASSERT_TRUE(Sum.appendCells(format::Slot(0), Cells));
  Aggregate Again;
  for (const format::Cell &C : Cells)
    Again.add(C);
  EXPECT_EQ(Again.Count, 3u);
  EXPECT_EQ(Again.First, Sum.First);
}

TEST(Aggregate, QuantilesAreWithinTheBound) {
  std::vector<uint64_t> Samples = randomSamples(5000, 1);
  Aggregate A;
  A.add(cellOf(Samples));
  std::sort(Samples.begin(), Samples.end());
  for (double Fraction : {0.01, 0.1, 0.5, 0.9, 0.99, 1.0}) {
    auto Exact = static_cast<double>(
        Samples[static_cast<size_t>(std::ceil(Fraction * 5000)) - 1]);
    EXPECT_LE(std::fabs(A.quantile(Fraction) - Exact),
              format::HistogramError * Exact + format::HistogramErrorTicks)
        << Fraction;
  }
}

TEST(Aggregate, PercentilesOfAnotherClockAreRoundedTwice) {
  double Most = 0;
  for (uint64_t Ticks = 100000; Ticks < 200000; Ticks += 211) {
    constexpr double Scale = 1 / 2.9;
    Aggregate A;
    A.add(cellOf({1, Ticks, Ticks, Ticks, 1000000000}), Scale);
    double Exact = static_cast<double>(Ticks) * Scale;
    double Error = std::fabs(A.quantile(0.5) - Exact) / Exact;
    Most = std::max(Most, Error);
  }
  EXPECT_GT(Most, format::HistogramError);
  constexpr double Once = 1 + format::HistogramError;
  EXPECT_LE(Most, Once * Once - 1);
}

TEST(Aggregate, SumOfPartsIsTheWhole) {
  std::vector<uint64_t> Samples = randomSamples(999, 2);
  Aggregate Whole, Parts, Second;
  Whole.add(cellOf(Samples));
  Parts.add(cellOf({Samples.begin(), Samples.begin() + 400}));
  Second.add(cellOf({Samples.begin() + 400, Samples.end()}));
  Parts.add(Second);
  EXPECT_EQ(Parts, Whole);
}

TEST(Aggregate, CellsAddUpAgain) {
  Aggregate A, Again;
  A.add(cellOf(randomSamples(1000, 3)));
  A.Cut = 3;
  A.Nested = 77;
  A.Gradients = 78;
  A.Pairs = 400;
  std::vector<format::Cell> Cells;
  ASSERT_TRUE(A.appendCells(format::Slot(5), Cells));
  ASSERT_EQ(Cells.size(), 1u);
  EXPECT_EQ(Cells[0].Site, format::Slot(5));
  Again.add(Cells[0]);
  EXPECT_EQ(Again, A);
}

TEST(Aggregate, FullBucketsContinueInFurtherCells) {
  Aggregate A, Again;
  A.add(cellOf({100, 100, 300}));
  uint64_t Many = 5ull << 31; // two full cells and a half
  A.Count = Many + 1;
  A.Begins = Many + 2;
  A.Pairs = Many - 1;
  A.Sum = UInt128(Many) * 100 + 300;
  A.Squares = UInt128(Many) * 10000 + 90000;
  A.Histogram[format::histogramBucket(100)] = Many;
  A.First.assign(format::FirstSamples, 100);
  std::vector<format::Cell> Cells;
  ASSERT_TRUE(A.appendCells(format::Slot(0), Cells));
  ASSERT_EQ(Cells.size(), 3u);
  for (const format::Cell &C : Cells) {
    uint64_t Count = C.Word / 2, Samples = 0;
    for (uint32_t N : C.Histogram)
      Samples += N;
    EXPECT_EQ(Samples, Count);
    EXPECT_LE(UInt128(C.Min) * Count, C.Sum);
    EXPECT_GE(UInt128(C.Max) * Count, C.Sum);
    EXPECT_LE(C.Pairs, Count);
    Again.add(C);
  }
  EXPECT_TRUE(Again == A);
}

TEST(Aggregate, FirstSamplesGoOnInTheNextCellOfALane) {
  Aggregate Same, Other;
  for (const format::Cell &C :
       {cellOf({3, 1}), cellOf({2}), cellOf({7, 8, 9}), cellOf({4})}) {
    Same.add(C, 1, /*WithHistogram=*/false, /*GoesOn=*/true);
    Other.add(C, 1, /*WithHistogram=*/false);
  }
  EXPECT_EQ(std::vector<uint64_t>(Same.First.begin(), Same.First.end()),
            (std::vector<uint64_t>{3, 1, 2, 7, 8}));
  EXPECT_EQ(std::vector<uint64_t>(Other.First.begin(), Other.First.end()),
            (std::vector<uint64_t>{3, 1}));
  // Behind calls that are not kept singly none is among the first.
  Aggregate Gap;
  format::Cell Two = cellOf({3, 1});
  Two.First[1] = 0;
  Gap.add(Two, 1, /*WithHistogram=*/false, /*GoesOn=*/true);
  Gap.add(cellOf({2}), 1, /*WithHistogram=*/false, /*GoesOn=*/true);
  EXPECT_EQ(std::vector<uint64_t>(Gap.First.begin(), Gap.First.end()),
            std::vector<uint64_t>{3});
}

TEST(Aggregate, SumsThatFitNoCell) {
  Aggregate A;
  A.Sum = UInt128(1) << 64;
  std::vector<format::Cell> Cells;
  EXPECT_FALSE(A.appendCells(format::Slot(0), Cells));
  EXPECT_TRUE(Cells.empty());
}

TEST(Aggregate, SumsDoNotWrap) {
  format::Cell C = {};
  C.Word = 2;
  C.Sum = UINT64_MAX;
  C.SquaresHigh = UINT64_MAX >> 1;
  Aggregate A;
  A.add(C);
  A.add(C);
  EXPECT_EQ(A.Sum, UInt128(UINT64_MAX) * 2);
  EXPECT_GT(A.mean(), 1.8e19);
}

TEST(Aggregate, OtherClocksAreScaled) {
  Aggregate A;
  A.add(cellOf({100, 200}), 0.5);
  EXPECT_EQ(A.Sum, 150u);
  EXPECT_EQ(A.Squares, 12500u);
  EXPECT_EQ(A.Min, 50u);
  EXPECT_EQ(A.Max, 100u);
  EXPECT_EQ(A.Count, 2u);
  EXPECT_NEAR(A.quantile(1), 100,
              100 * format::HistogramError + format::HistogramErrorTicks);
}

TEST(Aggregate, MeasuresAddUp) {
  MeasuredSlot A = {}, B = {};
  A.Word = 4, A.Sum = 10, A.Max = 7, A.Time = 100, A.Nested = 1;
  B.Word = 2, B.Sum = 8, B.Max = 8, B.Time = 30, B.Nested = 2;
  MeasuredSlot Sum = A, Peak = A;
  Peak.Sum = A.Max;
  addMeasure(Sum, B, format::MeasureSum::Sum, 0.5);
  EXPECT_EQ(Sum.Word, 6u);
  EXPECT_EQ(Sum.Sum, 18u);
  EXPECT_EQ(Sum.Max, 8u);
  EXPECT_EQ(Sum.Time, 115u);
  EXPECT_EQ(Sum.Nested, 3u);
  addMeasure(Peak, B, format::MeasureSum::Peak);
  EXPECT_EQ(Peak.Sum, 8u);
  B.Sum = UINT64_MAX;
  addMeasure(Sum, B, format::MeasureSum::Sum);
  EXPECT_EQ(Sum.Sum, UINT64_MAX);
}

TEST(Aggregate, TornCellsAreNotRead) {
  format::Cell C = cellOf({1, 2}), Copy;
  EXPECT_TRUE(readCell(C, Copy, true));
  EXPECT_EQ(Copy.Sum, 3u);
  C.Word |= 1;
  EXPECT_FALSE(readCell(C, Copy, true));
  EXPECT_FALSE(readCell(C, Copy, false));
  MeasuredSlot M = {}, MeasureCopy;
  M.Word = 1;
  EXPECT_FALSE(readCell(M, MeasureCopy, true));
  EXPECT_FALSE(readCell(M, MeasureCopy, false));
}

TEST(Aggregate, BucketsHoldWhatTheySay) {
  for (unsigned B = 0; B + 1 < format::HistogramBuckets; ++B) {
    EXPECT_EQ(format::histogramBucket(format::histogramLowerBound(B)), B);
    EXPECT_EQ(format::histogramBucket(format::histogramLowerBound(B + 1) - 1),
              B);
  }
}

} // namespace
