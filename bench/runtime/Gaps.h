//===- Gaps.h - the time between what nodes do ------------------*- C++ -*-===//
//
// A node that reads 16 MB takes a millisecond, and no two take the same to 100
// ns: what its probes cost cannot be known from how long calls take. An
// operator that says when its work begins and ends lets what lies between be
// measured apart. Fences keep the work out of it, and what is between out of
// the work.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_BENCH_GAPS_H
#define TORCHPROF_BENCH_GAPS_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/// Ticks of the processor's counter where there is one, else ns.
inline uint64_t ticksNow() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count());
#endif
}

/// The same, neither earlier nor later than where it stands.
inline uint64_t ticksHere() {
#if defined(__x86_64__)
  _mm_lfence();
  uint64_t Now = __rdtsc();
  _mm_lfence();
  return Now;
#else
  return ticksNow();
#endif
}

inline double median(std::vector<double> Values) {
  std::nth_element(Values.begin(), Values.begin() + Values.size() / 2,
                   Values.end());
  return Values[Values.size() / 2];
}

inline double mean(const std::vector<double> &Values) {
  return std::accumulate(Values.begin(), Values.end(), 0.0) /
         double(Values.size());
}

/// The gaps of calls in each of which as many nodes work. Ticks.
class Gaps {
public:
  void beginCall() {
    Marks.clear();
    mark();
  }
  /// At the begin and at the end of a node's work.
  void mark() { Marks.push_back(ticksHere()); }
  void endCall() {
    mark();
    if (Marks.size() == 2)
      return; // no node that marks its work
    Around.push_back(double(Marks[1] - Marks[0]) + last());
    Last.push_back(last());
    for (size_t I = 2; I + 2 < Marks.size(); I += 2)
      Between.push_back(double(Marks[I + 1] - Marks[I]));
  }

  /// What a node's share of all gaps is, and of the one that is a call's last,
  /// in which logs are folded: that one on the average, since it is done for
  /// many calls at once. Of the calls since they were last asked for.
  struct Share {
    double All, Last;
  };
  Share take() {
    Share S{};
    if (!Last.empty()) {
      size_t Inner = Between.size() / Last.size(); // in each call
      S.All = mean(Around) / double(Inner + 1);
      S.Last = mean(Last) / double(Inner + 1);
      if (Inner)
        S.All += median(Between) * double(Inner) / double(Inner + 1);
    }
    Between.clear(), Around.clear(), Last.clear();
    return S;
  }

private:
  double last() const { return double(Marks.back() - Marks[Marks.size() - 2]); }

  std::vector<uint64_t> Marks; ///< of one call
  std::vector<double> Between; ///< the nodes
  std::vector<double> Around;  ///< all of them: a call's first and last gap
  std::vector<double> Last;
};

#endif // TORCHPROF_BENCH_GAPS_H
