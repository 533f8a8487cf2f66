//===- SiteParts.cpp - what sites have that is not their children's -------===//
//
// Of the host time and of each measure: total minus what ran inside, never
// below 0, decided once for each site. All sums of self times are made of it.
//
//===----------------------------------------------------------------------===//

#include "SiteTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

void SiteTable::forgetParts() {
  Inner = {};
  InnerMore.clear();
  NamesOfModels.reset();
}

// Nested is what ran in the frames directly inside: of a node the runs, also
// those in a region; of a region the regions too, whose runs are not among its
// own.
SiteTable::InnerParts SiteTable::partsOf(SumOfSite SumOf) const {
  size_t Count = Sites.size();
  InnerParts Parts;
  Parts.Self.resize(Count);
  Parts.Runs.resize(Count);
  std::vector<UInt128> Children(Count);
  std::vector<__int128> Runs(Count);
  for (auto S = static_cast<uint32_t>(Count); S-- > 0;) { // children first
    const Site &Here = Sites[S];
    SumAndNested Own = SumOf(S);
    Runs[S] += static_cast<__int128>(Own.Nested);
    Parts.Runs[S] = std::max<__int128>(Runs[S], 0);
    if (Here.isRegion() && !Here.isOutside()) {
      if (Sites[Here.Parent].isOverlay())
        Runs[Here.Parent] += static_cast<__int128>(Parts.Runs[S] - Own.Sum);
      continue;
    }
    UInt128 Inside = Children[S] + Parts.Runs[S] + Own.Gradients;
    UInt128 Whole = Own.Sum;
    if (Own.Sum >= Inside)
      Parts.Self[S].Amount = Own.Sum - Inside;
    else if (LeftOut.count(S)) // its nodes ran without it, in what is around it
      Whole = Inside;
    else
      Parts.Self[S].Excess = Inside - Own.Sum;
    bool IsPart = !Here.Dynamic || Here.Operator || Here.NoNode;
    if (IsPart && Here.Parent != NoIndex && !(Here.Flags & SF_Async))
      Children[Here.Parent] += Whole;
  }
  return Parts;
}

const SiteTable::InnerParts &SiteTable::inner() const {
  if (Inner.Self.size() != Sites.size())
    Inner = partsOf([&](uint32_t S) {
      return SumAndNested{Measured[S].Sum, Measured[S].Nested,
                          Measured[S].Gradients};
    });
  return Inner;
}

GradientSum SiteTable::backwardOf(uint32_t S) const {
  GradientSum Sum;
  Optional<MeasureId> Device = numberOf(Measures, "device");
  for (uint32_t Gradient : backward(S))
    if (!isPlansOfBackward(Gradient))
      Sum +=
          {self(Gradient).Amount, Device ? self(*Device, Gradient).Amount : 0,
           gradientsOf(Gradient, Measured[Gradient].Count)};
  if (auto It = GradientOperatorsOf.find(S); It != GradientOperatorsOf.end())
    for (uint32_t Operator : It->second)
      Sum.Self += self(Operator).Amount;
  return Sum;
}

UInt128 SiteTable::plansOf(uint32_t S) const {
  UInt128 Sum = 0;
  for (uint32_t Gradient : backward(S))
    if (isPlansOfBackward(Gradient))
      Sum += self(Gradient).Amount;
  return Sum;
}

bool SiteTable::hasGradients() const {
  return any_of(seq<uint32_t>(0, size()), [&](uint32_t S) {
    return Sites[S].Gradient && Measured[S].Count;
  });
}

bool SiteTable::isTrained() const {
  return any_of(seq<uint32_t>(0, size()), [&](uint32_t S) {
    return addsToParameters(S) && Measured[S].Count;
  });
}

/// Gives out \p Whole in proportion to \p Shares, of which one is not 0.
static void giveOut(UInt128 Whole, ArrayRef<UInt128 *> Shares) {
  UInt128 Sum = 0;
  for (const UInt128 *Share : Shares)
    Sum += *Share;
  if (Sum == Whole)
    return;
  // Rounded sums from the first on, so that the parts add up exactly.
  long double Ratio =
      static_cast<long double>(Whole) / static_cast<long double>(Sum);
  UInt128 Seen = 0, Given = 0;
  for (UInt128 *Share : Shares) {
    Seen += *Share;
    UInt128 Upto =
        Seen == Sum
            ? Whole
            : static_cast<UInt128>(static_cast<long double>(Seen) * Ratio);
    *Share = Upto - Given;
    Given = Upto;
  }
}

std::vector<LaneParts> SiteTable::partsByLane(
    const InnerParts &Whole,
    function_ref<SumAndNested(const TableLane &, uint32_t)> SumOf) const {
  std::vector<LaneParts> ByLane;
  for (const TableLane &L : Lanes) {
    InnerParts Parts = partsOf([&](uint32_t S) { return SumOf(L, S); });
    LaneParts &Out = ByLane.emplace_back();
    for (uint32_t S = 0; S < Sites.size(); ++S) {
      if (Parts.Self[S].Amount)
        Out.Self[S] = Parts.Self[S].Amount;
      if (Parts.Runs[S])
        Out.RunsInside[S] = Parts.Runs[S];
    }
  }
  std::map<uint32_t, std::vector<UInt128 *>> Shares;
  for (LaneParts &Parts : ByLane)
    for (auto &[S, Amount] : Parts.Self)
      Shares[S].push_back(&Amount);
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    UInt128 Amount = Whole.Self[S].Amount;
    if (auto OfSite = Shares.find(S); OfSite != Shares.end())
      giveOut(Amount, OfSite->second);
    else if (Amount)
      // More ran inside than the site took on each lane, not on all together.
      for (size_t L = 0; L < Lanes.size(); ++L)
        if (SumOf(Lanes[L], S).Sum) {
          ByLane[L].Self[S] = Amount;
          break;
        }
  }
  return ByLane;
}

std::vector<LaneParts> SiteTable::partsByLane() const {
  return partsByLane(inner(), [](const TableLane &L, uint32_t S) {
    auto It = L.Measured.find(S);
    return It == L.Measured.end()
               ? SumAndNested()
               : SumAndNested{It->second.Sum, It->second.Nested,
                              It->second.Gradients};
  });
}

MeasureId SiteTable::declareMeasure(const TableMeasure &Info) {
  for (MeasureId M = 0; M < Measures.size(); ++M)
    if (Measures[M] == Info)
      return M;
  Measures.push_back(Info);
  MeasuredMore.emplace_back();
  return static_cast<MeasureId>(Measures.size() - 1);
}

void SiteTable::addMeasure(MeasureId M, uint32_t S, uint32_t Lane,
                           const MeasureCell &Cell) {
  MeasuredMore[M].resize(Sites.size());
  MeasuredMore[M][S].add(Cell);
  if (Lane != NoIndex)
    Lanes[Lane].Measures[{M, S}].add(Cell);
  forgetParts();
}

const MeasureTotal &SiteTable::measured(MeasureId M, uint32_t S) const {
  static const MeasureTotal Nothing;
  return S < MeasuredMore[M].size() ? MeasuredMore[M][S] : Nothing;
}

const SiteTable::InnerParts &SiteTable::inner(MeasureId M) const {
  InnerMore.resize(Measures.size());
  if (InnerMore[M].Self.size() != Sites.size())
    InnerMore[M] = partsOf([&](uint32_t S) {
      const MeasureTotal &T = measured(M, S);
      return SumAndNested{T.Sum, T.Nested};
    });
  return InnerMore[M];
}

std::vector<LaneParts> SiteTable::partsByLane(MeasureId M) const {
  return partsByLane(inner(M), [M](const TableLane &L, uint32_t S) {
    auto It = L.Measures.find({M, S});
    return It == L.Measures.end()
               ? SumAndNested()
               : SumAndNested{It->second.Sum, It->second.Nested};
  });
}
