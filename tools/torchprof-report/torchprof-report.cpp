//===- torchprof-report.cpp - reads profiles, prints and exports them -----===//
//
// docs/torchprof-report.md is the manual; Commands/CommandLine.h finds out
// which command was asked for.
//
//===----------------------------------------------------------------------===//

#include "../common/IgnoredSignals.h"
#include "../common/StandardOutput.h"
#include "Commands/CommandLine.h"
#include "torchprof/format/Records.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace torchprof;

static void printVersion(raw_ostream &OS) {
  OS << "torchprof-report " TORCHPROF_VERSION ", profile format "
     << format::FormatVersion << '\n';
}

int main(int Argc, char **Argv) {
  noteIgnoredSignals();
  InitLLVM Setup(Argc, Argv, /*InstallPipeSignalExitHandler=*/false);
  ignoreNotedSignals();
  watchStandardOutput("torchprof-report");
  cl::SetVersionPrinter(printVersion);
  return report::runCommandLine({Argv, Argv + Argc});
}
