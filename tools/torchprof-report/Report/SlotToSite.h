//===- SlotToSite.h - which site each slot of a profile is ------*- C++ -*-===//
//
// Slots number the sites of one process; a SiteTable numbers the sites of all
// the profiles that were added to it. Adding a profile returns the map between
// the two, which stays right when further profiles are added.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_SLOTTOSITE_H
#define TORCHPROF_REPORT_SLOTTOSITE_H

#include "torchprof/format/Manifest.h"
#include "torchprof/format/SlotMap.h"

#include <vector>

namespace torchprof::report {

class SlotToSite {
public:
  /// Slots from \p First on are the sites from \p FirstSite on. The reader has
  /// made sure that slots do not overlap.
  void add(format::Slot First, uint32_t Count, uint32_t FirstSite) {
    Ranges.add(First, Count, {FirstSite, {}});
  }

  /// Slot \p First + I is site Sites[I].
  void add(format::Slot First, std::vector<uint32_t> Sites) {
    size_t Count = Sites.size();
    Ranges.add(First, Count, {0, std::move(Sites)});
  }

  /// The site of a slot, NoIndex if it has none.
  uint32_t operator[](format::Slot Slot) const {
    auto Place = Ranges.find(Slot);
    if (!Place)
      return NoIndex;
    const Range &R = Place->Owner;
    return R.Sites.empty() ? R.FirstSite + Place->Offset
                           : R.Sites[Place->Offset];
  }

private:
  struct Range {
    uint32_t FirstSite = 0;
    std::vector<uint32_t> Sites; ///< empty: consecutive from FirstSite
  };
  format::SlotMap<Range> Ranges;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_SLOTTOSITE_H
