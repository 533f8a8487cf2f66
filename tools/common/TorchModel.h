//===- TorchModel.h - the bridge's torch side -------------------*- C++ -*-===//
//
// For units with torch headers only: the definition of Model, and the
// conversion of exceptions to outcomes.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_TORCHMODEL_H
#define TORCHPROF_TOOLS_TORCHMODEL_H

#include "TorchBridge.h"

#include <torch/csrc/jit/api/module.h>

#include <functional>
#include <optional>
#include <string>

namespace torchprof {

class Model {
public:
  torch::jit::Module Root;
  torch::jit::ExtraFilesMap ExtraFiles;
  std::string Name; ///< stem of the file that it was loaded from
  /// The file has code for the lite interpreter beside that for LibTorch's.
  bool HasBytecode = false;
  bool HasDebugHandles = false; ///< that code says where it comes from
  std::optional<c10::Device>
      On; ///< where its inputs have to be; none: anywhere
};

inline OwnedText ownText(const std::string &Text) {
  return OwnedText(Text.data(), Text.size());
}

inline Outcome failure(int Code, const std::string &Text) {
  return {Code, ownText(Text)};
}

/// The line of a LibTorch error that names the cause: without the C++ stack
/// and, for an error in TorchScript code, without the traceback before it.
/// Never empty.
std::string causeOf(const std::string &What);

/// The cause where a model raises what is no std::exception: it has no text.
inline constexpr const char *NoStdException =
    "the model raised an exception that is no std::exception";

/// True if \p Cause says that a model computes gradients, and ran without.
bool asksForGradients(const std::string &Cause);

/// Runs \p Body and turns what it throws into an outcome with code 2: the text
/// of an InstrumentError, or the cause of a LibTorch error without its stack.
/// An operator of a model may throw anything.
Outcome guarded(const std::function<Outcome()> &Body);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_TORCHMODEL_H
