//===- torchprof-report.cpp - reads profiles, prints and exports them -----===//
//
// docs/torchprof-report.md is the manual; Commands/CommandLine.h finds out
// which command was asked for.
//
//===----------------------------------------------------------------------===//

#include "Commands/CommandLine.h"
#include "torchprof/format/Records.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace llvm;

static void printVersion(raw_ostream &OS) {
  OS << "torchprof-report " TORCHPROF_VERSION ", profile format "
     << torchprof::format::FormatVersion << '\n';
}

int main(int Argc, char **Argv) {
  InitLLVM Setup(Argc, Argv);
  cl::SetVersionPrinter(printVersion);
  return torchprof::report::runCommandLine({Argv, Argv + Argc});
}
