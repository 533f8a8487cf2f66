//===- Totals.h - sums over what was recorded -------------------*- C++ -*-===//

#ifndef TORCHPROF_TOTALS_H
#define TORCHPROF_TOTALS_H

#include <cstdint>

namespace torchprof {

class ProfileFile;
struct Lane;

/// What has been recorded, summed over lanes.
struct Totals {
  uint64_t Begins, Count, Cut;
  uint64_t Lanes, Cells;
  uint64_t FileBytes; ///< 0 while there is no file
};

/// Adds what a lane has recorded into \p File since the last reset. False if it
/// is being folded: a fold may need the process lock, which the caller holds,
/// so this does not wait for it.
bool addLane(const ProfileFile &File, Lane &L, Totals &T);

/// Spans recorded since the last reset that are in memory only, or in the file
/// without the description of their site, while there is a file. The caller
/// holds the process lock; what threads record meanwhile may be missing or
/// counted twice.
uint64_t spansOutside(const ProfileFile &File);

} // namespace torchprof

#endif // TORCHPROF_TOTALS_H
