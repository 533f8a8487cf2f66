//===- Host.cpp - what the host program asked for -------------------------===//

#include "Host.h"

#include "Clock.h"

#include <unistd.h>

namespace torchprof {

void Host::readEnvironment() {
  if (EnvironmentRead)
    return;
  EnvironmentRead = true;
  Opts.readEnvironment(environ);
  clock::choose(Opts.Clock);
}

} // namespace torchprof
