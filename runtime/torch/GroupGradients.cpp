//===- GroupGradients.cpp - what follows the gradients of a group ---------===//

#include "GroupGradients.h"

#include "Attach.h"
#include "BackwardFunctions.h"
#include "ColdPath.h"
#include "Control.h"
#include "Probe.h"

#include <new>
#include <vector>

namespace torchprof {

using format::Slot;

namespace {
/// A gradient that a group has computed. Compared, not looked into.
struct ComputedGradient {
  const c10::TensorImpl *Tensor;
  Slot Site;
};
} // namespace

/// Of the function that is open on the thread; empty of most.
static thread_local std::vector<ComputedGradient> Computed;

void beginGradients() noexcept { Computed.clear(); }

void forgetGradients() noexcept { Computed.clear(); }

void noteGradient(const c10::TensorImpl *Gradient, Slot Site) noexcept try {
  Computed.push_back({Gradient, Site});
} catch (const std::bad_alloc &) {
  // What is added to it stays with the group.
}

/// The site of the sums to which the gradient of \p Maker is added.
static Slot sumSite(Slot Maker) {
  Slot Site = knownFunction(Maker, format::GradientSumName);
  if (Site != format::NoSlot) [[likely]]
    return Site;
  Site = functionSite(Maker, format::GradientSumName);
  keepFunction(Maker, format::GradientSumName, Site);
  return Site;
}

static const ComputedGradient *knownGradient(const c10::TensorImpl *Tensor) {
  for (const ComputedGradient &Known : Computed)
    if (Known.Tensor == Tensor)
      return &Known;
  return nullptr;
}

bool isComputedByGroup(const c10::TensorImpl *Gradient) noexcept {
  return knownGradient(Gradient);
}

std::optional<OpenSum> openSum(const c10::TensorImpl *Gradient) noexcept try {
  const ComputedGradient *Known = knownGradient(Gradient);
  if (!Known)
    return std::nullopt;
  claimFunctions();
  Slot Site = sumSite(siteBelow(Known->Site));
  return OpenSum{Site, beginSlot(Site)};
} catch (const std::bad_alloc &) {
  count(format::Counter::LostNoMemory);
  return std::nullopt;
}

void closeSum(const OpenSum &Open) noexcept {
  claimFunctions();
  endSlot(Open.Begin, Open.Site);
}

} // namespace torchprof
