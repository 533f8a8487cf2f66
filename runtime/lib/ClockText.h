//===- ClockText.h - what the tools say of the clock ------------*- C++ -*-===//
//
// "TSC: it is invariant and the kernel trusts it; a tick is 0.4 ns, readings
// are at least 8.8 ns apart": which clock the probes read, why, and how fine it
// is.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_CLOCKTEXT_H
#define TORCHPROF_CLOCKTEXT_H

#include "Processor.h"

#include <string>

namespace torchprof {

/// The name of a clock that was chosen, and the reason. \p Asked: the option's
/// word. \p Has: the counter of this processor.
std::string clockReason(format::ClockKind Chosen, std::string_view Asked,
                        const processor::Counter &Has);

/// How fine a clock is. \p LeastStep: see clock::leastStep().
std::string clockResolution(uint64_t TicksPerSecond, uint64_t LeastStep);

/// All of it, of the clock that probes read now. Takes about a millisecond.
std::string describeClock(std::string_view Asked);

} // namespace torchprof

#endif // TORCHPROF_CLOCKTEXT_H
