//===- ClockText.cpp - what the tools say of the clock --------------------===//

#include "ClockText.h"

#include "Clock.h"

#include <cstdio>

namespace torchprof {

using format::ClockKind;

static constexpr const char *ByOption = "the option clock asks for it";

/// Why it is CLOCK_MONOTONIC.
static std::string whyNoCounter(std::string_view Asked,
                                const processor::Counter &Has) {
  if (Asked == "monotonic")
    return ByOption;
  if (Asked != "auto" && Asked != Has.Option)
    return "this processor has no " + std::string(Asked);
  if (Has.Name.empty())
    return "this processor has no counter that torchprof knows";
  return "the " + std::string(Has.Name) +
         " is not invariant, or the kernel does not list it as a clock source";
}

std::string clockReason(ClockKind Chosen, std::string_view Asked,
                        const processor::Counter &Has) {
  if (Chosen == ClockKind::Injected)
    return "a clock of a test";
  if (Chosen == ClockKind::Monotonic)
    return "CLOCK_MONOTONIC: " + whyNoCounter(Asked, Has);
  return std::string(Has.Name) + ": " +
         (Asked == Has.Option ? ByOption
                              : "it is invariant and the kernel trusts it");
}

std::string clockResolution(uint64_t TicksPerSecond, uint64_t LeastStep) {
  double NsPerTick = 1e9 / double(TicksPerSecond);
  char Text[96];
  snprintf(Text, sizeof(Text),
           "a tick is %.3g ns, readings are at least %.3g ns apart", NsPerTick,
           double(LeastStep) * NsPerTick);
  return Text;
}

std::string describeClock(std::string_view Asked) {
  return clockReason(clock::kind(), Asked, processor::TheCounter) + "; " +
         clockResolution(clock::nominalTicksPerSecond(), clock::leastStep());
}

} // namespace torchprof
