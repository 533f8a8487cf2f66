//===- ModelInputs.h - arguments for a method -------------------*- C++ -*-===//
//
// For units with torch headers only: makes a method's arguments from the
// strings of --input.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_MODELINPUTS_H
#define TORCHPROF_TOOLS_MODELINPUTS_H

#include "TorchBridge.h"

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>
#include <c10/core/Device.h>
#include <torch/csrc/jit/api/module.h>

#include <functional>
#include <optional>

namespace torchprof {

/// The method \p Name of \p Root. Throws InstrumentError if there is none,
/// naming those there are.
torch::jit::Method findRunnable(const torch::jit::Module &Root,
                                const std::string &Name);

/// Makes the arguments that \p Texts describe, in order, for a method with
/// schema \p Schema (self first). Random values follow LibTorch's generator,
/// which the caller seeds. Throws InstrumentError for a wrong number, syntax
/// or type, naming the input. \p Device: where their tensors are to lie; none:
/// where they are made or were saved.
torch::jit::Stack makeInputs(const c10::FunctionSchema &Schema,
                             const TextList &Texts,
                             std::optional<c10::Device> Device);

/// \p Value with \p Change of each defined tensor in its place, also in tuples,
/// in lists and among the values of dictionaries.
c10::IValue
mapTensors(const c10::IValue &Value,
           const std::function<at::Tensor(const at::Tensor &)> &Change);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_MODELINPUTS_H
