//===- PairShapes.cpp - operands of pairs of probes -----------------------===//

#include "PairShapes.h"

#include "ColdSpans.h"
#include "DeviceTime.h"
#include "Pages.h"
#include "Variants.h"

#include <new>

namespace torchprof {

using namespace format;

/// A pair whose operands were told.
struct PairShape {
  uint64_t Begin;
  OpenVariant Of;
  Slot Site;
};

/// Pairs that nest so deep are told apart by their shapes; deeper ones are not.
static constexpr uint32_t MostPairs = PageBytes / sizeof(PairShape);

static bool makeRoom(Lane &L) {
  if (!L.Pairs)
    L.Pairs = static_cast<PairShape *>(PageSource::system().wiped(PageBytes));
  return L.Pairs && L.PairCount < MostPairs;
}

/// The pair that is the lane's innermost span, null if that is another one.
static const OpenFrame *innermostPair(Lane &L) {
  if (!L.Depth)
    return nullptr;
  const OpenFrame &F = frameAt(L, L.Depth - 1);
  return F.Pair != NoPair && F.Begin == L.CurrentTicks &&
                 F.Site == slotOfCurrent(L.Current)
             ? &F
             : nullptr;
}

bool wantsOperands(std::string_view Name) noexcept try {
  Lane *L = ThisLane;
  if (!L || !L->Owner)
    return false;
  const OpenFrame *F = innermostPair(*L);
  if (!F || (L->PairCount && L->Pairs[L->PairCount - 1].Begin == F->Begin))
    return false;
  const RegisteredModel *Model = Line.Models.ownerOf(F->Site).Model;
  return Model && Model->kindOf(F->Site - Model->FirstSlot) == Name;
} catch (const std::bad_alloc &) {
  return false;
}

bool tellInputs(const Operands &Inputs) noexcept {
  Lane *L = ThisLane;
  Recording *R = Recording::existing();
  const OpenFrame *F = R ? innermostPair(*L) : nullptr;
  if (!F)
    return false;
  DeviceTime *Device = L->Measuring ? R->measures().device() : nullptr;
  if (Device)
    Device->tellInputs(*L, Inputs);
  if (!L->WithShapes || !makeRoom(*L))
    return Device != nullptr;
  OpenVariant Of = R->variants().beginApart(*L, F->Site, Inputs);
  if (!Of)
    return Device != nullptr;
  L->Pairs[L->PairCount++] = {F->Begin, Of, F->Site};
  return Device || Of.made();
}

void tellOutputs(const Operands &Outputs) noexcept {
  Lane *L = ThisLane;
  if (!L || !L->Owner)
    return;
  if (Recording *R = Recording::existing(); R && R->measures().device())
    R->measures().device()->tellOutputs(*L, Outputs);
  if (L->PairCount)
    Variants::complete(L->Pairs[L->PairCount - 1].Of, Outputs);
}

void endPairShapes(Recording &R, Lane &L, Slot Site, uint64_t Begin,
                   uint64_t Ticks) {
  if (!L.PairCount)
    return;
  const PairShape &Pair = L.Pairs[L.PairCount - 1];
  if (Pair.Begin != Begin || Pair.Site != Site)
    return;
  --L.PairCount;
  if (Ticks == NotRecorded)
    Variants::drop(Pair.Of);
  else
    R.variants().end(R, L, Pair.Site, Pair.Of, Begin, Ticks);
}

void dropPairShapes(Lane &L) {
  while (L.PairCount)
    Variants::drop(L.Pairs[--L.PairCount].Of);
}

} // namespace torchprof
