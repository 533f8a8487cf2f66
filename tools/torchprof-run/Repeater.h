//===- Repeater.h - the same call again and again ---------------*- C++ -*-===//

#ifndef TORCHPROF_TOOLS_REPEATER_H
#define TORCHPROF_TOOLS_REPEATER_H

#include "../common/TorchModel.h"

namespace torchprof {

/// Calls a method again and again with equal inputs.
class Repeater {
public:
  Repeater(torch::jit::Method M, torch::jit::Stack Inputs)
      : M(std::move(M)), Inputs(std::move(Inputs)) {}

  /// Makes one call and returns its latency in ns. A model that writes to its
  /// inputs gets copies from then on, made outside the measured time.
  uint64_t run();

private:
  torch::jit::Method M;
  torch::jit::Stack Inputs;
  torch::jit::Stack Pristine;
  bool IsFirst = true;
  bool NeedsCopies = false;
};

/// Adds to an error of the model what the user can do about it. \p Grad: it ran
/// with gradients.
Outcome explainRunError(Outcome Failed, bool Grad);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_REPEATER_H
