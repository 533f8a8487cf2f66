//===- Lineage.cpp - what a forked child goes on with ---------------------===//

#include "Lineage.h"

#include <cstring>
#include <unistd.h>

namespace torchprof {

Lineage Line;

EarlyLoads::List &EarlyLoads::own() {
  uint64_t Caller = uint64_t(getpid());
  // A fork may have found its parent in the middle of an addition: the list is
  // left as it is, in sight of a leak checker.
  if (std::exchange(Pid, Caller) != Caller) {
    memcpy(Inherited, &Loads, sizeof(List));
    new (&Loads) List();
  }
  return Loads;
}

} // namespace torchprof
