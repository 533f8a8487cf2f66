//===- Process.cpp - state that a forked child must not inherit -----------===//
//
// Kernels before 4.14 have no MADV_WIPEONFORK. There a handler of fork() does
// the same; only a raw clone() escapes it.
//
//===----------------------------------------------------------------------===//

#include "Process.h"

#include "Clock.h"

#include <cstring>
#include <sys/mman.h>

namespace torchprof {

ProcessPage Process;

/// Pages to wipe by hand; only used without MADV_WIPEONFORK.
static constexpr unsigned MaxHandWiped = 4096;
static struct {
  void *Address;
  uint64_t Bytes;
} HandWiped[MaxHandWiped];
static std::atomic<unsigned> HandWipedCount{0};

/// Before the first use: another thread may hold the lock at a fork without a
/// recording, to register a model.
static const bool IsProcessWiped = wipeInChildren(&Process, sizeof(Process));

//===----------------------------------------------------------------------===//
// Epochs
//
// Invariant: a record that was folded in epoch N began before the first tick of
// epoch N + 1. So its begin alone says which epoch a span belongs to, whoever
// folds its records and whenever.
//
// A fold reads the end of the log, then the epoch. The first tick of N + 1 must
// therefore be read after N + 1 was published, when a fold may already need it.
// Nobody waits: N + 1 is published with its tick unset, and whoever needs the
// tick first reads the clock. A value that says "unset" has the number of its
// epoch, so that a thread that was late sets no other epoch's tick.
//===----------------------------------------------------------------------===//

static constexpr uint64_t unsetTick(uint32_t Epoch) {
  return uint64_t(1) << 63 | Epoch;
}

EpochStart currentEpoch() {
  for (;;) {
    uint32_t Number = Process.Epoch.load(std::memory_order_acquire);
    std::atomic<uint64_t> &First = Process.EpochTicks[Number % 2];
    uint64_t Ticks = First.load(std::memory_order_acquire);
    if (Ticks == unsetTick(Number)) [[unlikely]] {
      // A record that was folded before may have begun at the present tick.
      uint64_t Next = clock::fencedTicks() + 1;
      if (First.compare_exchange_strong(Ticks, Next))
        Ticks = Next;
    }
    // What was read may be the tick of Number + 2, but not before Number + 1.
    if (Process.Epoch.load(std::memory_order_acquire) == Number) [[likely]]
      return {Number, Ticks};
  }
}

EpochStart beginEpoch() {
  uint32_t Number = Process.Epoch.load(std::memory_order_relaxed) + 1;
  Process.EpochTicks[Number % 2].store(unsetTick(Number),
                                       std::memory_order_release);
  Process.Epoch.store(Number, std::memory_order_release);
  return currentEpoch();
}

void beginEpochBy(uint64_t Ticks) {
  EpochStart Now = currentEpoch(); // its tick is set from here on
  if (Ticks < Now.Ticks)
    Process.EpochTicks[Now.Number % 2].store(Ticks, std::memory_order_release);
}

static uint64_t *liveCounters() {
  uint64_t *InFile = Process.Counters.load(std::memory_order_acquire);
  return InFile ? InFile : Process.EarlyCounters;
}

void count(format::Counter C, uint64_t Number) {
  __atomic_fetch_add(&liveCounters()[unsigned(C)], Number, __ATOMIC_RELAXED);
}

const uint64_t *counters() { return liveCounters(); }

void resetEpochCounters() {
  enum CounterOf { Epoch, Process };
  uint64_t *Live = liveCounters();
#define TORCHPROF_COUNTER(ENUMERATOR, NAME, SHOWN, OF, MEANING, TEXT)          \
  if (OF == Epoch)                                                             \
    __atomic_store_n(&Live[unsigned(format::Counter::ENUMERATOR)], 0,          \
                     __ATOMIC_RELAXED);
#include "torchprof/format/Counters.def"
}

void moveCounters(uint64_t (&File)[format::CounterCapacity]) {
  Process.Counters.store(File, std::memory_order_release);
  for (unsigned I = 0; I < format::CounterCapacity; ++I)
    if (uint64_t Early =
            __atomic_exchange_n(&Process.EarlyCounters[I], 0, __ATOMIC_RELAXED))
      count(format::Counter(I), Early);
}

static void wipeByHand() {
  unsigned Count = HandWipedCount.load(std::memory_order_acquire);
  for (unsigned I = 0; I < Count && I < MaxHandWiped; ++I)
    if (HandWiped[I].Address)
      memset(HandWiped[I].Address, 0, HandWiped[I].Bytes);
}

bool wipeInChildren(void *Address, uint64_t Bytes) {
#ifdef MADV_WIPEONFORK
  if (madvise(Address, Bytes, MADV_WIPEONFORK) == 0)
    return true;
#endif
  unsigned Slot = HandWipedCount.fetch_add(1, std::memory_order_acq_rel);
  if (Slot >= MaxHandWiped)
    return false;
  HandWiped[Slot].Bytes = Bytes;
  HandWiped[Slot].Address = Address;
  if (Slot == 0)
    pthread_atfork(nullptr, nullptr, wipeByHand);
  return true;
}

} // namespace torchprof
