//===- FunctionRings.cpp - which span made an autograd function -----------===//

#include "FunctionRings.h"

#include "Pages.h"
#include "Process.h"

#include <algorithm>
#include <unistd.h>

namespace torchprof {

using namespace format;

void FunctionRing::claimMore(uint64_t Next, Slot Site) {
  if (Site != NoSlot)
    for (uint64_t I = std::max(Claimed, Next < Size ? 0 : Next - Size);
         I < Next; ++I)
      file(I, Site);
  Claimed = Next;
}

/// Threads with a ring that have ended.
static std::atomic<uint64_t> Ends = 0;

void FunctionRing::release() {
  EndOrder = Ends.fetch_add(1, std::memory_order_relaxed);
  HasEnded = true;
}

uint64_t FunctionRings::ended() { return Ends.load(std::memory_order_relaxed); }

FunctionRing *FunctionRings::find(uint64_t Thread) const {
  for (FunctionRing *R = All.load(std::memory_order_acquire); R; R = R->Next)
    if (R->Thread.load(std::memory_order_acquire) == Thread)
      return R;
  return nullptr;
}

FunctionRing *FunctionRings::endedFirst() const {
  FunctionRing *First = nullptr;
  pid_t Pid = getpid();
  for (FunctionRing *R = All.load(std::memory_order_relaxed); R; R = R->Next)
    if ((R->HasEnded || R->OwnerPid != Pid) &&
        (!First || R->EndOrder < First->EndOrder))
      First = R;
  return First;
}

FunctionRing *FunctionRings::own(uint64_t Thread, uint64_t Next,
                                 PageSource &Pages) {
  FunctionRing *R;
  {
    ProcessLock Lock;
    R = find(Thread);
    if (!R && Count < MaxRings) {
      R = static_cast<FunctionRing *>(Pages.plain(sizeof(FunctionRing)));
      if (R) {
        ++Count;
        R->Thread.store(Thread, std::memory_order_relaxed);
        R->Next = All.load(std::memory_order_relaxed);
        All.store(R, std::memory_order_release);
      }
    }
    if (!R) {
      AreShort.store(true, std::memory_order_relaxed);
      R = endedFirst();
      if (!R)
        return nullptr;
      // In this order: who still asks for the old thread finds no entry of the
      // new one, and the other way round.
      R->Thread.store(NoThread, std::memory_order_release);
    }
    R->HasEnded = false;
    R->OwnerPid = getpid();
    R->Claimed = Next;
  }
  if (R->Thread.load(std::memory_order_relaxed) == Thread)
    return R;
  // Without the lock, for it is half a megabyte. Pages that nobody has written
  // to stay the kernel's zeros.
  for (std::atomic<uint64_t> &Maker : R->Makers)
    if (Maker.load(std::memory_order_relaxed))
      Maker.store(0, std::memory_order_release);
  R->Thread.store(Thread, std::memory_order_release);
  return R;
}

Slot FunctionRings::makerOf(uint64_t Thread, uint64_t Number) const {
  if (Number > FunctionMaker::MaxNumber)
    return NoSlot;
  const FunctionRing *R = find(Thread);
  FunctionMaker Found(
      R ? R->Makers[Number % FunctionRing::Size].load(std::memory_order_acquire)
        : 0);
  if (!R || R->Thread.load(std::memory_order_acquire) != Thread) {
    if (AreShort.load(std::memory_order_relaxed))
      count(Counter::ForgottenFunctions);
    return NoSlot;
  }
  uint64_t Order = FunctionMaker(Number, Slot(0)).order();
  if (Found.order() == Order)
    return Found.site();
  if (Found.order() > Order)
    count(Counter::ForgottenFunctions);
  return NoSlot;
}

} // namespace torchprof
