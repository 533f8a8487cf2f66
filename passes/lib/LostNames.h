//===- LostNames.h - names of values that a saved model loses ---*- C++ -*-===//
//
// LibTorch breaks long lines of the code that it saves, where depends on the
// numbers in the names of temporaries, and these count through all code of a
// source file. So adding code to one method can change how the code of another
// one is broken: a named result may be written as an expression, and its name
// is gone. What was lost is found by comparing a model with what was loaded
// again, written into the manifest, and given back when the model is stripped.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PASSES_LOSTNAMES_H
#define TORCHPROF_PASSES_LOSTNAMES_H

#include "torchprof/Passes.h"

#include <torch/csrc/jit/api/module.h>

namespace torchprof {

/// Gives the names that \p Table lists to the values of \p Root, whose methods
/// are the originals again. Leaves out what it does not find.
void restoreNames(const torch::jit::Module &Root, const Manifest &Table);

} // namespace torchprof

#endif // TORCHPROF_PASSES_LOSTNAMES_H
