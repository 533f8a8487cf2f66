//===- SequenceMatch.h - same items of two sequences ------------*- C++ -*-===//
//
// Two sequences of which each has lost some items are laid side by side so that
// as many as possible are the same (their longest common subsequence). Often
// that can be done in several ways; only what is the same in all of them is
// certain.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_SEQUENCEMATCH_H
#define TORCHPROF_ATTACH_SEQUENCEMATCH_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace torchprof {

/// For each of \p Left items the one of \p Right that it is for certain. \p
/// Same takes an index of each. Sequences that are too long to be compared and
/// not the same throughout have none.
template <typename Predicate>
std::vector<std::optional<size_t>> certainMatches(size_t Left, size_t Right,
                                                  Predicate Same) {
  std::vector<std::optional<size_t>> Match(Left);
  auto AllSame = [&] {
    if (Left != Right)
      return false;
    for (size_t I = 0; I < Left; ++I)
      if (!Same(I, I))
        return false;
    return true;
  };
  if (AllSame()) {
    for (size_t I = 0; I < Left; ++I)
      Match[I] = I;
    return Match;
  }
  constexpr size_t MostCells = 4'000'000;
  size_t Width = Right + 1;
  if (Right && Left + 1 > MostCells / Width)
    return Match;
  // Most items that are the same before, and from, a place in both.
  std::vector<uint32_t> Before((Left + 1) * Width), From((Left + 1) * Width);
  for (size_t I = 1; I <= Left; ++I)
    for (size_t J = 1; J <= Right; ++J)
      Before[I * Width + J] = Same(I - 1, J - 1)
                                  ? Before[(I - 1) * Width + J - 1] + 1
                                  : std::max(Before[(I - 1) * Width + J],
                                             Before[I * Width + J - 1]);
  for (size_t I = Left; I-- > 0;)
    for (size_t J = Right; J-- > 0;)
      From[I * Width + J] = Same(I, J) ? From[(I + 1) * Width + J + 1] + 1
                                       : std::max(From[(I + 1) * Width + J],
                                                  From[I * Width + J + 1]);
  // Each best way has one pair of each rank: one that is alone is in all.
  std::vector<uint32_t> OfRank(From[0]);
  auto EachPossible = [&](auto Visit) {
    for (size_t I = 0; I < Left; ++I)
      for (size_t J = 0; J < Right; ++J)
        if (uint32_t Rank = Before[I * Width + J];
            Same(I, J) && Rank + 1 + From[(I + 1) * Width + J + 1] == From[0])
          Visit(I, J, Rank);
  };
  EachPossible([&](size_t, size_t, uint32_t Rank) { ++OfRank[Rank]; });
  EachPossible([&](size_t I, size_t J, uint32_t Rank) {
    if (OfRank[Rank] == 1)
      Match[I] = J;
  });
  return Match;
}

} // namespace torchprof

#endif // TORCHPROF_ATTACH_SEQUENCEMATCH_H
