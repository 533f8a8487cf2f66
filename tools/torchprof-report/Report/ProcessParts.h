//===- ProcessParts.h - several profiles of one process ---------*- C++ -*-===//
//
// Profiles are added up as those of processes that have nothing in common. Two
// snapshots of one process have: at least what counts for the whole process.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_PROCESSPARTS_H
#define TORCHPROF_REPORT_PROCESSPARTS_H

#include "../Profile/Profile.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace torchprof::report {

/// Equal of the profiles of one process alone: host, pid, and when its profile
/// began.
using ProcessKey = std::tuple<std::string, uint64_t, uint64_t, uint64_t>;
ProcessKey processOf(const Profile &P);

/// Finds profiles that do not add up.
class ProcessParts {
public:
  /// Takes a profile into account. Returns what is to be said of it and of one
  /// before it, once for each process. Files that merge wrote are of none, nor
  /// are those without a pid.
  std::optional<std::string> add(const Profile &P);

private:
  struct Part {
    std::string File;
    uint64_t Begin, End; ///< ticks; what was recorded lies between
  };
  struct Parts {
    std::vector<Part> All;
    bool AreNamed = false, AreNamedAsOverlapping = false;
  };
  std::map<ProcessKey, Parts> Known;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_PROCESSPARTS_H
