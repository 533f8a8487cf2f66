//===- VerifyBridge.h - compare two models' results -------------*- C++ -*-===//
//
// See TorchBridge.h for the rules.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_VERIFYBRIDGE_H
#define TORCHPROF_TOOLS_VERIFYBRIDGE_H

#include "../common/TorchBridge.h"

namespace torchprof {

/// One call to compare: a method and its inputs, as texts of --input.
struct CallRequest {
  const char *Method = "forward";
  TextList Inputs;
  /// With gradients enabled: those of the parameters and of the inputs, from
  /// the sum of the outputs, are compared as well. Switched on by verifyCall if
  /// the model asks for it.
  bool Grad = false;
  /// Set by verifyCall: there were gradients to compare, or the model computes
  /// some itself.
  bool HasGradients = false;
  /// Set by verifyCall: the outputs of both models could not be differentiated,
  /// so that their gradients were not compared.
  bool BackwardFailed = false;
  /// Kept by verifyCall: how often each model was called.
  unsigned Calls = 0;
};

/// Whether LibTorch optimizes what it runs. Once it has optimized a method it
/// runs that plan always, so all calls without come before the first with.
enum class Optimizing { Off, On };

/// Calls \p Original and \p Instrumented with equal inputs and equal seeds:
/// once with Optimizing::Off, often enough to compare optimized code with
/// Optimizing::On. The outputs, and the inputs after the call, must be equal
/// bit for bit (NaN equals NaN), or nearly so where LibTorch optimizes and
/// probes change what it makes, and on devices. A difference has code 1 and
/// names the output and its first differing element; so has a call that raises
/// an exception in both, because then nothing was compared.
Outcome verifyCall(Model &Original, Model &Instrumented, CallRequest &Call,
                   Optimizing Stage);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_VERIFYBRIDGE_H
