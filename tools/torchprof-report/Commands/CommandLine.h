//===- CommandLine.h - one command line, from words to exit code *- C++ -*-===//
//
// Each command and each exporter is one file that registers itself; this part
// only finds out which command was asked for.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_COMMANDLINE_H
#define TORCHPROF_REPORT_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"

namespace torchprof::report {

/// Runs torchprof-report with \p Words, the first of which is the program's
/// name, and returns its exit code: 0, 1 for a finding, 2 for an error that was
/// printed. --help and --version end the process. May be called again: options
/// of an earlier call are forgotten. Not thread-safe, as options are global.
int runCommandLine(llvm::ArrayRef<const char *> Words);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_COMMANDLINE_H
