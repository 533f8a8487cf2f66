//===- Repeater.h - the same call again and again ---------------*- C++ -*-===//

#ifndef TORCHPROF_TOOLS_REPEATER_H
#define TORCHPROF_TOOLS_REPEATER_H

#include "../common/TorchModel.h"
#include "RunBridge.h"

namespace torchprof {

/// The same inputs with tensors and containers of their own.
torch::jit::Stack copyOf(const torch::jit::Stack &Inputs);

/// Calls a method again and again with equal inputs.
class Repeater {
public:
  /// \p Device: where the model runs; none: on the CPU.
  Repeater(torch::jit::Method M, torch::jit::Stack Inputs,
           std::optional<c10::Device> Device);

  /// Makes one call and returns its latency in ns, until the tasks that it
  /// returns and the device have done their part. A model that writes to its
  /// inputs gets copies from then on, and one with containers among them
  /// always, made outside the measured time.
  uint64_t run();

private:
  torch::jit::Method M;
  torch::jit::Stack Inputs;
  torch::jit::Stack Pristine;        ///< the inputs as they were
  std::optional<c10::Device> Device; ///< another one than the CPU
  bool NeedsCopies;
};

/// Ends the progress of runs that have failed, and adds to an error of the
/// model what the user can do about it.
Outcome endWithError(Outcome Failed, const RunRequest &Request);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_REPEATER_H
