//===- Control.h - what a host asks of the collector ------------*- C++ -*-===//
//
// The collector as torchprof.h, the operators and the lowering pass see it:
// models are manifest texts, sites are numbers. Probes are in Probe.h.
//
// All functions are safe from any thread and take the process lock. But for
// memory that runs out while a text is copied (std::bad_alloc), none throws;
// none ends the host.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_CONTROL_H
#define TORCHPROF_CONTROL_H

#include "Host.h"
#include "Recording.h"
#include "torchprof/format/DynamicSite.h"
#include "torchprof/format/Site.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace torchprof {

/// Registers the model of a manifest's text. A manifest that cannot be read,
/// and a model for which there is no room, are one warning; the model then runs
/// and is not recorded.
void addModel(std::string_view ManifestText);

/// The text of a registered model's manifest; empty if there is none.
std::string manifestText(uint64_t ModelId);

/// The child of a site that has a kind and a name; it comes to be if it is new.
/// Null if the model is not known, or without room.
std::optional<format::Slot>
childOf(format::SiteId Site, format::DynamicKind Kind, std::string_view Name);

/// Notes something about a site: \p Kind is one without spans.
void addNote(format::SiteId Site, format::DynamicKind Kind,
             std::string_view Text);

/// Notes a plan that the framework has made, on the thread that has made it.
/// \p Event has all but the sites, the thread and the run. \p Waiting: the
/// node or method, on whatever thread, that waits for what needs the plan.
/// Without sites it is of the method that runs; false if none does.
bool addPlan(std::optional<format::SiteId> Root,
             std::optional<format::SiteId> First, format::PlanEvent Event,
             format::Slot Waiting = format::NoSlot);

/// Notes that the framework has loaded a file, on the thread that has done so.
/// \p Event has all but the thread. Options can be set as before.
void addLoad(format::LoadEvent Event);

/// Notes what the machine was found to do at most.
void noteMachine(const format::MachineRecord &Machine);

/// Number of a region's name, for beginRegion(); 0 if it cannot be had.
uint32_t regionNumber(std::string_view Name);

/// Sets an option. 0, ENOENT (no such option), EINVAL (value not allowed) or
/// EBUSY (there is a recording, or for the file a profile).
int setOption(std::string_view Name, std::string_view Value);

/// A copy of the options in force; reads the environment if nobody has.
Options currentOptions();

void start();
void stop();
/// The same for scopes: the end of the last one shuts the window. In a child of
/// fork one may end that began in its parent.
void beginScope();
void endScope();
void reset();
/// Empties what the calling thread has recorded.
void resetThread();
/// Number of the calling thread's lane, which it gets if it has none: a new
/// one, or that of a thread that has ended, with what this one has recorded. -1
/// if the lane is not in the file yet.
int64_t laneOfThread();
/// A step of the schedule, made by the host; runs no longer count as steps.
void step();
/// As in Recording.
int flush();
int snapshot(std::string_view Name);
/// How many snapshots there are; makes no recording.
uint64_t snapshots();
uint64_t waitForSnapshot(uint64_t Above, uint64_t TimeoutMs);
Totals totals();

/// Path of the profile file; empty if there is none (yet).
std::string profilePath();

void setReadyCallback(ReadyCallback Callback, void *Context);

/// Names the framework in the profile, "LibTorch 2.13.0". Before recording.
void setFramework(std::string_view Name);

/// What the framework adds to the cost of one explicit pair, in 1/16 tick.
/// Before recording.
void setDispatchCost(uint64_t TicksX16);

/// By how much an explicit pair reads what is inside too long, in 1/16 tick.
/// Before recording.
void setPairOffset(uint64_t TicksX16);

} // namespace torchprof

#endif // TORCHPROF_CONTROL_H
