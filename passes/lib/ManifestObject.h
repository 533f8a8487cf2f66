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

/// The classes that need the manifest: those that keep originals, whose
/// methods begin with torchprof::enter.
std::vector<c10::ClassTypePtr> carriersOf(const torch::jit::Module &Root);

/// Stores \p Table in every instance of \p Classes, as one object. Throws
/// InstrumentError if the runtime's class is not registered.
void setManifest(torch::jit::Module &Root,
                 const std::vector<c10::ClassTypePtr> &Classes,
                 const Manifest &Table);

/// Takes the attribute from every instance of \p Classes again.
void removeManifest(torch::jit::Module &Root,
                    const std::vector<c10::ClassTypePtr> &Classes);

} // namespace torchprof

#endif // TORCHPROF_PASSES_MANIFESTOBJECT_H
