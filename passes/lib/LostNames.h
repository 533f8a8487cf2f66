//===- LostNames.h - names of values that a saved model loses ---*- C++ -*-===//
//
// LibTorch breaks the long lines of the code that it saves. Where it breaks
// them depends on the numbers of temporaries, which run through all methods in
// a source file. So code that is added to one method can change the lines of
// another, where a named result is then written as a part of a longer
// expression and loses its name. We compare a model with its reloaded copy,
// keep the lost names in the manifest, and give them back when the model is
// stripped.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PASSES_LOSTNAMES_H
#define TORCHPROF_PASSES_LOSTNAMES_H

#include "torchprof/Passes.h"

#include <torch/csrc/jit/api/module.h>

namespace torchprof {

/// Adds to \p Table the names of values outside the instrumented methods that
/// \p Saved has and \p Reloaded, which was loaded from what \p Saved was saved
/// to, has not. Does not look at free functions.
void addLostNames(const torch::jit::Module &Saved,
                  const torch::jit::Module &Reloaded, Manifest &Table);

/// Gives the names that \p Table lists to the values of \p Root, whose methods
/// are the originals again. Leaves out what it does not find.
void restoreNames(const torch::jit::Module &Root, const Manifest &Table);

} // namespace torchprof

#endif // TORCHPROF_PASSES_LOSTNAMES_H
