//===- PartSums.h - the cells of a process's parts added up -----*- C++ -*-===//
//
// A process that is emptied each minute has hundreds of parts, and each has a
// cell for every site and thread. Together they are to take the room of one:
// cells add up, and of the runs each thread keeps the newest, as it does while
// nothing empties it. Traces stay whole.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_PARTSUMS_H
#define TORCHPROF_REPORT_PARTSUMS_H

#include "../Profile/Aggregate.h"
#include "../Profile/Profile.h"

#include "llvm/Support/Error.h"

#include <map>
#include <vector>

namespace torchprof::report {

/// What the parts have of one lane. A torn cell lacks a part of a call, which
/// the report says: it stays by itself.
class LaneSums {
public:
  /// Adds what came before everything so far. \p Live: its owner may be writing
  /// to it.
  void addBefore(const Lane &L, uint32_t Epoch, bool Live);

  /// Makes the sums the cells, runs and levels of runs of \p L. Fails if a sum
  /// does not fit the format.
  llvm::Error finish(Profile &P, Lane &L);

private:
  struct MeasureSums {
    MeasureCells Head; ///< without cells
    std::map<format::Slot, MeasuredSlot> OfSlot;
    std::vector<MeasuredSlot> Torn;
  };

  /// Of each the newest first.
  struct KeptRuns {
    uint64_t Count = 0;
    std::vector<format::RunSample> Samples;
  };
  struct KeptLevels {
    uint64_t Count = 0;
    std::vector<format::Level> Entries;
  };

  MeasureSums &sumsLike(const MeasureCells &M);
  void finishRuns(Profile &P, Lane &L);

  std::map<format::Slot, Aggregate> Cells;
  std::vector<format::Cell> TornCells;
  std::vector<MeasureSums> Measures; ///< in the order of the last part
  std::map<std::pair<format::Slot, format::Slot>, format::VariantCell> Variants;
  std::vector<format::VariantCell> TornVariants;
  std::map<format::Slot, KeptRuns> Runs;
  std::map<format::MemoryPlace, KeptLevels> Levels; ///< of runs
};

/// Adds parts to the last one of them.
class PartSums {
public:
  explicit PartSums(Profile &Last);

  /// Adds a part with the epoch of the last one, before all so far.
  void addBefore(const Profile &Part);

  /// Puts the sums into the last part.
  llvm::Error finish();

private:
  Profile &Whole;
  std::map<uint32_t, LaneSums> OfLane;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_PARTSUMS_H
