//===- MethodLabels.cpp - labels that a method opens ----------------------===//

#include "MethodLabels.h"

#include "OpenFrames.h"
#include "Probe.h"

#include <utility>

namespace torchprof {

using namespace format;

bool opensLabels(Slot Site) {
  const RegisteredModel *Model =
      Site == NoSlot ? nullptr : Line.Models.ownerOf(Site).Model;
  if (!Model)
    return false;
  const RegisteredModel::SiteText &Text =
      Model->textOf(Site - Model->FirstSlot);
  return std::string_view(Text.Kind).starts_with(LabelOpener) ||
         Text.Kind == "prim::Enter" ||
         (Text.Kind == "method" &&
          std::string_view(Text.Label).ends_with(".__enter__"));
}

Slot placeOfLabel(Lane &L, Slot Opener) {
  for (uint32_t I = L.Depth; I-- > 0;) {
    const OpenFrame &F = frameAt(L, I);
    if (!F.Stack)
      continue;
    if (opensLabels(F.Site))
      return I ? frameAt(L, I - 1).Site : NoSlot;
    break;
  }
  for (uint32_t I = L.Depth; I-- > 0;)
    if (Slot Around = frameAt(L, I).Site; Around != Opener)
      return Around;
  return NoSlot;
}

void keepLabels(Lane &L, uint32_t From, uint32_t To, uint64_t OuterTicks,
                uint64_t Outer) {
  for (uint32_t I = From; I < L.Depth; ++I) {
    OpenFrame F = frameAt(L, I);
    if (!isMethodLabel(F))
      continue;
    F.OuterTicks = std::exchange(OuterTicks, F.Begin);
    F.Outer = std::exchange(Outer, packCurrent(F.Site, false));
    frameAt(L, To++) = F;
  }
  L.Depth = To;
  setCurrent(L, OuterTicks, Outer);
}

void removeLabel(Lane &L, uint32_t Depth) {
  OpenFrame Label = frameAt(L, Depth);
  --L.Depth;
  if (Depth == L.Depth)
    return setCurrent(L, Label.OuterTicks, Label.Outer);
  for (uint32_t I = Depth; I < L.Depth; ++I) {
    OpenFrame F = frameAt(L, I + 1);
    if (F.OuterTicks == Label.Begin && slotOfCurrent(F.Outer) == Label.Site) {
      F.OuterTicks = Label.OuterTicks;
      F.Outer = Label.Outer;
    }
    frameAt(L, I) = F;
  }
}

/// True if \p Outer is a label that has ended.
static bool isEndedLabel(Lane &L, uint64_t OuterTicks, uint64_t Outer) {
  Slot Site = slotOfCurrent(Outer);
  const RegisteredChild *Child =
      Site == NoSlot ? nullptr : Line.Children.childAt(Site);
  return Child && Child->Kind == DynamicKind::Region &&
         !hasFrame(L, OuterTicks, Site);
}

void leaveNode(Lane &L, uint32_t Depth, uint64_t OuterTicks, uint64_t Outer) {
  // If the node has closed the label around it, what that lay in is innermost.
  if (Depth < L.Depth || !isEndedLabel(L, OuterTicks, Outer))
    keepLabels(L, Depth, Depth, OuterTicks, Outer);
}

} // namespace torchprof
