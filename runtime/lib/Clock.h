//===- Clock.h - the tick clock of the runtime ------------------*- C++ -*-===//
//
// Probes read raw ticks: the time-stamp counter where it is invariant and the
// kernel trusts it, else CLOCK_MONOTONIC in nanoseconds. Anchors lead from
// ticks to the system's clocks. Tests inject a clock of their own.
//
// ticks() is safe from any thread; choose() and inject() must not run while
// probes do.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_CLOCK_H
#define TORCHPROF_CLOCK_H

#include "torchprof/format/Records.h"

#include <atomic>
#include <cstdint>
#include <string_view>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace torchprof::clock {

/// True while ticks are read with rdtsc.
extern bool UseTsc;

/// Ticks of CLOCK_MONOTONIC or of the injected clock.
uint64_t slowTicks();

/// The present time in ticks.
inline uint64_t ticks() {
#if defined(__x86_64__)
  if (UseTsc) [[likely]]
    return __rdtsc();
#endif
  return slowTicks();
}

/// ticks(), but read after everything before it in the program is visible to
/// other threads. A processor may read its counter earlier than that.
inline uint64_t fencedTicks() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
#if defined(__x86_64__)
  _mm_lfence();
#endif
  return ticks();
}

/// Selects the clock: "auto", "tsc" or "monotonic". Keeps an injected clock.
void choose(std::string_view Which);

/// Replaces the clock by \p Source; null returns to the chosen one.
void inject(uint64_t (*Source)());

format::ClockKind kind();

/// Reads all clocks at once, the tick clock between two readings of
/// CLOCK_MONOTONIC, and keeps the narrowest of a few brackets.
format::ClockAnchor readAnchor();

/// Ticks per second, measured over about a millisecond at the first call
/// after choose().
uint64_t nominalTicksPerSecond();

/// True if /proc and CPUID say that the counter may be trusted. The text is
/// the kernel's list of usable clock sources; empty if it cannot be read.
bool tscIsTrusted(std::string_view ClockSources, bool Invariant);

} // namespace torchprof::clock

#endif // TORCHPROF_CLOCK_H
