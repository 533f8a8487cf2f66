//===- Merge.h - many profiles as one ---------------------------*- C++ -*-===//
//
// Adds profiles up, one at a time, into one that reads like a run recorded at
// once: counts stay exact, histograms add, ticks become those of the first
// profile's clock, what happened keeps its time of day. Memory depends on the
// number of sites, and of plans and loads, which stay events. Threads, traces
// and who holds memory are not kept.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_MERGE_H
#define TORCHPROF_REPORT_MERGE_H

#include "SiteTable.h"

#include "llvm/Support/Error.h"

namespace torchprof::report {

class Merger {
public:
  /// \p Mixed: profiles may be of different models. Those with the same layers
  /// (SiteKey.h) are added up all the same, the others are kept apart.
  explicit Merger(bool Mixed) : Mixed(Mixed) {}

  /// Adds a profile. Fails if it is of other models than the first and mixing
  /// was not allowed.
  llvm::Error add(const Profile &P);

  /// The sum of everything added. Fails if a sum does not fit the format.
  llvm::Expected<Profile> finish();

  const std::vector<std::string> &warnings() const { return Sites.warnings(); }
  /// What profiles had that the sum has not: "traces".
  const std::set<std::string> &dropped() const { return Dropped; }

private:
  /// One measure of all sites.
  struct MeasureSums {
    MeasureCells Head; ///< without cells
    std::map<uint32_t, MeasuredSlot> OfSite;
  };

  void addEvents(const Profile &P, const SlotToSite &Slots,
                 const TickClock &Clock, double Scale);
  void addMeasures(const Profile &P, const Lane &L, const SlotToSite &Slots,
                   double Scale);
  void keepNewest(std::vector<format::RunSample> &Samples) const;
  void mergePairOffset();
  void mergeProbeCost();
  void addNotes();
  void finishMeasures(Lane &L);
  void finishVariants(Lane &L);

  bool Mixed;
  std::set<std::string> Dropped;
  SiteTable Sites;
  Profile Result;
  std::set<uint64_t> ModelIds;
  std::map<uint32_t, std::vector<format::RunSample>> Runs; ///< by time
  std::map<uint32_t, uint64_t> RunCounts;
  /// By name and number, so that two of one name stay apart.
  std::map<std::pair<std::string, format::MeasureId>, MeasureSums> Measures;
  uint64_t Merged = 0;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_MERGE_H
