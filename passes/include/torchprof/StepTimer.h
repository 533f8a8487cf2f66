//===- StepTimer.h - times the steps of a job -------------------*- C++ -*-===//

#ifndef TORCHPROF_STEPTIMER_H
#define TORCHPROF_STEPTIMER_H

#include "torchprof/Passes.h"

#include <chrono>

namespace torchprof {

/// Appends one StepTime per finished step; a step ends where the next begins.
class StepTimer {
public:
  explicit StepTimer(std::vector<StepTime> &Times) : Times(Times) {}
  ~StepTimer() { finish(); }

  void begin(const char *Name) {
    finish();
    Step = Name;
    Start = std::chrono::steady_clock::now();
  }

  void finish() {
    if (Step)
      Times.push_back(
          {Step, static_cast<uint64_t>(
                     std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::steady_clock::now() - Start)
                         .count())});
    Step = nullptr;
  }

private:
  std::vector<StepTime> &Times;
  const char *Step = nullptr;
  std::chrono::steady_clock::time_point Start;
};

} // namespace torchprof

#endif // TORCHPROF_STEPTIMER_H
