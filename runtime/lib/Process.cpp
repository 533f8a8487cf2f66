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

/// Counts made before there is a file to hold them.
static uint64_t EarlyCounters[format::CounterCapacity];

/// Pages to wipe by hand; only used without MADV_WIPEONFORK.
static constexpr unsigned MaxHandWiped = 4096;
static struct {
  void *Address;
  uint64_t Bytes;
} HandWiped[MaxHandWiped];
static std::atomic<unsigned> HandWipedCount{0};

uint64_t *earlyCounters() { return EarlyCounters; }

void count(format::Counter C, uint64_t Number) {
  uint64_t *Counters = Process.Counters.load(std::memory_order_acquire);
  if (!Counters)
    Counters = EarlyCounters;
  __atomic_fetch_add(&Counters[unsigned(C)], Number, __ATOMIC_RELAXED);
}

static void wipeByHand() {
  unsigned Count = HandWipedCount.load(std::memory_order_acquire);
  for (unsigned I = 0; I < Count && I < MaxHandWiped; ++I)
    if (HandWiped[I].Address)
      memset(HandWiped[I].Address, 0, HandWiped[I].Bytes);
}

static bool wipeOnFork(void *Address, uint64_t Bytes) {
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

void *wipedPages(uint64_t Bytes) {
  void *Address = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Address == MAP_FAILED)
    return nullptr;
  if (wipeOnFork(Address, Bytes))
    return Address;
  munmap(Address, Bytes);
  return nullptr;
}

void wipeInChildren() { wipeOnFork(&Process, sizeof(Process)); }

} // namespace torchprof
