//===- FusedKernels.cpp - nodes that LibTorch made one kernel of ----------===//

#include "SiteTable.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

void SiteTable::addFused(const Profile &P, const DynamicSite &D,
                         const SlotToSite &Slots) {
  uint32_t Member;
  if (StringRef(D.Name).getAsInteger(10, Member))
    return;
  for (const Model &M : P.Models) {
    uint64_t Count = M.Table->Sites.size();
    uint64_t Leader = number(D.Parent) - uint64_t(number(M.FirstSlot));
    if (Leader >= Count || Member >= Count)
      continue;
    uint32_t S = Slots[format::Slot(number(M.FirstSlot) + Member)];
    if (S != NoIndex)
      Fused[Slots[D.Parent]].insert(S);
  }
}

namespace {

/// A node of a kernel, as it was before it was fused.
struct UnfusedPart {
  uint32_t Site;
  double Mean; ///< ticks
};

} // namespace

/// Ticks that \p Count calls of an estimated mean took.
static UInt128 ticks(double Count, double Mean) {
  return static_cast<UInt128>(Count * Mean + 0.5);
}

void SiteTable::splitFused() {
  const std::vector<Aggregate> Before = Measured;
  for (const auto &[Leader, Members] : Fused) {
    const Aggregate &Whole = Before[Leader];
    // The runs in which nothing was fused: the leader's first.
    uint64_t Unfused = 0;
    std::vector<UnfusedPart> Parts;
    for (uint32_t S : Members) {
      if (S == Leader || !Before[S].Count)
        continue;
      Unfused = std::max(Unfused, Before[S].Count);
      Parts.push_back({S, Before[S].mean()});
    }
    size_t Samples = std::min<uint64_t>(Unfused, Whole.First.size());
    if (!Samples || Unfused >= Whole.Count)
      continue;
    double First = 0;
    for (size_t I = 0; I < Samples; ++I)
      First += static_cast<double>(Whole.First[I]);
    Parts.push_back({Leader, First / static_cast<double>(Samples)});
    double All = 0;
    for (const UnfusedPart &Part : Parts)
      All += Part.Mean;
    UInt128 Alone = std::min(
        ticks(static_cast<double>(Unfused), Parts.back().Mean), Whole.Sum);
    UInt128 Kernel = Whole.Sum - Alone, Given = 0;
    uint64_t Calls = Whole.Count - Unfused;
    if (All <= 0)
      continue;
    for (const UnfusedPart &Part : Parts) {
      Estimated.insert(Part.Site);
      if (Part.Site == Leader)
        continue;
      UInt128 Share = std::min(
          ticks(static_cast<double>(Kernel), Part.Mean / All), Kernel - Given);
      Given += Share;
      Measured[Part.Site].Sum += Share;
      Measured[Part.Site].Count += Calls;
      Measured[Part.Site].Begins += Calls;
    }
    // The rest is the leader's, so that the sum stays what was measured.
    Measured[Leader].Sum -= Given;
  }
  forgetParts();
}
