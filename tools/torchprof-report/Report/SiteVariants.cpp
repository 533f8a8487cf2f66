//===- SiteVariants.cpp - what sites took by their signatures -------------===//

#include "SiteTable.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static SiteVariant &variantOf(std::vector<SiteVariant> &Variants,
                              const DynamicSite &Signature) {
  bool IsOthers = Signature.Flags & format::DF_Overflow;
  std::string Text = Signature.Name;
  // A cut text must not read as a whole one.
  if (Signature.Flags & format::DF_Cut)
    Text += "...";
  auto It = find_if(Variants, [&](const SiteVariant &V) {
    return V.IsOthers == IsOthers && V.Signature == Text;
  });
  if (It != Variants.end())
    return *It;
  SiteVariant &New = Variants.emplace_back();
  New.Signature = std::move(Text);
  New.IsOthers = IsOthers;
  return New;
}

void SiteTable::addVariants(const Profile &P, const SlotToSite &Slots,
                            double Scale) {
  std::map<format::Slot, const DynamicSite *> Signatures;
  for (const DynamicSite &D : P.DynamicSites)
    if (D.Kind == format::DynamicKind::Shape)
      Signatures[D.Slot] = &D;
  std::set<uint32_t> Touched;
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
        Touched.insert(S);
        SiteVariant &V = variantOf(VariantsOf[S], *Signature->second);
        V.Count += C.Word / 2;
        V.NetBytes += static_cast<uint64_t>(C.NetBytes);
        V.Sum += scaled(C.Time, Scale);
        V.Min = std::min(V.Min, static_cast<uint64_t>(scaled(C.Min, Scale)));
        V.Max = std::max(V.Max, static_cast<uint64_t>(scaled(C.Max, Scale)));
        // Times of other processes cannot be compared.
        if (ProfileCount == 1 &&
            (V.FirstTicks == 0 || C.FirstTicks < V.FirstTicks))
          V.FirstTicks = C.FirstTicks;
      }
  auto Order = [](const SiteVariant &V) {
    return std::make_tuple(V.IsOthers, V.FirstTicks == 0, V.FirstTicks);
  };
  for (uint32_t S : Touched)
    llvm::stable_sort(VariantsOf[S],
                      [&](const SiteVariant &A, const SiteVariant &B) {
                        return Order(A) < Order(B);
                      });
}

ArrayRef<SiteVariant> SiteTable::variants(uint32_t S) const {
  auto Known = VariantsOf.find(S);
  return Known == VariantsOf.end() ? ArrayRef<SiteVariant>()
                                   : ArrayRef(Known->second);
}
