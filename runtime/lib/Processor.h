//===- Processor.h - what differs between processors ------------*- C++ -*-===//
//
// The only place of the collector that asks which processor it is built for:
// the counter that probes read, and the largest page. A processor without a
// row of its own gets CLOCK_MONOTONIC.
//
// Probes read the counter without a fence: a processor may read it some tens of
// instructions early or late. Waiting (lfence, isb) costs more than the
// reading itself, and would be part of every span.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PROCESSOR_H
#define TORCHPROF_PROCESSOR_H

#include "torchprof/format/Records.h"

#include <cstdint>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace torchprof::processor {

/// A counter that runs at a constant rate, the same on all cores.
struct Counter {
  format::ClockKind Kind;
  std::string_view Name;   ///< in messages; empty if there is no counter
  std::string_view Option; ///< the word of the option `clock`
  std::string_view Source; ///< the kernel's name for it as a clock source
};

#if defined(__x86_64__)

inline constexpr Counter TheCounter{format::ClockKind::Tsc, "TSC", "tsc",
                                    "tsc"};

inline uint64_t readCounter() { return __rdtsc(); }

/// Does not let the counter be read before the stores and loads before this
/// have been performed, if a fence between them and this orders those.
inline void holdCounter() { _mm_lfence(); }

/// True if the counter neither stops nor changes its rate.
inline bool counterIsInvariant() {
  unsigned A, B, C, D;
  return __get_cpuid(0x80000007, &A, &B, &C, &D) && (D & (1u << 8));
}

/// Ticks per second that the processor or its firmware states; 0 for none.
inline uint64_t statedFrequency() { return 0; }

inline constexpr uint64_t LargestPageBytes = 4096;

#elif defined(__aarch64__)

// https://developer.arm.com/documentation/ddi0487, "The Generic Timer in
// AArch64 state". Linux lets programs read the counter; where a processor's is
// faulty, the kernel traps the read and corrects it.

inline constexpr Counter TheCounter{format::ClockKind::Cntvct, "CNTVCT",
                                    "cntvct", "arch_sys_counter"};

inline uint64_t readCounter() {
  uint64_t Ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(Ticks));
  return Ticks;
}

// A barrier for memory (dmb) orders no reads of system registers: stores have
// to be complete (dsb), and what follows must not have begun (isb).
inline void holdCounter() { asm volatile("dsb ish\n\tisb" ::: "memory"); }

inline constexpr bool counterIsInvariant() { return true; } // architectural

inline uint64_t statedFrequency() {
  uint64_t Hertz;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(Hertz));
  return Hertz;
}

inline constexpr uint64_t LargestPageBytes = 65536;

#else

inline constexpr Counter TheCounter{format::ClockKind::Monotonic, "", "", ""};
inline uint64_t readCounter() { return 0; }
inline void holdCounter() {}
inline constexpr bool counterIsInvariant() { return false; }
inline uint64_t statedFrequency() { return 0; }
inline constexpr uint64_t LargestPageBytes = 65536;

#endif

inline constexpr bool HasCounter = !TheCounter.Name.empty();

} // namespace torchprof::processor

#endif // TORCHPROF_PROCESSOR_H
