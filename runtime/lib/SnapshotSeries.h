//===- SnapshotSeries.h - the snapshots that were made ----------*- C++ -*-===//

#ifndef TORCHPROF_SNAPSHOTSERIES_H
#define TORCHPROF_SNAPSHOTSERIES_H

#include "Failure.h"

#include <cstdint>
#include <string>

namespace torchprof {

struct Host;
class ProfileFile;

/// Names a recording's snapshots, counts them, and says once why there is none.
/// The caller holds the process lock, and to write one has the CopyTurn; the
/// lock is given back while the copy is written.
class SnapshotSeries {
public:
  SnapshotSeries(const ProfileFile &File, const Host &Program)
      : File(File), Program(Program) {}

  /// Writes a copy of the file. Returns 0 or an errno value.
  int write(const std::string &Name);

  /// The same under a name that is made of the profile's, stored in \p Path.
  /// \p IsAsked: by the host, which knows whether it may open a file.
  int writeNumbered(bool IsAsked, std::string &Path);

  /// Number of snapshots made. Waits up to \p TimeoutMs, without the lock,
  /// until it is above \p Above; 0 does not wait.
  uint64_t waitFor(uint64_t Above, uint64_t TimeoutMs) const;

private:
  int copy(const std::string &Name, std::string &Path);
  int note(const std::string &Name, Failure Why);
  std::string nextName() const;

  const ProfileFile &File;
  const Host &Program;
  uint64_t Made = 0;
  bool HasWarned = false;
};

} // namespace torchprof

#endif // TORCHPROF_SNAPSHOTSERIES_H
