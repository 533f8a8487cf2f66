//===- FunctionRings.h - which span made an autograd function ---*- C++ -*-===//
//
// LibTorch numbers the autograd functions that a thread makes, in their order
// (at::sequence_number), and tells a function's number and thread when it runs
// in backward. So it is enough to know of each number which span was the
// innermost one when it was given out: that node's gradient the function
// computes.
//
// A ring per thread has the last numbers. It outlives its thread, since graphs
// do; beyond some threads, the ring of the one that ended first is used again.
// A child of fork goes on with its parent's rings, as with the graphs.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FUNCTIONRINGS_H
#define TORCHPROF_FUNCTIONRINGS_H

#include "torchprof/format/Site.h"

#include <atomic>
#include <cstdint>

namespace torchprof {

class PageSource;

class FunctionRing {
public:
  /// Numbers that a ring knows.
  static constexpr uint64_t Size = 65536;

  /// Functions before this number have been claimed. Owner only.
  uint64_t claimed() const { return Claimed; }

  /// Files the functions made since the last claim, up to before \p Next, under
  /// \p Site; under nobody if that is NoSlot. Owner only.
  void claim(uint64_t Next, format::Slot Site) {
    if (Next != Claimed)
      claimMore(Next, Site);
  }

  /// The owner's thread ends. The caller holds the process lock.
  void release();

private:
  friend class FunctionRings;

  void claimMore(uint64_t Next, format::Slot Site);

  uint64_t Claimed;
  std::atomic<uint64_t> Thread; ///< LibTorch's number of it
  bool HasEnded;                ///< guarded by the process lock, as the next
  uint64_t EndOrder;            ///< among the threads that have ended
  FunctionRing *Next;
  /// (number + 1) << 24 | slot, at number % Size.
  std::atomic<uint64_t> Makers[Size];
};

class FunctionRings {
public:
  static constexpr unsigned MaxRings = 64;

  /// The ring of the calling thread, which LibTorch calls \p Thread; it knows
  /// nothing of functions before number \p Next that were not claimed. Null
  /// without memory, and if MaxRings threads have one. Takes the process lock.
  FunctionRing *own(uint64_t Thread, uint64_t Next, PageSource &Pages);

  /// The site under which a function was filed, NoSlot if there is none. One
  /// that was forgotten for later ones is counted. Any thread.
  format::Slot makerOf(uint64_t Thread, uint64_t Number) const;

private:
  FunctionRing *find(uint64_t Thread) const;
  FunctionRing *endedFirst() const;

  std::atomic<FunctionRing *> All{nullptr};
  unsigned Count = 0; ///< guarded by the process lock
};

} // namespace torchprof

#endif // TORCHPROF_FUNCTIONRINGS_H
