//===- GroupGradients.cpp - what follows the gradients of a group ---------===//

#include "GroupGradients.h"

#include "Attach.h"
#include "BackwardFunctions.h"
#include "Control.h"
#include "DynamicSpans.h"
#include "Probe.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/function.h>

#include <new>
#include <utility>
#include <vector>

namespace torchprof {

using format::Slot;

namespace {
/// A gradient that a group has computed.
struct ComputedGradient {
  const c10::TensorImpl *Tensor; ///< compared, not looked into
  Slot Unused;
  uint32_t Output; ///< of the group's function
  uint64_t Bytes;  ///< that are free without it
};

/// What is known of the innermost function that is open on a thread.
struct OpenGroup {
  /// Null where none is recorded; then the rest says nothing.
  const torch::autograd::Node *Function = nullptr;
  std::vector<ComputedGradient> Gradients; ///< none of most
  c10::IValue Needing; ///< see beginGradients(); None: of no group
  size_t NextKept = 0; ///< in Needing, of the tensor that is freed next
  uint32_t NextOutput = 0;
  uint64_t Since = 0; ///< ticks, when its graph returned; 0: booked, or not yet
};
} // namespace

static thread_local OpenGroup Group;

static void forget() {
  Group.Gradients.clear();
  Group.Needing = c10::IValue();
  Group.Function = nullptr;
  Group.Since = 0;
}

void beginFunctionOf(const torch::autograd::Node &Function) noexcept {
  forget();
  Group.Function = &Function;
  Group.NextKept = Function.num_inputs();
}

void beginGradients(const c10::IValue &Needing) noexcept {
  if (!Group.Function)
    return;
  Group.Gradients.clear();
  Group.Needing = Needing;
  Group.NextOutput = 0;
}

void noteGradient(const c10::IValue &Gradient, Slot Unused) noexcept try {
  uint32_t Output = Group.NextOutput++;
  if (!Group.Function || Unused == format::NoSlot || !Gradient.isTensor() ||
      !Gradient.toTensor().defined())
    return;
  const at::Tensor &Tensor = Gradient.toTensor();
  bool IsAlone = Tensor.use_count() <= 2; // the caller's, and the graph's
  Group.Gradients.push_back(
      {Tensor.unsafeGetTensorImpl(), Unused, Output,
       IsAlone && Tensor.has_storage() ? Tensor.storage().nbytes() : 0});
} catch (const std::exception &) {
  // What is done with it stays with the group.
}

void endGradients() noexcept {
  if (Group.Function)
    Group.Since = clock::ticks();
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

Slot siteBehind(Slot Of, const char *Name) {
  Slot Maker = siteBelow(Of);
  Slot Site = knownFunction(Maker, Name);
  if (Site != format::NoSlot) [[likely]]
    return Site;
  Site = functionSite(Maker, Name);
  keepFunction(Maker, Name, Site);
  return Site;
}

static OpenBehind openBehind(Slot Site) {
  claimFunctions();
  return {Site, beginSlot(Site)};
}

void closeBehind(const OpenBehind &Open) noexcept {
  claimFunctions();
  endSlot(Open.Begin, Open.Site);
}

//===----------------------------------------------------------------------===//
// Adding up
//===----------------------------------------------------------------------===//

static const ComputedGradient *knownGradient(const c10::TensorImpl *Tensor) {
  for (const ComputedGradient &Known : Group.Gradients)
    if (Known.Tensor == Tensor)
      return &Known;
  return nullptr;
}

bool isComputedByGroup(const c10::TensorImpl *Gradient) noexcept {
  return knownGradient(Gradient);
}

std::optional<OpenBehind> openSum(const c10::TensorImpl *Gradient) noexcept
    try {
  const ComputedGradient *Known = knownGradient(Gradient);
  if (!Known)
    return std::nullopt;
  return openBehind(siteBehind(Known->Unused, format::GradientSumName));
} catch (const std::bad_alloc &) {
  count(format::Counter::LostNoMemory);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Freeing
//===----------------------------------------------------------------------===//

void freeInput(c10::IValue &Input, Slot Freed) noexcept {
  if (Input.isTensor() && Input.use_count() == 1) {
    OpenBehind Open = openBehind(Freed);
    Input = c10::IValue();
    return closeBehind(Open);
  }
  Input = c10::IValue();
}

/// Until when the function has handed out what others need of its outputs and
/// freed the rest. Hooks of the host's run behind that: where there are some,
/// it is not known how long it took, but that it was done.
static uint64_t endOfUnused() {
  return Group.Function->post_hooks().empty() ? clock::ticks() : Group.Since;
}

/// Shares out the time until \p End ticks in which the function has done that.
/// Once for a function.
static void bookUnused(uint64_t End) {
  const torch::autograd::Node &Function = *Group.Function;
  uint64_t Begin = std::exchange(Group.Since, 0), All = 0, Before = 0;
  for (ComputedGradient &Known : Group.Gradients) {
    if (Known.Output >= Function.num_outputs() ||
        Function.task_should_compute_output(Known.Output))
      Known.Bytes = 0;
    All += Known.Bytes;
  }
  auto At = [&](uint64_t Bytes) {
    uint64_t Ticks = clock::ticksBetween(Begin, End);
    return Begin +
           uint64_t(static_cast<unsigned __int128>(Ticks) * Bytes / All);
  };
  for (const ComputedGradient &Known : Group.Gradients) {
    if (!Known.Bytes)
      continue;
    uint64_t Behind = Before + Known.Bytes;
    bookSpan(Known.Unused, At(Before), At(Behind));
    Before = Behind;
  }
}

std::optional<OpenBehind> openFreed() noexcept try {
  if (!Group.Needing.isIntList()) [[likely]]
    return std::nullopt;
  if (Group.Since)
    bookUnused(endOfUnused());
  c10::ArrayRef<c10::IValue> Needing = Group.Needing.toListRef();
  if (Group.NextKept >= Needing.size())
    return std::nullopt;
  auto Site = format::Slot(uint32_t(Needing[Group.NextKept++].toInt()));
  if (Site == format::NoSlot)
    return std::nullopt;
  return openBehind(Site);
} catch (const std::exception &) {
  count(format::Counter::LostNoMemory);
  return std::nullopt;
}

void endFunction() noexcept {
  try {
    // It keeps its tensors for another backward: how long it took to free
    // gradients is not known, but that there were such.
    if (Group.Since)
      bookUnused(Group.Since);
  } catch (const std::exception &) {
    count(format::Counter::LostNoMemory);
  }
  forget();
}

} // namespace torchprof
