//===- IgnoredSignals.cpp - signals that a parent had ignored -------------===//

#include "IgnoredSignals.h"

#include <csignal>

namespace torchprof {

static bool Noted[NSIG];

void noteIgnoredSignals() {
  for (int Signal = 1; Signal < NSIG; ++Signal) {
    struct sigaction Action = {};
    Noted[Signal] = sigaction(Signal, nullptr, &Action) == 0 &&
                    Action.sa_handler == SIG_IGN;
  }
}

void ignoreNotedSignals() {
  for (int Signal = 1; Signal < NSIG; ++Signal)
    if (Noted[Signal])
      std::signal(Signal, SIG_IGN);
}

void restoreSignals() {
  for (int Signal = 1; Signal < NSIG; ++Signal)
    std::signal(Signal, Noted[Signal] ? SIG_IGN : SIG_DFL);
}

} // namespace torchprof
