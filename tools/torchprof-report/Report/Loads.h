//===- Loads.h - the files that LibTorch loaded -----------------*- C++ -*-===//
//
// What passed before the first run: torchprof/format/LoadEvent.h.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_LOADS_H
#define TORCHPROF_REPORT_LOADS_H

#include "InTimeOrder.h"
#include "SiteTable.h"
#include "Table.h"

namespace torchprof::report {

struct LoadedFile {
  std::string Name; ///< empty if it is not known
  uint64_t BeginRealtimeNs = 0;
  uint64_t BeginSteadyNs = 0; ///< TickClock::steadyNs()
  double Ns = 0;
  std::string Thread; ///< name of its lane, or its number
};

/// The loads of all profiles that were added, in order of time.
class LoadHistory {
public:
  void add(const Profile &P);

  llvm::ArrayRef<LoadedFile> loads() const { return Loads.rows(); }

private:
  InTimeOrder<LoadedFile, &LoadedFile::BeginSteadyNs> Loads;
};

/// The \p Limit loads that took longest, all if it is 0, in order of time; at
/// the foot what all of them took.
Table makeLoadTable(const SiteTable &Sites, const LoadHistory &History,
                    unsigned Limit);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_LOADS_H
