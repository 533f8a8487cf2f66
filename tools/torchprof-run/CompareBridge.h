//===- CompareBridge.h - a model as LibTorch can optimize it ----*- C++ -*-===//
//
// The part of torchprof-run --compare that needs LibTorch; see TorchBridge.h
// for the rules.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_COMPAREBRIDGE_H
#define TORCHPROF_TOOLS_COMPAREBRIDGE_H

#include "RunBridge.h"

namespace torchprof {

/// A form of the model: as it is, frozen, optimized for inference.
enum class ModelForm { Original, Frozen, Optimized };
inline constexpr ModelForm ModelForms[] = {
    ModelForm::Original, ModelForm::Frozen, ModelForm::Optimized};

/// What is found out of one form.
struct FormResult {
  OwnedText WhyNot;    ///< why the model has no such form; else empty
  bool IsEqual = true; ///< its first result is that of the original, nearly
};

struct CompareRequest {
  RunRequest Run; ///< Runs are those of each form; nothing is recorded
  /// Called after each run that counts with its latency in ns.
  void (*Latency)(ModelForm Form, uint64_t Ns, void *Context) = nullptr;
  void *Context = nullptr;
};

/// Runs the forms of \p M that there are in turns. \p Results is by the form's
/// number. Call leaveUnprofiled() before the model is loaded.
Outcome compareForms(ModelHolder &M, const CompareRequest &Request,
                     FormResult (&Results)[3]);

/// Lets models of this process run without torchprof.
void leaveUnprofiled();

} // namespace torchprof

#endif // TORCHPROF_TOOLS_COMPAREBRIDGE_H
