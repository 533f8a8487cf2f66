//===- HeldMemory.cpp - memory over time, for trace viewers ---------------===//

#include "HeldMemory.h"

#include <queue>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

/// A lane's levels that were not visited yet, and what it held before them.
struct Rest {
  ArrayRef<format::Level> Levels;
  int64_t Held = 0;

  bool operator>(const Rest &Other) const {
    return Levels.front().EndTicks > Other.Levels.front().EndTicks;
  }
};

} // namespace

StringRef report::heldMemoryName(format::MemoryPlace Place) {
  return Place == format::MemoryPlace::Cpu ? "CPU memory of tensors"
                                           : "Device memory of tensors";
}

static ArrayRef<format::Level>
levelsOf(const Lane &L, format::MemoryPlace Place, bool OfRuns) {
  for (const LevelRing &R : L.Levels)
    if (R.Place == Place && R.OfRuns == OfRuns)
      return R.Entries;
  return {};
}

void report::forEachHeld(const ExportInput &In, format::MemoryPlace Place,
                         function_ref<void(uint64_t, int64_t)> Visit) {
  if (!In.Single || In.FromAggregate)
    return;
  bool OfRuns = none_of(In.Single->Lanes, [&](const Lane &L) {
    return !levelsOf(L, Place, /*OfRuns=*/false).empty();
  });
  std::priority_queue<Rest, std::vector<Rest>, std::greater<>> Lanes;
  for (const Lane &L : In.Single->Lanes)
    if (ArrayRef<format::Level> Levels = levelsOf(L, Place, OfRuns);
        !Levels.empty())
      Lanes.push({Levels});
  Optional<int64_t> Shown;
  int64_t Sum = 0;
  while (!Lanes.empty()) {
    Rest Next = Lanes.top();
    Lanes.pop();
    const format::Level &Here = Next.Levels.front();
    Sum += Here.Held - Next.Held;
    double Ns = In.Sites.clock().sinceStart(Here.EndTicks);
    if (Sum != Shown)
      Visit(Ns > 0 ? static_cast<uint64_t>(Ns) : 0, Sum);
    Shown = Sum;
    Next.Held = Here.Held;
    Next.Levels = Next.Levels.drop_front();
    if (!Next.Levels.empty())
      Lanes.push(Next);
  }
}
