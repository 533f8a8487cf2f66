//===- Compare.h - a model as LibTorch can optimize it ----------*- C++ -*-===//

#ifndef TORCHPROF_TOOLS_COMPARE_H
#define TORCHPROF_TOOLS_COMPARE_H

#include "RunBridge.h"

#include "llvm/ADT/StringRef.h"

namespace torchprof {

/// Runs a model as it is, frozen and optimized for inference, in turns, and
/// prints what each takes. Returns an exit code.
int compareModel(llvm::StringRef Path, ModelHolder &Model,
                 const RunRequest &Request);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_COMPARE_H
