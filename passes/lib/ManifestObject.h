//===- ManifestObject.h - the manifest inside a module ----------*- C++ -*-===//
//
// The manifest travels as a TorchBind object, an attribute of the root. Its
// class belongs to the runtime and is found by name, so that the passes need
// no symbol of it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PASSES_MANIFESTOBJECT_H
#define TORCHPROF_PASSES_MANIFESTOBJECT_H

#include "torchprof/Passes.h"

#include <torch/csrc/jit/api/module.h>

namespace torchprof {

/// Adds the attribute with \p Table to \p Root. Throws InstrumentError if the
/// runtime's class is not registered.
void addManifest(torch::jit::Module &Root, const Manifest &Table);

} // namespace torchprof

#endif // TORCHPROF_PASSES_MANIFESTOBJECT_H
