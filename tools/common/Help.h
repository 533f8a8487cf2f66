//===- Help.h - what --help and --help-all show -----------------*- C++ -*-===//
//
// --help fits a screen: an example and the options that most people need.
// --help-all also shows options declared cl::Hidden, and LLVM's own.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_HELP_H
#define TORCHPROF_TOOLS_HELP_H

#include "llvm/ADT/StringRef.h"

namespace torchprof {

/// Adds --help-all to every command of the tool and hides LLVM's own options
/// from --help. Call it before the command line is parsed.
void arrangeHelp();

} // namespace torchprof

#endif // TORCHPROF_TOOLS_HELP_H
