//===- AliveBlocks.h - who allocated what is alive --------------*- C++ -*-===//
//
// Tables of the command memory, made of a profile's books (format/Blocks.h).
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_ALIVEBLOCKS_H
#define TORCHPROF_REPORT_ALIVEBLOCKS_H

#include "Selection.h"
#include "SiteTable.h"
#include "Table.h"

namespace torchprof::report {

/// The books of one profile and place of memory, with sites in place of slots.
class AliveBlocks {
public:
  /// What the blocks of one site took. NoIndex: allocated outside of all spans.
  struct Account {
    uint32_t Site = NoIndex;
    format::BlockAccount Held = {};
  };

  /// \p Books: some of \p P's. \p Slots: what adding that to a table gave.
  AliveBlocks(const Profile &P, const BlockBooks &Books,
              const SlotToSite &Slots);

  const format::BlocksRecord &totals() const { return Totals; }
  llvm::ArrayRef<Account> accounts() const { return Accounts; }
  /// The site at whose allocation the peak was; NoIndex outside of spans.
  uint32_t peakSite() const { return PeakSite; }
  uint64_t peakRealtimeNs() const { return PeakRealtimeNs; }

private:
  format::BlocksRecord Totals;
  std::vector<Account> Accounts;
  uint32_t PeakSite = NoIndex;
  uint64_t PeakRealtimeNs = 0;
};

/// The accounts that held most at the process's peak; at the foot the peak and
/// what is alive now.
Table makePeakTable(const SiteTable &Sites, const Selection &Selected,
                    const AliveBlocks &Blocks, unsigned Limit);

/// The accounts that held more at the end of the last run than at the last mark
/// before it, and there more than at the mark before, by what they grew per
/// run.
Table makeGrowthTable(const SiteTable &Sites, const Selection &Selected,
                      const AliveBlocks &Blocks, unsigned Limit);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_ALIVEBLOCKS_H
