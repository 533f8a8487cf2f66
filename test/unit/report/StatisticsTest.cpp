//===- StatisticsTest.cpp - is a difference of means real -----------------===//

#include "../../../tools/torchprof-report/Report/Statistics.h"

#include "gtest/gtest.h"

#include <random>

using namespace torchprof::report;

namespace {

// Two-sided quantiles of Student's t, from printed tables.
TEST(Statistics, StudentsTable) {
  EXPECT_NEAR(studentTwoSided(12.706, 1), 0.05, 1e-5);
  EXPECT_NEAR(studentTwoSided(2.776, 4), 0.05, 1e-4);
  EXPECT_NEAR(studentTwoSided(2.228, 10), 0.05, 1e-4);
  EXPECT_NEAR(studentTwoSided(2.750, 30), 0.01, 1e-4);
  EXPECT_NEAR(studentTwoSided(1.960, 1e7), 0.05, 1e-4);
  EXPECT_DOUBLE_EQ(studentTwoSided(0, 5), 1);
}

// Known difference: means 20 and 22, variances 4 and 9 of 25 samples each give
// t = 2 / sqrt(4/25 + 9/25) = 2.774 with 41.81 degrees of freedom.
TEST(Statistics, WelchByHand) {
  Moments A = {25, 20, 4 * 24}, B = {25, 22, 9 * 24};
  EXPECT_NEAR(welchPValue(A, B), studentTwoSided(2.77350, 41.8144), 1e-6);
  EXPECT_NEAR(welchPValue(A, B), welchPValue(B, A), 1e-12);
}

TEST(Statistics, NothingIsKnownOfOneSample) {
  EXPECT_EQ(welchPValue({1, 5, 0}, {100, 9, 3}), 1);
}

TEST(Statistics, ConstantTimes) {
  EXPECT_EQ(welchPValue({9, 5, 0}, {9, 5, 0}), 1);
  EXPECT_EQ(welchPValue({9, 5, 0}, {9, 6, 0}), 0);
}

Moments sample(std::mt19937_64 &Random, double Mean) {
  std::normal_distribution<double> Times(Mean, 10);
  Moments M;
  for (M.Count = 0; M.Count < 30;) {
    double X = Times(Random);
    double Delta = X - M.Mean;
    M.Mean += Delta / static_cast<double>(++M.Count);
    M.SquaredDeviations += Delta * (X - M.Mean);
  }
  return M;
}

// Without a difference, p below 0.05 comes up in one case of twenty.
TEST(Statistics, FalseAlarmsAreAsRareAsPromised) {
  std::mt19937_64 Random(5);
  unsigned Alarms = 0;
  for (unsigned I = 0; I < 4000; ++I)
    Alarms += welchPValue(sample(Random, 100), sample(Random, 100)) < 0.05;
  EXPECT_NEAR(Alarms, 200, 60);
}

TEST(Statistics, DifferencesAreFound) {
  std::mt19937_64 Random(6);
  unsigned Found = 0;
  for (unsigned I = 0; I < 100; ++I)
    Found += welchPValue(sample(Random, 100), sample(Random, 120)) < 0.01;
  EXPECT_GE(Found, 99u);
}

} // namespace
