//===- Collector.h - what a process records ---------------------*- C++ -*-===//
//
// The collector without LibTorch: models are manifest texts, sites are
// numbers. The probes' hot path is in Probe.h; here is what happens around it.
//
// All functions are safe from any thread unless they say otherwise, throw
// nothing and never end the host.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_COLLECTOR_H
#define TORCHPROF_COLLECTOR_H

#include "Options.h"
#include "ProfileFile.h"
#include "Registry.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace torchprof {

//===----------------------------------------------------------------------===//
// For the ops and the API
//===----------------------------------------------------------------------===//

/// Registers the model of a manifest's text; warns if it is damaged, too new
/// or in conflict. Returns what happened; damaged is Full.
Registration addModel(std::string_view ManifestText);

/// Notes that a pair of probes measures several nodes, of the kinds \p Members.
void addGroup(uint64_t Site, std::string_view Members);

/// Begins a method's root. \p Stack is the address of the caller's native
/// frame: it tells a root that was left by an exception from one that is
/// open. \p Hidden: the model is in conflict, nothing of it is recorded.
uint64_t enterRoot(uint64_t Site, uintptr_t Stack, bool Hidden = false);

/// The span left by an exception: it and the root it ran in stay unfinished.
void abandonSpan(uint32_t Slot, uint64_t Begin);

uint32_t regionSlot(std::string_view Name);
uint64_t beginRegion(uint32_t Slot);
void endRegion(uint64_t Begin, uint32_t Slot);

/// Sets an option. 0, ENOENT (no such option), EINVAL (value not allowed) or
/// EBUSY (too late).
int setOption(std::string_view Name, std::string_view Value);

/// A copy of the options in force; reads the environment if nobody has.
Options currentOptions();

void start();
void stop();
void reset();
/// A step of the schedule, made by the host; runs no longer count as steps.
void step();
/// Writes dirty pages to the disk and brings the clock table up to date.
int flush();
/// Writes a copy of the profile. An empty \p Name stands for the pattern with
/// the snapshot's number. Returns 0 or an errno value, ENODATA if there is
/// nothing yet.
int snapshot(std::string_view Name);
/// Number of snapshots made. Waits up to \p TimeoutMs until it is above
/// \p Above; 0 does not wait.
uint64_t waitForSnapshot(uint64_t Above, uint64_t TimeoutMs);
/// Path of the profile file; empty if there is none (yet).
std::string profilePath();

/// Called after the last active step of a cycle, when its snapshot has been
/// written to \p Path (empty if that failed), on the thread that made the
/// step.
using ReadyCallback = void (*)(const char *Path, void *Context);
void setReadyCallback(ReadyCallback Callback, void *Context);

/// Names the framework in the profile, "LibTorch 2.13.0". Before recording.
void setFramework(std::string_view Name);

/// What the framework adds to the cost of one explicit pair, in 1/16 tick.
/// Before recording.
void setDispatchCost(uint64_t Sixteenths);

struct Totals {
  uint64_t Begins, Count, Cut;
  uint64_t Lanes, Cells;
  uint64_t FileBytes;
  uint64_t Counters[format::CounterCapacity];
};
Totals totals();

//===----------------------------------------------------------------------===//
// Between the collector's own files; the process lock is held
//===----------------------------------------------------------------------===//

struct Collector {
  Options Opts;
  ProfileFile File;
  format::ProcessRecord *Record = nullptr;
  format::ClockRecord *Clock = nullptr;
  format::RegionsRecord *Regions = nullptr;
  format::RegionsRecord *Groups = nullptr;
  std::string Framework;
  uint64_t ProbeCost = 0;    ///< of one pair, in 1/16 tick
  uint64_t DispatchCost = 0; ///< what the framework adds
  ReadyCallback Callback = nullptr;
  void *CallbackContext = nullptr;
  uint64_t Generation = 1; ///< 1, and one more in each generation of children
  uint64_t Step = 0;
  uint64_t Snapshots = 0;
  bool EnvironmentRead = false;
  bool Initialized = false;
  bool WindowOpen = true; ///< start() and stop()
  bool HostSteps = false; ///< the host calls step() itself
  bool WarnedOfFile = false;
  bool WarnedOfSnapshot = false;
  uint32_t LaneCount = 0;
};
extern Collector State;

/// Reads the environment once.
void readOptions();
/// Makes Process.Ready; the first probe of a process or of a forked child.
void makeReady();
/// Makes the profile file and its first segments, once.
void createProfile();
/// Puts the manifest of the slot's model or the region's name into the file.
void writeEntry(uint32_t Slot);
/// Puts the groups into the file that are not there yet.
void writeGroups();
/// A step made by the host or by the end of a run. Takes the lock itself.
void advanceStep(bool ByHost);
/// Appends a clock anchor.
void addAnchor();
/// Warns once of what kept the file from growing, and counts it.
void noteFileError();
/// Writes a copy of the profile under \p Name, with a number added if it is
/// taken, and stores the path in \p Written. Returns 0 or an errno value.
int writeSnapshot(const std::string &Name, std::string &Written);
/// What the pattern makes of the next snapshot's number.
std::string nextSnapshotName();
/// Wakes those who wait for a snapshot.
void announceSnapshot();

} // namespace torchprof

#endif // TORCHPROF_COLLECTOR_H
