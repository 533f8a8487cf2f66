//===- Clock.h - the tick clock of the runtime ------------------*- C++ -*-===//
//
// Probes read raw ticks: the processor's counter where it runs at a constant
// rate and the kernel trusts it, else CLOCK_MONOTONIC in nanoseconds. Anchors
// lead from ticks to the system's clocks. Tests inject a clock of their own.
//
// A tick may be long: 0.3 ns on x86, 1 ns to 100 ns on Arm. Spans shorter than
// that take 0 ticks or 1.
//
// ticks() is safe from any thread; choose() and inject() must not run while
// probes do.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_CLOCK_H
#define TORCHPROF_CLOCK_H

#include "Processor.h"
#include "torchprof/format/Records.h"

#include <atomic>
#include <cstdint>
#include <string_view>

namespace torchprof::clock {

/// True while ticks are those of the processor's counter.
extern bool UseCounter;

/// Ticks of CLOCK_MONOTONIC or of the injected clock.
uint64_t slowTicks();

/// The present time in ticks.
inline uint64_t ticks() {
  if constexpr (processor::HasCounter)
    if (UseCounter) [[likely]]
      return processor::readCounter();
  return slowTicks();
}

/// ticks(), but read after everything before it in the program is visible to
/// other threads. A processor may read its counter earlier than that.
inline uint64_t fencedTicks() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  processor::holdCounter();
  return ticks();
}

/// Ticks from one reading to a later one; none if the clock was set back
/// meanwhile.
constexpr uint64_t ticksBetween(uint64_t Begin, uint64_t End) {
  return End > Begin ? End - Begin : 0;
}

/// Selects the clock: "auto", "monotonic" or the word of a counter, which is
/// CLOCK_MONOTONIC on processors without that counter. Keeps an injected clock.
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

/// True if the clock must have been set back to read \p Now after it has read
/// \p Then: by a millisecond or more, as two processors do not differ.
bool isBefore(uint64_t Now, uint64_t Then);

/// The least difference, but none, of two successive readings of the clock:
/// what it resolves. 0 for a clock that stands still.
uint64_t leastStep();

//===----------------------------------------------------------------------===//
// What the above rests on
//===----------------------------------------------------------------------===//

/// True if the kernel lists \p Source among the \p ClockSources that it can
/// use, names with blanks between them; these are empty if /sys cannot be read.
bool isListed(std::string_view ClockSources, std::string_view Source);

/// The rate that a counter is taken to have. Firmware may state none or a wrong
/// one, and a stated one is more exact than what a millisecond can tell.
uint64_t nominalRate(uint64_t Stated, uint64_t Measured);

/// leastStep() of any clock.
uint64_t leastStepOf(uint64_t (*Read)());

} // namespace torchprof::clock

#endif // TORCHPROF_CLOCK_H
