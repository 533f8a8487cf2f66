//===- Host.cpp - what the host program asked for -------------------------===//

#include "Host.h"

#include "Clock.h"
#include "FrameworkWatch.h"

#include <unistd.h>

namespace torchprof {

void Host::readEnvironment() {
  if (EnvironmentRead)
    return;
  EnvironmentRead = true;
  Opts.readEnvironment(environ);
  clock::choose(Opts.Clock);
  if (const FrameworkWatch *Watch = frameworkWatch())
    Watch->Begin(Opts);
}

} // namespace torchprof
