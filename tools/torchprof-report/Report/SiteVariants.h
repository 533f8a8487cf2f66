//===- SiteVariants.h - what sites took by their signatures -----*- C++ -*-===//
//
// A part of SiteTable. Profiles whose shapes differ bring signatures without
// end: one is found without a look at the others, and they are sorted when
// somebody looks at them. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_SITEVARIANTS_H
#define TORCHPROF_REPORT_SITEVARIANTS_H

#include "../Profile/Aggregate.h"

#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <string>
#include <vector>

namespace torchprof::report {

/// What a node took with one signature. Ticks.
struct SiteVariant {
  std::string Signature; ///< text of format/Variant.h, "..." if it was cut
  bool IsOthers = false; ///< stands for all signatures beyond the bound
  uint64_t Count = 0;
  UInt128 Sum = 0;
  uint64_t Min = UINT64_MAX;
  uint64_t Max = 0;
  uint64_t FirstTicks = 0; ///< begin of the first span; 0 if not known
  /// As format::VariantCell has them; wraps around below 0.
  uint64_t NetBytes = 0;
};

class SiteVariants {
public:
  /// The variant of a site with this signature, which is added if it is new.
  /// Valid until the next call of any function.
  SiteVariant &get(uint32_t S, bool IsOthers, std::string Signature);

  /// Those of a site in the order in which they came, as far as that is known;
  /// what stands for others comes last. Valid until the next get().
  llvm::ArrayRef<SiteVariant> of(uint32_t S) const;

  bool empty() const { return BySite.empty(); }

private:
  struct OfSite {
    std::vector<SiteVariant> Variants;
    /// By IsOthers and signature. Empty while the variants are in their order.
    std::map<std::pair<bool, std::string>, size_t> Numbers;
  };
  mutable std::map<uint32_t, OfSite> BySite;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_SITEVARIANTS_H
