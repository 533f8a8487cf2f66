//===- EarlyOpen.cpp - what is opened when the runtime is loaded ----------===//
//
// The folding thread is not started early: starting one opens no file, and a
// thread that is older than the host's filter would be outside of it.
//
//===----------------------------------------------------------------------===//

#include "EarlyOpen.h"

#include "Lineage.h"
#include "Recording.h"

#include <cstdlib>
#include <exception>

namespace torchprof {

void openIfEarly() {
  Host &Program = Line.Program;
  if (Program.Opts.Open != "early" || !Program.Opts.Enabled ||
      Program.OpenedEarly)
    return;
  Program.readBeforehand(); // for children, whose profiles are in memory
  if (Recording *R = Recording::currentLocked())
    R->openEarly();
}

void openWhenLoaded() noexcept try {
  const char *File = getenv("TORCHPROF_FILE");
  if (!getenv("TORCHPROF_OPEN") && !(File && descriptorOf(File)))
    return;
  ProcessLock Lock;
  Line.Program.readEnvironment();
  openIfEarly();
} catch (const std::exception &) {
  // Out of memory: the first probe tries again.
}

} // namespace torchprof
