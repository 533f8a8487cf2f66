//===- torchprof-report.cpp - reads profiles, prints and exports them -----===//
//
// docs/torchprof-report.md is the manual; Commands/CommandLine.h finds out
// which command was asked for.
//
//===----------------------------------------------------------------------===//

#include "Commands/CommandLine.h"
#include "Commands/Options.h"
#include "torchprof/format/Records.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

using namespace llvm;
using namespace torchprof;

static void printVersion(raw_ostream &OS) {
  OS << "torchprof-report " TORCHPROF_VERSION ", profile format "
     << format::FormatVersion << '\n';
}

/// --help and --version end the process. LLVM's streams may be gone then, or
/// would end it with 1, which is a finding.
static void checkOutput() {
  if (Error E = report::flushOutput()) {
    std::fprintf(stderr, "torchprof-report: error: %s\n",
                 toString(std::move(E)).c_str());
    std::_Exit(2);
  }
}

int main(int Argc, char **Argv) {
  InitLLVM Setup(Argc, Argv, /*InstallPipeSignalExitHandler=*/false);
  // A closed pipe, or a limit on the size of files, makes a write fail.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  outs(); // is made before, so that it outlives the function
  std::atexit(checkOutput);
  cl::SetVersionPrinter(printVersion);
  return report::runCommandLine({Argv, Argv + Argc});
}
