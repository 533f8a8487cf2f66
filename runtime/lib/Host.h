//===- Host.h - what the host program asked for -----------------*- C++ -*-===//
//
// Options and state that belong to the program and not to one recording of it:
// a child of fork goes on with its parent's. The process lock guards it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_HOST_H
#define TORCHPROF_HOST_H

#include "Options.h"
#include "torchprof/format/Machine.h"

#include <cstdint>
#include <string>

namespace torchprof {

/// Called after the last active step of a cycle, when its snapshot has been
/// written to \p Path (empty if that failed), on the thread that made the
/// step.
using ReadyCallback = void (*)(const char *Path, void *Context);

struct Host {
  Options Opts;
  bool EnvironmentRead = false;
  /// The file is the environment's, not one that the host has set.
  bool FileIsFromEnvironment = true;
  /// The profile was made by TORCHPROF_OPEN=early: no file is opened any more,
  /// in children neither.
  bool OpenedEarly = false;
  /// The process's arguments joined by spaces, if they were read beforehand.
  std::string Command;
  std::string Framework;            ///< "LibTorch 2.13.0"
  uint64_t DispatchTicksX16 = 0;    ///< the framework's share of a pair's cost
  uint64_t PairOffsetTicksX16 = 0;  ///< what a pair reads too much
  format::MachineRecord Machine{};  ///< no threads: not measured
  ReadyCallback Callback = nullptr; ///< may be null
  void *CallbackContext = nullptr;
  bool WindowOpen = true; ///< start() and stop(); the end of the last scope
  /// A process of this line has recorded: its children count as forked.
  bool HasRecorded = false;
  /// A warning was printed of a manifest that cannot be read; of a model for
  /// which there was no room. A host may load one any number of times.
  bool WarnedOfManifest = false, WarnedOfRoom = false;

  /// Reads the environment and chooses the clock, once.
  void readEnvironment();

  /// Reads beforehand what would else be read when the profile is made.
  void readBeforehand();
};

/// The process's arguments joined by spaces, 511 bytes of them at most.
std::string commandLine();

} // namespace torchprof

#endif // TORCHPROF_HOST_H
