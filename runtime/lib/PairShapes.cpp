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

/// Where pairs nest deeper, the outer ones are not told apart by their shapes.
static constexpr uint32_t MostPairs = PageBytes / sizeof(PairShape);

/// What ends on another thread leaves its shape here. Such shapes must not use
/// up the room of a thread that never begins a run.
static bool makeRoom(Lane &L) {
  if (!L.Pairs)
    L.Pairs = static_cast<PairShape *>(PageSource::system().wiped(PageBytes));
  if (L.PairCount == MostPairs)
    dropPairShapes(L);
  return L.Pairs != nullptr;
}

void keepPairShape(Lane &L, Slot Site, uint64_t Begin, OpenVariant Of) {
  if (Of && makeRoom(L))
    L.Pairs[L.PairCount++] = {Begin, Of, Site};
  else
    Variants::drop(Of);
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
  OpenVariant Of = R->variants().beginApart(*L, F->Site, Inputs);
  bool IsNew = Of.made();
  keepPairShape(*L, F->Site, F->Begin, Of);
  return Device || IsNew;
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

/// Forgets the pairs from number \p Count on.
static void dropAbove(Lane &L, uint32_t Count) {
  while (L.PairCount > Count)
    Variants::drop(L.Pairs[--L.PairCount].Of);
}

void endPairShapes(Recording &R, Lane &L, Slot Site, uint64_t Begin,
                   const Operands &Outputs, EndedTicks Ended) {
  for (uint32_t I = L.PairCount; I-- > 0;) {
    PairShape Pair = L.Pairs[I];
    if (Pair.Begin != Begin || Pair.Site != Site)
      continue;
    dropAbove(L, I + 1); // they were left, or ended on another thread
    --L.PairCount;
    if (Ended.Ticks == NotRecorded)
      return Variants::drop(Pair.Of);
    if (Outputs.Stack)
      Variants::complete(Pair.Of, Outputs);
    return R.variants().end(R, L, Site, Pair.Of, Begin, Ended);
  }
}

void dropPairShapes(Lane &L) { dropAbove(L, 0); }

} // namespace torchprof
