//===- Snapshot.h - copies of the profile while it is written ---*- C++ -*-===//
//
// A snapshot is a profile of its own: cells are copied under their sequence
// locks, and what a reset has emptied is empty in it. The file appears under
// its name complete or not at all; what is written to a descriptor is a profile
// once it has its header, which comes last.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_SNAPSHOT_H
#define TORCHPROF_SNAPSHOT_H

#include "Failure.h"

#include <string>

namespace torchprof {

class ProfileFile;

/// Writes a copy of \p File under \p Name, with a number added if it is taken,
/// and stores the path in \p Path. A name like `fd:3` stands for the empty file
/// of that descriptor. The caller has the CopyTurn and does not hold the
/// process lock, which is taken for moments only; all others go on meanwhile.
Failure writeSnapshot(const ProfileFile &File, const std::string &Name,
                      std::string &Path);

} // namespace torchprof

#endif // TORCHPROF_SNAPSHOT_H
