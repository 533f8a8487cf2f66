//===- RecordingSwitches.h - what keeps a process from recording *- C++ -*-===//
//
// The runtime is silent where it was switched off. A tool that finds nothing
// recorded says so: the variable may come from a file that nobody thinks of.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_RECORDINGSWITCHES_H
#define TORCHPROF_TOOLS_RECORDINGSWITCHES_H

#include <string>

namespace torchprof {

/// Which variable of this environment lets a process record nothing, or
/// instrumented models alone: "TORCHPROF=off is set, so nothing is recorded".
/// Empty if none does.
std::string whyNotRecorded();

} // namespace torchprof

#endif // TORCHPROF_TOOLS_RECORDINGSWITCHES_H
