//===- Pages.h - where the collector's memory comes from --------*- C++ -*-===//
//
// Whole zero pages from the kernel: the host's allocator may be what is being
// profiled, and a probe must not enter it. Tests hand in a source that runs
// dry. Safe from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PAGES_H
#define TORCHPROF_PAGES_H

#include <cstdint>

namespace torchprof {

/// \p Value or the next multiple of \p Unit above it.
constexpr uint64_t roundUp(uint64_t Value, uint64_t Unit) {
  return (Value + Unit - 1) / Unit * Unit;
}

class PageSource {
public:
  virtual ~PageSource() = default;
  /// \p Bytes of zero memory, rounded up to pages; null if there is none.
  virtual void *plain(uint64_t Bytes);
  /// The same, which a forked child finds wiped. Never given back.
  virtual void *wiped(uint64_t Bytes);
  /// Size of the kernel's pages: 4 KiB, on Arm also 16 or 64 KiB. Segments of
  /// a file begin at multiples of format::PageBytes all the same.
  virtual uint64_t pageBytes();
  /// Gives plain() memory back.
  virtual void free(void *Memory, uint64_t Bytes);

  /// The kernel's.
  static PageSource &system();
};

} // namespace torchprof

#endif // TORCHPROF_PAGES_H
