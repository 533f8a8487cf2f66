//===- Process.cpp - state that a forked child must not inherit -----------===//
//
// Kernels before 4.14 have no MADV_WIPEONFORK. There a handler of fork() does
// the same; only a raw clone() escapes it.
//
//===----------------------------------------------------------------------===//

#include "Process.h"

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

static uint64_t *liveCounters() {
  uint64_t *InFile = Process.Counters.load(std::memory_order_acquire);
  return InFile ? InFile : Process.EarlyCounters;
}

void count(format::Counter C, uint64_t Number) {
  __atomic_fetch_add(&liveCounters()[unsigned(C)], Number, __ATOMIC_RELAXED);
}

const uint64_t *counters() { return liveCounters(); }

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
