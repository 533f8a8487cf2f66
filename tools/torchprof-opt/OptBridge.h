//===- OptBridge.h - the passes for torchprof-opt ---------------*- C++ -*-===//
//
// What torchprof-opt asks of LibTorch; see TorchBridge.h for the rules.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_OPTBRIDGE_H
#define TORCHPROF_TOOLS_OPTBRIDGE_H

#include "../common/TorchBridge.h"

namespace torchprof {

/// Which places become sites, and in which methods.
struct SiteRequest {
  bool AllNodes = false;
  bool ModuleLevel = false;
  TextList Include;
  TextList Exclude;
  TextList Methods; ///< none means all
  /// The name of an option that chooses sites, "include"; null if none is
  /// given.
  const char *Given = nullptr;
};

/// Figures for the line that the tool prints.
struct InstrumentReport {
  uint64_t Methods = 0;
  uint64_t Nodes = 0;
  uint64_t Sites = 0;
  uint64_t Vanished = 0;
  OwnedText Skipped;      ///< "3 filtered, 120 moves values only"
  OwnedText SkippedNodes; ///< one line per node
  OwnedText Times;        ///< one "milliseconds step" line per step
};

/// Instruments \p M in place and writes it to \p OutPath, unless verifying
/// what a reader of the file will load finds a problem: code 1.
Outcome instrumentToFile(Model &M, const SiteRequest &Request,
                         const char *OutPath, InstrumentReport &Report);

/// Restores \p M as it was and writes it to \p OutPath.
Outcome stripToFile(Model &M, const char *OutPath, uint64_t &Methods);

/// Prints the sites of \p M, which nobody can choose any more, or those that
/// instrumenting it would give.
Outcome printModelSites(const Model &M, const SiteRequest &Request, bool Json,
                        OwnedText &Text);

/// Checks the probes of an instrumented model against its manifest and counts
/// its sites. A disagreement is a finding, code 1.
Outcome checkModel(const Model &M, uint64_t &Sites);

/// Runs passes, a comma-separated list, over one graph in text form and
/// returns what they print and the graph that results. An error of a pass has
/// code 1 if it is a finding of a verifier.
Outcome runPasses(const char *Names, const char *GraphText,
                  const SiteRequest &Request, OwnedText &Text);

/// The table of passes, one "flag<tab>help" line each.
OwnedText listPasses();

} // namespace torchprof

#endif // TORCHPROF_TOOLS_OPTBRIDGE_H
