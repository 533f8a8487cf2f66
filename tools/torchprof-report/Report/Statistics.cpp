//===- Statistics.cpp - is a difference of means real ---------------------===//

#include "Statistics.h"

#include <cmath>
#include <limits>

using namespace torchprof;
using namespace torchprof::report;

/// Continued fraction of the incomplete beta function, evaluated by Lentz's
/// method. Abramowitz and Stegun, Handbook of Mathematical Functions, 26.5.8.
static double betaFraction(double A, double B, double X) {
  constexpr double Tiny = 1e-300;
  constexpr double Precision = 1e-14;
  auto Guard = [](double V) { return std::fabs(V) < Tiny ? Tiny : V; };
  double C = 1;
  double D = 1 / Guard(1 - (A + B) * X / (A + 1));
  double Result = D;
  for (int M = 1; M <= 500; ++M) {
    double Even = M * (B - M) * X / ((A + 2 * M - 1) * (A + 2 * M));
    D = 1 / Guard(1 + Even * D);
    C = Guard(1 + Even / C);
    Result *= D * C;
    double Odd = -(A + M) * (A + B + M) * X / ((A + 2 * M) * (A + 2 * M + 1));
    D = 1 / Guard(1 + Odd * D);
    C = Guard(1 + Odd / C);
    Result *= D * C;
    if (std::fabs(D * C - 1) < Precision)
      break;
  }
  return Result;
}

/// Regularized incomplete beta function I_X(A, B).
static double incompleteBeta(double A, double B, double X) {
  if (X <= 0)
    return 0;
  if (X >= 1)
    return 1;
  double Front = std::exp(std::lgamma(A + B) - std::lgamma(A) - std::lgamma(B) +
                          A * std::log(X) + B * std::log1p(-X));
  // The fraction converges fast on the near side of the mean only.
  if (X < (A + 1) / (A + B + 2))
    return Front * betaFraction(A, B, X) / A;
  return 1 - Front * betaFraction(B, A, 1 - X) / B;
}

double report::studentTwoSided(double T, double Freedom) {
  return incompleteBeta(Freedom / 2, 0.5, Freedom / (Freedom + T * T));
}

double report::welchPValue(const Moments &A, const Moments &B) {
  if (!canTest(A, B))
    return 1;
  auto SquaredError = [](const Moments &M) {
    auto N = static_cast<double>(M.Count);
    return M.SquaredDeviations / (N - 1) / N;
  };
  double ErrorA = SquaredError(A), ErrorB = SquaredError(B);
  double Error = ErrorA + ErrorB;
  double Difference = B.Mean - A.Mean;
  // Rounding of the sums must not look like certainty.
  double Scale = std::fmax(std::fabs(A.Mean), std::fabs(B.Mean));
  if (Error <= Scale * Scale * std::numeric_limits<double>::epsilon())
    return std::fabs(Difference) <= 1e-9 * Scale ? 1 : 0;
  // Degrees of freedom after Welch and Satterthwaite.
  double Freedom = Error * Error /
                   (ErrorA * ErrorA / static_cast<double>(A.Count - 1) +
                    ErrorB * ErrorB / static_cast<double>(B.Count - 1));
  return studentTwoSided(Difference / std::sqrt(Error), Freedom);
}
