//===- PairOperands.cpp - what LibTorch says of nodes in pairs ------------===//

#include "PairOperands.h"

#include "PairShapes.h"
#include "ThreadCallback.h"

#include <ATen/record_function.h>

#include <memory>
#include <new>
#include <vector>

namespace torchprof {

namespace {
/// Of an operator whose outputs are wanted.
struct ToldInputs : at::ObserverContext {};

thread_local ThreadCallback PairsHere;
thread_local unsigned PairsOpen = 0;
} // namespace

static std::unique_ptr<at::ObserverContext>
pairOperatorBegins(const at::RecordFunction &Call) try {
  if (!wantsOperands(Call.name()))
    return nullptr;
  auto Inputs = Call.inputs();
  std::vector<c10::IValue> Values(Inputs.begin(), Inputs.end());
  if (!tellInputs({&Values, uint16_t(Values.size()), 0}))
    return nullptr;
  return std::make_unique<ToldInputs>();
} catch (const std::bad_alloc &) {
  return nullptr; // its shapes are not known
}

static void pairOperatorEnds(const at::RecordFunction &Call,
                             at::ObserverContext *Told) {
  if (!Told)
    return;
  const auto &Outputs = Call.outputs();
  tellOutputs({&Outputs, 0, uint16_t(Outputs.size())});
}

void leavePairs() noexcept {
  PairsOpen = 0;
  PairsHere.remove();
}

void pairBegins() noexcept try {
  if (PairsHere.isThere()) {
    ++PairsOpen;
    return;
  }
  PairsOpen = 1; // those before it were of a task that has ended
  PairsHere.add(at::RecordFunctionCallback(pairOperatorBegins, pairOperatorEnds)
                    .needsInputs(true)
                    .needsOutputs(true)
                    .scopes({at::RecordScope::FUNCTION}));
} catch (const std::exception &) {
  // No memory for a callback: the pair's shapes are not known.
}

void pairEnded() noexcept {
  if (PairsOpen <= 1)
    leavePairs();
  else
    --PairsOpen;
}

} // namespace torchprof
