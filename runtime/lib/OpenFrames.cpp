//===- OpenFrames.cpp - spans open on a lane ------------------------------===//

#include "OpenFrames.h"

#include "EndedRuns.h"
#include "MethodLabels.h"
#include "Pages.h"
#include "Probe.h"

#include <algorithm>

namespace torchprof {

using namespace format;

/// True for what cannot outlive its root.
static bool isPair(const OpenFrame &F) {
  return !F.Stack && (!F.Region || isMethodLabel(F));
}

/// Makes room for one frame more.
static bool growFrames(Lane &L) {
  if (L.Depth < HotFrames + L.MoreCapacity)
    return true;
  uint32_t Capacity = std::max<uint32_t>(2 * L.MoreCapacity, HotFrames);
  PageSource &Pages = PageSource::system();
  auto *More =
      static_cast<OpenFrame *>(Pages.plain(Capacity * sizeof(OpenFrame)));
  if (!More)
    return false;
  std::copy_n(L.MoreFrames, L.MoreCapacity, More);
  if (L.MoreFrames)
    Pages.free(L.MoreFrames, L.MoreCapacity * sizeof(OpenFrame));
  L.MoreFrames = More;
  L.MoreCapacity = Capacity;
  return true;
}

void pushFrame(Lane &L, const OpenFrame &Frame) {
  if (growFrames(L))
    frameAt(L, L.Depth++) = Frame;
}

void dropFrames(Lane &L, uint32_t Depth) {
  if (Depth >= L.Depth)
    return;
  L.Depth = Depth;
  const OpenFrame &F = frameAt(L, Depth);
  setCurrent(L, F.OuterTicks, F.Outer);
}

/// True if the frame is a pair around a node that calls a method.
static bool isCall(const OpenFrame &F) {
  if (!isPair(F))
    return false;
  auto Id = SiteId::fromNumber(F.Pair);
  const RegisteredModel *Model = Line.Models.modelOf(Id);
  return Model && Model->has(Id.index(), RegisteredModel::Calls);
}

/// True for a method that only methods call.
static bool isCalled(Slot Root) {
  const RegisteredModel *Model =
      Root == NoSlot ? nullptr : Line.Models.ownerOf(Root).Model;
  return Model &&
         Model->has(Root - Model->FirstSlot, RegisteredModel::IsCalled);
}

bool isCalledHere(Lane &L, Slot Root) {
  if (!L.Depth || !isPair(frameAt(L, L.Depth - 1)))
    return false;
  return isCall(frameAt(L, L.Depth - 1)) || isCalled(Root);
}

/// Drops the roots whose native frames lie below \p Alive, and what is open in
/// them.
static void dropRootsBelow(Lane &L, uintptr_t Alive) {
  uint32_t Depth = L.Depth;
  for (uint32_t I = Depth; I-- > 0;) {
    const OpenFrame &F = frameAt(L, I);
    if ((F.Region && !isMethodLabel(F)) || F.Stack >= Alive)
      break;
    if (F.Stack)
      Depth = I;
  }
  dropFrames(L, Depth);
}

void dropDeadRoots(Lane &L, uintptr_t Stack, bool IsCalled) {
  // The interpreter runs a method that a node calls in its own native frame.
  IsCalled |= L.Depth && isCall(frameAt(L, L.Depth - 1));
  dropRootsBelow(L, IsCalled ? Stack : Stack + 1);
}

void dropLeftRoots(Lane &L, uintptr_t Stack) { dropRootsBelow(L, Stack + 1); }

/// Number of frames below the pairs that are the last of \p Depth frames.
static uint32_t depthBelowPairs(Lane &L, uint32_t Depth) {
  while (Depth && isPair(frameAt(L, Depth - 1)))
    --Depth;
  return Depth;
}

/// As dropFrames(). Without a frame no span is open.
static void dropSpans(Lane &L, uint32_t Depth) {
  dropFrames(L, Depth);
  if (!Depth)
    setCurrent(L, 0, packCurrent(NoSlot, false));
}

void dropStrayPairs(Lane &L) { dropSpans(L, depthBelowPairs(L, L.Depth)); }

void dropRoot(Lane &L) {
  uint32_t Depth = depthBelowPairs(L, L.Depth);
  uintptr_t Stack = Depth ? frameAt(L, Depth - 1).Stack : 0;
  for (uint32_t Next = Depth; Stack && Next; Next = depthBelowPairs(L, Depth)) {
    if (frameAt(L, Next - 1).Stack != Stack)
      break;
    Depth = Next - 1;
  }
  dropSpans(L, Depth);
}

bool isSuspended(Slot Site) {
  const RegisteredModel *Model =
      Site == NoSlot ? nullptr : Line.Models.ownerOf(Site).Model;
  return Model && Model->has(Site - Model->FirstSlot, RegisteredModel::Waits);
}

Slot outermostRoot(Lane &L) {
  Slot Root = NoSlot;
  for (uint32_t I = L.Depth; I-- > 0;) {
    const OpenFrame &F = frameAt(L, I);
    if (isSuspended(F.Site))
      break; // so is all that lies around it
    if (F.Stack)
      Root = F.Site;
  }
  return Root;
}

/// True if a label is the innermost span. A node in it, which has no frame or
/// is a task's, would still be open when the label has ended.
static bool isInnermostLabel(const Lane &L, const OpenFrame &F) {
  return F.Region == FunctionFrame && L.CurrentTicks == F.Begin &&
         slotOfCurrent(L.Current) == F.Site;
}

/// Drops the innermost runs and labels that have ended on another thread. If a
/// span of one native frame is current it is open, and so may be what lies
/// below.
static void dropEnded(Lane &L, EndedRuns &Ended) {
  if (Ended.empty() || isUnlogged(L.Current))
    return;
  while (uint32_t Depth = depthBelowPairs(L, L.Depth)) {
    const OpenFrame &F = frameAt(L, Depth - 1);
    if ((!F.Stack && !isInnermostLabel(L, F)) || !Ended.take(F.Begin, F.Site))
      return;
    dropSpans(L, Depth - 1);
  }
}

/// True if the innermost span waits for a task.
static bool waits(Lane &L) {
  if (isSuspended(slotOfCurrent(L.Current)))
    return true;
  // One that began while the gate was shut is not current: its frame is the
  // last one, and nothing has begun since.
  if (!L.Depth)
    return false;
  const OpenFrame &F = frameAt(L, L.Depth - 1);
  return beganShut(F.Begin) && isSuspended(F.Site) &&
         F.OuterTicks == L.CurrentTicks && F.Outer == L.Current;
}

void dropSuspendedRun(Lane &L, EndedRuns &Ended) {
  dropEnded(L, Ended);
  while (waits(L))
    dropRoot(L);
}

std::optional<OpenFrame> popFrame(Lane &L, uint64_t Begin, Slot Site) {
  for (uint32_t I = L.Depth; I-- > 0;) {
    OpenFrame F = frameAt(L, I);
    if (F.Begin != Begin || F.Site != Site)
      continue;
    if (isMethodLabel(F))
      removeLabel(L, I);
    else if (I + 1 == L.Depth || (F.Stack && !opensLabels(F.Site)))
      dropFrames(L, I);
    else
      keepLabels(L, I + 1, I, F.OuterTicks, F.Outer);
    return F;
  }
  return std::nullopt;
}

uint32_t depthAround(Lane &L, uint64_t Begin, Slot Site) {
  for (uint32_t I = 0; I < L.Depth; ++I)
    if (const OpenFrame &F = frameAt(L, I);
        F.OuterTicks == Begin && slotOfCurrent(F.Outer) == Site)
      return I;
  return L.Depth;
}

unsigned openRoots(Lane &L) {
  unsigned Roots = 0;
  for (uint32_t I = 0; I < L.Depth; ++I)
    Roots += frameAt(L, I).Stack != 0;
  return Roots;
}

} // namespace torchprof
