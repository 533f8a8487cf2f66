//===- EndedSpans.h - spans that lie in or beside each other ----*- C++ -*-===//

#ifndef TORCHPROF_REPORT_ENDEDSPANS_H
#define TORCHPROF_REPORT_ENDEDSPANS_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace torchprof::report {

/// The spans of a track that have ended, but those inside of others. They come
/// in the order of their ends: what lies in a span comes before it.
class EndedSpans {
public:
  /// True if one that begins at \p BeginNs and ends now lies around or beside
  /// all of them.
  bool fits(uint64_t BeginNs) const {
    auto Inside =
        std::partition_point(Spans.begin(), Spans.end(), [&](const auto &Span) {
          return Span.first < BeginNs;
        });
    return Inside == Spans.begin() || std::prev(Inside)->second <= BeginNs;
  }

  /// Takes away the spans inside of one that begins at \p BeginNs. Returns when
  /// the last of them ended, 0 if there was none.
  uint64_t takeInside(uint64_t BeginNs) {
    uint64_t End = 0;
    while (!Spans.empty() && Spans.back().first >= BeginNs) {
      End = std::max(End, Spans.back().second);
      Spans.pop_back();
    }
    return End;
  }

  /// When the last one ended; 0 without any.
  uint64_t lastEnd() const { return Spans.empty() ? 0 : Spans.back().second; }

  void add(uint64_t BeginNs, uint64_t EndNs) {
    if (Spans.size() == Most)
      Spans.erase(Spans.begin(), Spans.begin() + Most / 2);
    Spans.emplace_back(BeginNs, EndNs);
  }

private:
  /// Older ones are forgotten: what overlaps them is not seen.
  static constexpr size_t Most = 4096;
  std::vector<std::pair<uint64_t, uint64_t>> Spans; ///< by their begins
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_ENDEDSPANS_H
