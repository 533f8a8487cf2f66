//===- TorchBridge.h - LibTorch for units with LLVM headers -----*- C++ -*-===//
//
// The bridge between a tool's LLVM side and LibTorch. Its functions turn
// LibTorch's exceptions into outcomes; none throws. It names no type of torch,
// LLVM or std::. One thread at a time per model.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_TORCHBRIDGE_H
#define TORCHPROF_TOOLS_TORCHBRIDGE_H

#include "OwnedText.h"

#include <cstddef>
#include <cstdint>

namespace torchprof {

/// How a call went. Code is what the tool exits with: 0 fine, 1 a finding,
/// 2 bad input. Message is one or more lower-case lines, empty if Code is 0.
struct Outcome {
  int Code = 0;
  OwnedText Message;
  bool IsOfOutput = false; ///< it is the file to write that it is about
  explicit operator bool() const { return Code != 0; } ///< true on error
};

/// A list of C strings, owned by the caller.
struct TextList {
  const char *const *Data = nullptr;
  size_t Size = 0;
};

/// A loaded model with the extra files of its archive.
class Model;
void freeModel(Model *M);

/// Owns a model.
class ModelHolder {
public:
  ModelHolder() = default;
  ModelHolder(const ModelHolder &) = delete;
  ModelHolder &operator=(const ModelHolder &) = delete;
  ~ModelHolder() { freeModel(Held); }
  Model *get() const { return Held; }
  /// Where a function that makes a model stores it.
  Model **receive() {
    freeModel(Held);
    Held = nullptr;
    return &Held;
  }

private:
  Model *Held = nullptr;
};

/// Loads a shared library that registers custom operators, for good. A name
/// without a slash is one in this folder, or else one that the loader finds.
Outcome loadLibrary(const char *Path);

/// What is called before LibTorch loads a model; with an error, it does not.
struct BeforeLoad {
  /// \p OnDevice: the archive has tensors of another device than the CPU.
  Outcome (*Call)(bool OnDevice, void *Context) = nullptr;
  void *Context = nullptr;
};

/// Reads the TorchScript archive \p Path. \p Device is a device to move all
/// tensors to ("cpu"), or null to leave them where they were saved. The model's
/// inputs are made on its device.
Outcome loadModel(const char *Path, const char *Device, Model **Result,
                  BeforeLoad Before = {});

/// Writes \p M and its extra files to \p Path, which is overwritten; with code
/// for the lite interpreter if the file that it was loaded from has some.
Outcome saveModel(const Model &M, const char *Path);

/// Version of LibTorch that this was built with, "2.13.0".
const char *torchVersion();

} // namespace torchprof

#endif // TORCHPROF_TOOLS_TORCHBRIDGE_H
