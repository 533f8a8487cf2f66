//===- Repeater.cpp - the same call again and again -----------------------===//

#include "Repeater.h"

#include "../common/CompareValues.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <chrono>

namespace torchprof {

using torch::jit::Stack;
using Clock = std::chrono::steady_clock;

/// True if a model may put something else into an input, which no counter of a
/// tensor tells.
static bool hasContainers(const Stack &Inputs) {
  bool Found = false;
  for (const c10::IValue &Input : Inputs)
    Input.visit([&Found](const c10::IValue &Part) {
      return Found |= Part.isList() || Part.isGenericDict() || Part.isObject();
    });
  return Found;
}

/// Sum of the version counters of all input tensors: it grows when the model
/// writes to its inputs.
static uint64_t versionsOf(const Stack &Inputs) {
  uint64_t Sum = 0;
  for (const c10::IValue &Input : Inputs)
    Input.visit([&](const c10::IValue &Part) {
      if (Part.isTensor() && Part.toTensor().defined())
        Sum += Part.toTensor()._version();
      return false;
    });
  return Sum;
}

Stack copyOf(const Stack &Inputs) {
  Stack Copy;
  for (const c10::IValue &Input : Inputs)
    Copy.push_back(Input.deepcopy());
  return Copy;
}

Repeater::Repeater(torch::jit::Method M, Stack Inputs,
                   std::optional<c10::Device> Where)
    : M(std::move(M)), Inputs(std::move(Inputs)),
      Pristine(copyOf(this->Inputs)), NeedsCopies(hasContainers(this->Inputs)) {
  if (Where && !Where->is_cpu())
    Device = Where;
}

/// Waits until the device has done what the thread has given it.
static void waitFor(c10::Device Device) {
  c10::impl::VirtualGuardImpl Guard(Device.type());
  if (!Device.has_index())
    Device = Guard.getDevice();
  Guard.synchronizeStream(Guard.getStream(Device));
}

uint64_t Repeater::run() {
  Stack Arguments = NeedsCopies ? copyOf(Pristine) : Inputs;
  uint64_t Before = versionsOf(Arguments);
  auto Start = Clock::now();
  waitForTasks(M(Arguments));
  if (Device)
    waitFor(*Device);
  auto End = Clock::now();
  NeedsCopies |= versionsOf(Arguments) != Before;
  return uint64_t(
      std::chrono::duration_cast<std::chrono::nanoseconds>(End - Start)
          .count());
}

Outcome endWithError(Outcome Failed, const RunRequest &Request) {
  if (Request.Progress)
    Request.Progress(Request.Warmup + Request.Runs, Request);
  std::string Text = Failed.Message.c_str();
  if (!Request.Grad && asksForGradients(Text))
    return failure(2, Text + "; the model computes gradients, so run it with "
                             "--grad");
  return Failed;
}

} // namespace torchprof
