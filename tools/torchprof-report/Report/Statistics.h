//===- Statistics.h - is a difference of means real -------------*- C++ -*-===//
//
// Welch's t-test: two means whose variances may differ. B. L. Welch, The
// generalization of "Student's" problem when several different population
// variances are involved, Biometrika 34 (1947). Pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_STATISTICS_H
#define TORCHPROF_REPORT_STATISTICS_H

#include <cstdint>

namespace torchprof::report {

/// Count, mean and sum of squared distances from the mean.
struct Moments {
  uint64_t Count = 0;
  double Mean = 0;
  double SquaredDeviations = 0;
};

/// True if anything is known of how \p A and \p B vary: each has two samples.
inline bool canTest(const Moments &A, const Moments &B) {
  return A.Count >= 2 && B.Count >= 2;
}

/// Probability of a difference at least as large as the one of \p A and \p B
/// when their true means are equal. 1 if they cannot be tested. 0 if both never
/// vary and differ.
double welchPValue(const Moments &A, const Moments &B);

/// Probability that Student's t with \p Freedom degrees of freedom is at least
/// |T| away from 0.
double studentTwoSided(double T, double Freedom);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_STATISTICS_H
