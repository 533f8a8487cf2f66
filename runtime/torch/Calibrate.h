//===- Calibrate.h - what the machine does at most --------------*- C++ -*-===//
//
// The option `calibrate` has it measured in hosts that do not ask for it
// themselves: before the first run, or the first label around one, when the
// host has chosen its threads.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_CALIBRATE_H
#define TORCHPROF_CALIBRATE_H

#include <atomic>

namespace torchprof {

/// False once a run has begun.
extern std::atomic<bool> AwaitsFirstRun;

/// Measures if the option says so. Does not throw.
void firstRunBegins() noexcept;

/// Before each root and label; costs a load. Other threads do not wait for the
/// first one.
inline void calibrateBeforeFirstRun() {
  if (AwaitsFirstRun.load(std::memory_order_relaxed)) [[unlikely]]
    firstRunBegins();
}

} // namespace torchprof

#endif // TORCHPROF_CALIBRATE_H
