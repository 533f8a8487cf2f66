//===- CompareBridge.h - a model as LibTorch can optimize it ----*- C++ -*-===//
//
// The part of torchprof-run --compare that needs LibTorch; see TorchBridge.h
// for the rules.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_COMPAREBRIDGE_H
#define TORCHPROF_TOOLS_COMPAREBRIDGE_H

#include "RunBridge.h"

#include <cstddef>
#include <iterator>

namespace torchprof {

/// A form of the model: as it is, frozen, optimized for inference; as it is,
/// on half of the threads and on one.
enum class ModelForm { Original, Frozen, Optimized, HalfThreads, OneThread };
inline constexpr ModelForm ModelForms[] = {
    ModelForm::Original, ModelForm::Frozen, ModelForm::Optimized,
    ModelForm::HalfThreads, ModelForm::OneThread};
inline constexpr size_t ModelFormCount = std::size(ModelForms);

/// What is found out of one form.
struct FormResult {
  OwnedText WhyNot; ///< why the model has no such form; else empty
  /// How its first result differs from the original's by more than half of the
  /// digits; empty if it does not.
  OwnedText Difference;
  int Threads = 0; ///< inside an operator; 0: another form has as many
};

struct CompareRequest {
  /// Warmup and Runs are turns, with a run of each form that counts and one
  /// before it that does not; nothing is recorded.
  RunRequest Run;
  /// Called after each run that counts with its latency in ns.
  void (*Latency)(ModelForm Form, uint64_t Ns, void *Context) = nullptr;
  void *Context = nullptr;
};

/// Runs the forms of \p M that there are in turns. \p Results is by the form's
/// number. Call leaveUnprofiled() before the model is loaded.
Outcome compareForms(ModelHolder &M, const CompareRequest &Request,
                     FormResult (&Results)[ModelFormCount]);

/// Lets models of this process run without torchprof.
void leaveUnprofiled();

} // namespace torchprof

#endif // TORCHPROF_TOOLS_COMPAREBRIDGE_H
