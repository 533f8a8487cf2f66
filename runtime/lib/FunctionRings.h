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
// A child of fork goes on with its parent's rings, as with the graphs; those of
// threads that are not its own are used again in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FUNCTIONRINGS_H
#define TORCHPROF_FUNCTIONRINGS_H

#include "torchprof/format/LogRecord.h"
#include "torchprof/format/Site.h"

#include <atomic>
#include <cstdint>
#include <sys/types.h>

namespace torchprof {

class PageSource;

/// The span that made a function, in one word.
struct FunctionMaker {
  static constexpr unsigned SlotBits = 24;
  static_assert(format::MaxSlots == 1u << SlotBits);
  /// Functions of autograd's own, such as AccumulateGrad, have the largest
  /// number there is.
  static constexpr uint64_t MaxNumber = (UINT64_MAX >> SlotBits) - 1;

  FunctionMaker(uint64_t Number, format::Slot Site)
      : Packed((Number + 1) << SlotBits | number(Site)) {}
  explicit FunctionMaker(uint64_t Packed) : Packed(Packed) {}

  /// The function's number plus 1, so that an empty entry is before all.
  uint64_t order() const { return Packed >> SlotBits; }
  format::Slot site() const {
    return format::Slot(static_cast<uint32_t>(Packed & (format::MaxSlots - 1)));
  }

  uint64_t Packed;
};

class FunctionRing {
public:
  /// Numbers that a ring knows.
  static constexpr uint64_t Size = 65536;

  /// Functions before this number have been claimed. Owner only.
  uint64_t claimed() const { return Claimed; }

  /// Files the functions made since the last claim, up to before \p Next, under
  /// \p Site; under nobody if that is NoSlot. Owner only.
  void claim(uint64_t Next, format::Slot Site) {
    if (Next == Claimed)
      return;
    // Most nodes make one function.
    if (Next - 1 != Claimed || Site == format::NoSlot) [[unlikely]]
      return claimMore(Next, Site);
    file(Claimed, Site);
    Claimed = Next;
  }

  /// Goes on at number \p Next: those before it are nobody's unless they were
  /// claimed. Owner only.
  void resume(uint64_t Next) { Claimed = Next; }

  /// The owner's thread ends. The caller holds the process lock.
  void release();

private:
  friend class FunctionRings;

  void claimMore(uint64_t Next, format::Slot Site);

  void file(uint64_t Number, format::Slot Site) {
    // Release: who reads it finds the owner (makerOf).
    Makers[Number % Size].store(FunctionMaker(Number, Site).Packed,
                                std::memory_order_release);
  }

  uint64_t Claimed;
  std::atomic<uint64_t> Thread; ///< LibTorch's number of it
  bool HasEnded;                ///< guarded by the process lock, as the next
  uint64_t EndOrder;            ///< among the threads that have ended
  pid_t OwnerPid; ///< of the owner: a child has its parent's rings, not its
                  ///< threads
  FunctionRing *Next;
  /// A FunctionMaker each, at number % Size; 0 of none.
  std::atomic<uint64_t> Makers[Size];
};

class FunctionRings {
public:
  static constexpr unsigned MaxRings = 64;

  /// The ring of the calling thread, which LibTorch calls \p Thread; it knows
  /// nothing of functions before number \p Next that were not claimed. Null
  /// without memory, and if MaxRings threads have one. Takes the process lock.
  FunctionRing *own(uint64_t Thread, uint64_t Next, PageSource &Pages);

  /// Number of threads with a ring that have ended: while it stays, nobody
  /// whom own() has given none need ask again. Any thread.
  static uint64_t ended();

  /// The site under which a function was filed, NoSlot if there is none. One
  /// that was forgotten for later ones is counted, and so is, once a thread had
  /// to go without a ring or to lose it, one whose thread has none: that may
  /// have made no function of a node. Any thread.
  format::Slot makerOf(uint64_t Thread, uint64_t Number) const;

private:
  /// Of a ring between two threads.
  static constexpr uint64_t NoThread = UINT64_MAX;

  FunctionRing *find(uint64_t Thread) const;
  FunctionRing *endedFirst() const; ///< null if no owner has ended

  std::atomic<FunctionRing *> All{nullptr};
  unsigned Count = 0; ///< guarded by the process lock
  /// There were not enough rings for all threads.
  std::atomic<bool> AreShort{false};
};

} // namespace torchprof

#endif // TORCHPROF_FUNCTIONRINGS_H
