//===- SiteTable.h - the sites of profiles and their numbers ----*- C++ -*-===//
//
// The one place where cells become numbers about sites. Any number of profiles
// can be added; the same model in two of them is one model, and their ticks
// become ticks of the first profile's clock. The table does not keep the
// profiles.
//
// Sites are numbered densely, models in order of their appearance and sites in
// the manifest's order, so a parent has a smaller number than its children and
// the order of the numbers is the order of execution in the source. User
// regions come last.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_SITETABLE_H
#define TORCHPROF_REPORT_SITETABLE_H

#include "../Profile/Aggregate.h"
#include "../Profile/Profile.h"
#include "../Profile/TickClock.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <set>

namespace torchprof::report {

struct Site {
  std::shared_ptr<const Manifest> Table; ///< null for a user region
  uint32_t Index = 0;                    ///< within the manifest
  uint32_t Parent = NoIndex;             ///< site
  uint32_t Root = NoIndex; ///< the method's root; NoIndex for a region
  uint32_t Flags = 0;      ///< SiteFlags
  bool Async = false;      ///< it or an ancestor is asynchronous
  std::string RegionName;
  uint32_t Around = NoIndex; ///< site that a region lies in
  uint32_t DynamicFlags = 0; ///< format::DynamicFlags of a region

  const ManifestSite &entry() const { return Table->Sites[Index]; }
  bool isRegion() const { return !Table; }
  bool isRoot() const { return Flags & SF_Root; }
  bool isModule() const { return Flags & SF_Module; }
};

/// A frame of a site's inlined call stack.
struct Frame {
  std::string Function;
  std::string Module; ///< path of the module whose method it is
  std::string Class;
  std::string File; ///< empty if not known
  uint32_t Line = 0;
  uint32_t Column = 0;
  std::string Text; ///< the source line
};

/// What SiteTable::add() takes from a profile.
struct SelectCells {
  bool Histograms = true;
  uint32_t Lane = NoIndex; ///< only this lane; NoIndex: all
};

class SiteTable {
public:
  /// Adds the sites of a profile and what it measured.
  void add(const Profile &P, SelectCells Select = {});

  /// Adds the sites of a profile but nothing that it measured.
  void addSites(const Profile &P);

  size_t size() const { return Sites.size(); }
  const Site &operator[](uint32_t S) const { return Sites[S]; }
  const Aggregate &measured(uint32_t S) const { return Measured[S]; }
  const TickClock &clock() const { return Clock; }

  /// Site of a slot of the profile added last, NoIndex if it has none.
  uint32_t siteOfSlot(format::Slot Slot) const;

  // Names. Empty where the manifest does not know.
  llvm::StringRef kind(uint32_t S) const;
  llvm::StringRef overload(uint32_t S) const;
  llvm::StringRef name(uint32_t S) const;
  std::string modulePath(uint32_t S) const;
  llvm::StringRef className(uint32_t S) const;
  /// Scope in its manifest, NoIndex for a region.
  uint32_t scope(uint32_t S) const;
  /// Inlined call stack, innermost first.
  std::vector<Frame> frames(uint32_t S) const;
  /// "file:line" of the innermost frame in the author's own code, or of the
  /// innermost frame when all are the framework's. "?" if not known.
  std::string source(uint32_t S) const;
  /// Name and inputs of a root's method: "forward(x, y)" or just "forward".
  llvm::StringRef signature(uint32_t Root) const;

  /// Ticks between begin and end, over all spans.
  UInt128 total(uint32_t S) const { return Measured[S].Sum; }
  /// Total minus the synchronous children's totals and minus the runs and
  /// regions that it started. Negative when children were counted in spans that
  /// were themselves cut or not finished.
  __int128 self(uint32_t S) const;
  /// True if any span of the site was begun, recorded or not.
  bool reached(uint32_t S) const {
    return Measured[S].Begins || Measured[S].Count;
  }

  uint64_t counter(format::Counter C) const {
    return Counters[static_cast<unsigned>(C)];
  }
  /// Sites that measure several nodes, with the nodes' kinds; a site stands
  /// once for each graph in which they differ.
  const std::set<std::pair<uint32_t, std::string>> &groups() const {
    return Groups;
  }
  /// Calibrated cost, in ticks, of all the probes that ran.
  double probeTicks() const { return ProbeTicks; }
  unsigned profiles() const { return ProfileCount; }

  /// Findings of add(): torn cells, cells of no site.
  const std::vector<std::string> &warnings() const { return Warnings; }

private:
  void addModel(const Model &M);
  uint32_t addRegion(const DynamicSite &D);
  double scaleTo(const TickClock &Other);
  void addCells(const Profile &P, const Lane &L, bool Histograms, double Scale);
  void addProbeCost(const Profile &P, const std::vector<uint64_t> &Before);

  std::vector<Site> Sites;
  std::vector<Aggregate> Measured;
  mutable std::vector<UInt128> ChildTotals; ///< empty: to be computed
  std::map<uint64_t, uint32_t> FirstSiteOfModel;
  /// By the site around the region and its name.
  std::map<std::pair<uint32_t, std::string>, uint32_t> SiteOfRegion;
  std::set<std::pair<uint32_t, std::string>> Groups;
  /// First slot -> (number of slots, first site), of the last profile.
  std::map<format::Slot, std::pair<uint32_t, uint32_t>> SlotRanges;
  TickClock Clock;
  unsigned ProfileCount = 0;
  uint64_t Counters[format::CounterCapacity] = {};
  double ProbeTicks = 0;
  std::vector<std::string> Warnings;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_SITETABLE_H
