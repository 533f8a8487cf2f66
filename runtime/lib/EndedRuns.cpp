//===- EndedRuns.cpp - runs that ended on another thread ------------------===//

#include "EndedRuns.h"

namespace torchprof {

using namespace format;

/// Tells runs apart, whose begins are ticks of one clock; never 0.
static uint64_t keyOf(uint64_t Begin, Slot Root) {
  return (Begin ^ uint64_t(number(Root)) << 40) * 0x9e3779b97f4a7c15ull | 1;
}

void EndedRuns::add(uint64_t Begin, Slot Root) {
  uint64_t Key = keyOf(Begin, Root);
  Count.fetch_add(1, std::memory_order_relaxed);
  for (std::atomic<uint64_t> &Note : groupOf(Key)) {
    uint64_t None = 0;
    if (Note.compare_exchange_strong(None, Key, std::memory_order_relaxed))
      return;
  }
  std::atomic<uint64_t> &Older = groupOf(Key)[Key >> 56 & 7];
  if (Older.exchange(Key, std::memory_order_relaxed))
    Count.fetch_sub(1, std::memory_order_relaxed);
}

bool EndedRuns::take(uint64_t Begin, Slot Root) {
  uint64_t Key = keyOf(Begin, Root);
  for (std::atomic<uint64_t> &Note : groupOf(Key)) {
    uint64_t Known = Key;
    if (Note.load(std::memory_order_relaxed) == Key &&
        Note.compare_exchange_strong(Known, 0, std::memory_order_relaxed)) {
      Count.fetch_sub(1, std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

} // namespace torchprof
