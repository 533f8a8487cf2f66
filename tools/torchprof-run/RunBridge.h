//===- RunBridge.h - run a model and record it ------------------*- C++ -*-===//
//
// The part of torchprof-run that needs LibTorch and the runtime; see
// TorchBridge.h for the rules.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_RUNBRIDGE_H
#define TORCHPROF_TOOLS_RUNBRIDGE_H

#include "../common/TorchBridge.h"

namespace torchprof {

struct RunRequest {
  const char *Method = "forward";
  TextList Inputs;
  uint64_t Warmup = 3; ///< runs before recording begins
  uint64_t Runs = 10;
  int Threads = 0; ///< intra-op threads; 0 leaves LibTorch's choice
  uint64_t Seed = 0;
  bool Grad = false;         ///< run with gradient mode on
  bool RecordDevice = false; ///< record how long a device works
  bool Calibrate = false;    ///< measure first what the machine does at most
  const char *ProfilePath = nullptr;
  /// Called before each run with the number of runs done, warm-up included, and
  /// at the end, also of runs that fail, with the number of all.
  void (*Progress)(uint64_t Done, const RunRequest &Request) = nullptr;
  /// Called after each recorded run with its latency in ns.
  void (*Latency)(uint64_t Ns, void *Context) = nullptr;
  void *LatencyContext = nullptr;
};

struct RunResult {
  OwnedText ProfilePath; ///< the file that was written, empty if none was
  /// What was recorded, or a part of it, could not be written.
  bool IsLost = false;
};

/// Says what is to be recorded, and that nothing is until runModel(). To be
/// called before the model is loaded: to load one can mean to run some of its
/// code, such as a quantized module's \c __setstate__.
Outcome prepareRecording(const RunRequest &Request);

/// Runs \p M, attached. A file at ProfilePath is replaced by the profile, once
/// that is complete.
Outcome runModel(ModelHolder &M, const RunRequest &Request, RunResult &Result);

/// The clock that probes read on this machine, and why; from the runtime.
const char *runtimeClock();

} // namespace torchprof

#endif // TORCHPROF_TOOLS_RUNBRIDGE_H
