//===- TorchModel.h - the bridge's torch side -------------------*- C++ -*-===//
//
// For units with torch headers only: what an opaque Model is, and how an
// exception becomes an Outcome.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_TORCHMODEL_H
#define TORCHPROF_TOOLS_TORCHMODEL_H

#include "TorchBridge.h"

#include <torch/csrc/jit/api/module.h>

#include <functional>
#include <string>

namespace torchprof {

class Model {
public:
  torch::jit::Module Root;
  torch::jit::ExtraFilesMap ExtraFiles;
};

inline OwnedText ownText(const std::string &Text) {
  return OwnedText(Text.data(), Text.size());
}

inline Outcome failure(int Code, const std::string &Text) {
  return {Code, ownText(Text)};
}

/// Runs \p Body; what it throws becomes an outcome with code 2. An
/// InstrumentError keeps its text, of a LibTorch error the cause is kept
/// without the C++ stack.
Outcome guarded(const std::function<Outcome()> &Body);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_TORCHMODEL_H
