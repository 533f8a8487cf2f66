//===- HeldMemory.cpp - memory over time, for trace viewers ---------------===//

#include "HeldMemory.h"

#include <queue>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

/// A lane's levels that were not visited yet, and what it held before them.
/// Parts of a process that were joined have a ring each.
struct Rest {
  std::vector<ArrayRef<format::Level>>
      Rings; ///< none empty, the last one first
  int64_t Held = 0;

  const format::Level &next() const { return Rings.back().front(); }
  void advance() {
    Held = next().Held;
    Rings.back() = Rings.back().drop_front();
    if (Rings.back().empty())
      Rings.pop_back();
  }
  bool operator>(const Rest &Other) const {
    return next().EndTicks > Other.next().EndTicks;
  }
};

} // namespace

StringRef report::heldMemoryName(format::MemoryPlace Place) {
  return Place == format::MemoryPlace::Cpu ? "CPU memory of tensors"
                                           : "Device memory of tensors";
}

/// The levels of all lanes, also of those that were left out.
static std::vector<ArrayRef<LevelRing>> levelsOfLanes(const Profile &P) {
  std::vector<ArrayRef<LevelRing>> Levels;
  for (const Lane &L : P.Lanes)
    Levels.push_back(L.Levels);
  append_range(Levels, P.LevelsElsewhere);
  return Levels;
}

static Rest levelsOf(const Profile &P, ArrayRef<LevelRing> OfLane,
                     format::MemoryPlace Place, bool OfRuns) {
  Rest Found;
  bool LacksEarlier = false;
  for (const LevelRing &R : reverse(OfLane)) {
    if (R.Place != Place || R.OfRuns != OfRuns || R.Entries.empty())
      continue;
    Found.Rings.push_back(R.Entries);
    LacksEarlier =
        R.Keep == format::LogKeep::Last && R.Count > R.Entries.size();
  }
  // What it held before is not known, but is hardly 0.
  if (LacksEarlier)
    Found.Held = Found.next().Held;
  // A lane without a level before the reset began after it, and held nothing.
  while (!Found.Rings.empty() && Found.next().EndTicks < P.ResetTicks)
    Found.advance();
  return Found;
}

void report::forEachHeld(const ExportInput &In, format::MemoryPlace Place,
                         function_ref<void(uint64_t, int64_t)> Visit) {
  if (!In.Single || In.FromAggregate)
    return;
  std::vector<ArrayRef<LevelRing>> OfLanes = levelsOfLanes(*In.Single);
  bool OfRuns = none_of(OfLanes, [&](ArrayRef<LevelRing> OfLane) {
    return !levelsOf(*In.Single, OfLane, Place, /*OfRuns=*/false).Rings.empty();
  });
  std::priority_queue<Rest, std::vector<Rest>, std::greater<>> Lanes;
  int64_t Sum = 0;
  for (ArrayRef<LevelRing> OfLane : OfLanes) {
    Rest Levels = levelsOf(*In.Single, OfLane, Place, OfRuns);
    Sum += Levels.Held;
    if (!Levels.Rings.empty())
      Lanes.push(std::move(Levels));
  }
  Optional<int64_t> Shown;
  while (!Lanes.empty()) {
    Rest Next = Lanes.top();
    Lanes.pop();
    const format::Level Here = Next.next();
    Sum += Here.Held - Next.Held;
    double Ns = In.Sites.clock().sinceStart(Here.EndTicks);
    if (Sum != Shown)
      Visit(Ns > 0 ? static_cast<uint64_t>(Ns) : 0, Sum);
    Shown = Sum;
    Next.advance();
    if (!Next.Rings.empty())
      Lanes.push(std::move(Next));
  }
}
