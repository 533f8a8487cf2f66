//===- torchprof-report.cpp - reads profiles, prints and exports them -----===//
//
// docs/torchprof-report.md is the manual; Commands/CommandLine.h finds out
// which command was asked for.
//
//===----------------------------------------------------------------------===//

#include "../common/IgnoredSignals.h"
#include "../common/Messages.h"
#include "Commands/CommandLine.h"
#include "torchprof/format/Records.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/InitLLVM.h"

using namespace llvm;
using namespace torchprof;

int main(int Argc, char **Argv) {
  noteIgnoredSignals();
  InitLLVM Setup(Argc, Argv, /*InstallPipeSignalExitHandler=*/false);
  initTool("torchprof-report",
           "profile format " + Twine(format::FormatVersion));
  return report::runCommandLine({Argv, Argv + Argc});
}
