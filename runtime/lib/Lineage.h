//===- Lineage.h - what a process and its children share --------*- C++ -*-===//
//
// What outlives a recording: what the host asked for, and which slots its
// models and dynamic sites have, because compiled graphs carry slots. A child
// of fork inherits it and makes a recording of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_LINEAGE_H
#define TORCHPROF_LINEAGE_H

#include "DynamicSites.h"
#include "Host.h"
#include "RegionNames.h"
#include "Registry.h"

namespace torchprof {

struct Lineage {
  Host Program; ///< guarded by the process lock
  Registry Models;
  DynamicSites Children{Models};
  RegionNames Regions;
};

extern Lineage Line;

} // namespace torchprof

#endif // TORCHPROF_LINEAGE_H
