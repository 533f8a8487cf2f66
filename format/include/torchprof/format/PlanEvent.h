//===- PlanEvent.h - plans that the framework makes -------------*- C++ -*-===//
//
// Before a method runs, LibTorch makes a plan of it, a second one once it has
// seen the first inputs, and further ones for groups of nodes and for inputs
// that these do not fit. Making them is why first calls are slow, and calls
// with new shapes. An event says that a plan was made, when, and how long that
// took.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_PLANEVENT_H
#define TORCHPROF_FORMAT_PLANEVENT_H

#include "torchprof/format/Site.h"

#include <cstdint>

namespace torchprof::format {

/// What a plan was made for. The numbers are part of the format.
enum class PlanKind : uint32_t {
#define TORCHPROF_PLAN_KIND(NAME, NUMBER, TEXT, MEANING) NAME = NUMBER,
#include "torchprof/format/PlanKinds.def"
};

/// What of its method a plan runs. The numbers are part of the format.
enum class PlanPart : uint32_t {
#define TORCHPROF_PLAN_PART(NAME, NUMBER, TEXT, MEANING) NAME = NUMBER,
#include "torchprof/format/PlanParts.def"
};

/// PlanEvent::Depth where the caller gave none: LibTorch takes its setting.
inline constexpr uint32_t NoDepth = UINT32_MAX;

enum PlanFlags : uint32_t {
  /// A part that was made together with the plan of the whole method or of the
  /// fork that it lies in, before that ran.
  PF_BeforeRun = 1,
  /// Made while a run went on on the thread: of a method that it calls through
  /// an interface, of a fork, or of a part of what runs.
  PF_InRun = 2,
  /// The thread that made it was emptied since: the plan is of the past.
  PF_Emptied = 4,
  /// Made in the run of another method, that of PlanEvent::Caller.
  PF_Called = 8,
};

struct PlanEvent {
  Slot Root;  ///< of the method; NoSlot if not known
  Slot First; ///< of the first node in the plan that has a site, else NoSlot
  PlanKind Kind;
  PlanPart Part;
  uint64_t BeginTicks; ///< when LibTorch began to make it
  /// What LibTorch took, without plans that have an event of their own.
  uint64_t Ticks;
  uint64_t OwnTicks; ///< what the profiler took, before BeginTicks too
  uint32_t Thread;   ///< kernel's thread id
  uint32_t Run;      ///< of runRootOf(), from 1; 0 if in none that is recorded
  uint32_t Depth;    ///< bailouts that are left; NoDepth if not given
  uint32_t Nodes;    ///< of the plan's graph with the blocks in it
  uint32_t Groups;   ///< nodes among them that are graphs themselves
  uint32_t Flags;    ///< PlanFlags
  Slot Caller;       ///< of the method that ran; only with PF_Called
  uint32_t Reserved[7];
};
static_assert(sizeof(PlanEvent) == 96);

/// The root of the method that the host called and that waited for the plan,
/// or, of a plan that was made in no run, is to run next.
inline Slot runRootOf(const PlanEvent &E) {
  return E.Flags & PF_Called && E.Caller != NoSlot ? E.Caller : E.Root;
}

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_PLANEVENT_H
