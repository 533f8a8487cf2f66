//===- ManifestObject.h - the manifest inside a module ----------*- C++ -*-===//
//
// The manifest is stored as a TorchBind object in an attribute. Its class is
// defined by the runtime and found by name, so the passes do not link the
// runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PASSES_MANIFESTOBJECT_H
#define TORCHPROF_PASSES_MANIFESTOBJECT_H

#include "torchprof/Passes.h"

#include <torch/csrc/jit/api/module.h>

namespace torchprof {

/// The classes whose methods begin with torchprof::enter and so need the
/// manifest.
std::vector<c10::ClassTypePtr> carriersOf(const torch::jit::Module &Root);

/// Stores a manifest of this text in every instance of \p Classes, as one
/// object. The runtime registers the model then, unless the text is empty.
/// Throws InstrumentError if the runtime's class is not registered.
void setManifest(torch::jit::Module &Root,
                 const std::vector<c10::ClassTypePtr> &Classes,
                 const std::string &Text);

/// Removes the attribute from every instance of \p Classes.
void removeManifest(torch::jit::Module &Root,
                    const std::vector<c10::ClassTypePtr> &Classes);

} // namespace torchprof

#endif // TORCHPROF_PASSES_MANIFESTOBJECT_H
