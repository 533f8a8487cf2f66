//===- Folder.h - adds the records of a lane to its cells -------*- C++ -*-===//
//
// Folds batch by batch. First it finds the cells of a batch's records and asks
// for the memory that they need, so that misses overlap; most records are then
// added without looking at anything twice. What is not ordinary (a site's first
// record, a span that a reset cut, a full bucket) ends a batch.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FOLDER_H
#define TORCHPROF_FOLDER_H

#include "Lane.h"
#include "Process.h"
#include "torchprof/format/Fold.h"

namespace torchprof {

class Recording;

/// Folds the records of a lane before number \p End, those of each site in
/// their order. Holds the lane's lock as long as it lives.
class Folder {
public:
  /// \p R makes cells for the owner; the folding thread has none.
  Folder(Recording *R, Lane &L, uint64_t End)
      : Lock(L), R(R), L(L), End(End), Epoch(currentEpoch()),
        Places(placesOf(*L.Log)) {}

  /// False if it stopped at a record that only the owner can fold.
  bool run();

  /// Adds to what folding has taken.
  void addTicks(uint64_t Ticks) {
    format::addRelaxed(L.Log->ApartTicks, Ticks);
  }

private:
  static constexpr uint64_t BatchSize = 16;

  /// Where a record goes.
  struct Target {
    format::Cell *To; ///< null if its slot has none yet
    uint32_t *InBucket;
  };
  /// Records that follow each other in memory.
  struct Batch {
    const format::LogEntry *Entries;
    uint64_t Number; ///< of the first
    uint64_t Count;
    Target Targets[BatchSize];
  };

  static format::LogRecord placesOf(const format::LogRecord &Log);
  Batch batchAt(uint64_t Number) const;
  Target targetOf(const format::LogEntry &E) const;

  /// Folds runs that are alike, from \p Number on, and says how many records
  /// they have.
  uint64_t foldPeriods(uint64_t Number);

  /// Folds the ordinary records that a batch begins with, and says how many.
  uint64_t foldOrdinary(const Batch &B);
  /// One of them that is not a short span.
  [[gnu::noinline]] void foldOther(const format::LogEntry &E, uint64_t Number,
                                   Target T);

  /// Folds a record of whatever kind. False if only the owner can.
  bool fold(const format::LogEntry &E, uint64_t Number);
  bool add(const format::LogEntry &E, uint64_t Number, uint64_t Ticks,
           format::LogFate Fate);
  bool isReady(const SlotEntry *Entry, const format::LogEntry &E,
               uint64_t Ticks) const;

  FoldLock Lock;
  Recording *R;
  Lane &L;
  uint64_t End;
  // Read after End: no record before it is of a later epoch.
  EpochStart Epoch;
  const format::LogRecord Places; ///< where records lie
  uint64_t LongTicks = 0;         ///< of a Long record just before
  uint64_t Spans = 0;             ///< of this epoch
};

} // namespace torchprof

#endif // TORCHPROF_FOLDER_H
