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
};

/// Calls \p Original and \p Instrumented with equal inputs and equal seeds, and
/// often enough to compare optimized code too. The outputs, and the inputs
/// after the call, must be equal bit for bit (NaN equals NaN), or both must
/// throw. A difference has code 1 and names the output and its first differing
/// element.
Outcome verifyCall(Model &Original, Model &Instrumented,
                   const CallRequest &Call);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_VERIFYBRIDGE_H
