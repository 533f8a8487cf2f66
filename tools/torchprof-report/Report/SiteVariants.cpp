//===- SiteVariants.cpp - what sites took by their signatures -------------===//

#include "SiteTable.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

SiteVariant &SiteVariants::get(uint32_t S, bool IsOthers,
                               std::string Signature) {
  auto &[Variants, Numbers] = BySite[S];
  if (Numbers.empty())
    for (const SiteVariant &V : Variants)
      Numbers.emplace(std::make_pair(V.IsOthers, V.Signature), Numbers.size());
  auto [Known, IsNew] = Numbers.try_emplace(
      std::make_pair(IsOthers, std::move(Signature)), Variants.size());
  if (IsNew) {
    SiteVariant &New = Variants.emplace_back();
    New.IsOthers = IsOthers;
    New.Signature = Known->first.second;
  }
  return Variants[Known->second];
}

ArrayRef<SiteVariant> SiteVariants::of(uint32_t S) const {
  auto Known = BySite.find(S);
  if (Known == BySite.end())
    return {};
  auto &[Variants, Numbers] = Known->second;
  if (!Numbers.empty()) {
    auto Order = [](const SiteVariant &V) {
      return std::make_tuple(V.IsOthers, V.FirstTicks == 0, V.FirstTicks);
    };
    llvm::stable_sort(Variants,
                      [&](const SiteVariant &A, const SiteVariant &B) {
                        return Order(A) < Order(B);
                      });
    Numbers.clear();
  }
  return Variants;
}

void SiteTable::addVariants(const Profile &P, const SlotToSite &Slots,
                            double Scale) {
  std::map<format::Slot, const DynamicSite *> Signatures;
  for (const DynamicSite &D : P.DynamicSites)
    if (D.Kind == format::DynamicKind::Shape)
      Signatures[D.Slot] = &D;
  for (const Lane &L : P.Lanes)
    for (ArrayRef<format::VariantCell> Cells : L.Variants)
      for (const format::VariantCell &Source : Cells) {
        format::VariantCell C;
        uint32_t S = Slots[Source.Site];
        auto Signature = Signatures.find(Source.Signature);
        bool Whole = readCell(Source, C, P.maybeLive());
        if (S == NoIndex || Signature == Signatures.end() || C.Word < 2 ||
            C.Epoch != static_cast<uint32_t>(P.Epoch))
          continue;
        if (!Whole)
          warnOfTorn(P, L, S, PartMissing);
        const DynamicSite &D = *Signature->second;
        // A cut text must not read as a whole one.
        SiteVariant &V =
            Variants.get(S, D.Flags & format::DF_Overflow,
                         D.Flags & format::DF_Cut ? D.Name + "..." : D.Name);
        V.Count += countOf(C.Word, C.Time, C.Max);
        V.NetBytes += static_cast<uint64_t>(C.NetBytes);
        V.Sum += scaled(C.Time, Scale);
        V.Min = std::min(V.Min, static_cast<uint64_t>(scaled(C.Min, Scale)));
        V.Max = std::max(V.Max, static_cast<uint64_t>(scaled(C.Max, Scale)));
        // Times of other processes cannot be compared.
        if (ProfileCount == 1 &&
            (V.FirstTicks == 0 || C.FirstTicks < V.FirstTicks))
          V.FirstTicks = C.FirstTicks;
      }
}
