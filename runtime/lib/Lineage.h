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
#include "FunctionRings.h"
#include "Host.h"
#include "RegionNames.h"
#include "Registry.h"
#include "WaitingEvents.h"

namespace torchprof {

/// Loads of a process that has no recording yet: to make one would fix options
/// that the host may still set.
class EarlyLoads {
public:
  using List = WaitingEvents<format::LoadEvent, format::Counter::DroppedLoads>;

  /// Those of the process that calls, none of its parent's.
  List &own();

private:
  List Loads;
  uint64_t Pid = 0;                                ///< whose they are
  alignas(List) char Inherited[sizeof(List)] = {}; ///< the parent's, unused
};

struct Lineage {
  Host Program; ///< guarded by the process lock
  Registry Models;
  DynamicSites Children{Models};
  RegionNames Regions;
  FunctionRings Functions;
  EarlyLoads Loads; ///< guarded by the process lock
};

extern Lineage Line;

} // namespace torchprof

#endif // TORCHPROF_LINEAGE_H
