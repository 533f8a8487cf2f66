//===- Profiles.h - what the processes of a command left --------*- C++ -*-===//
//
// A command may be many processes. Each writes a profile under a name that no
// other run of this tool uses, in another container on the same volume neither;
// afterwards they get the names they keep.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_RECORD_PROFILES_H
#define TORCHPROF_RECORD_PROFILES_H

#include "ProfileFacts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace torchprof {

struct KeptProfile {
  std::string Path;
  /// Of what a process left in the end: its last snapshot, if it recorded
  /// nothing more afterwards. Else empty.
  std::string NothingAfter;
  uint64_t Process; ///< its id
  ProfileFacts Facts;

  /// Whether that process has outlived the command.
  bool processStillRuns() const;
};

/// Whether \p Files, which have a member Process, are of more than one. The
/// first and the last can be of one that has run another program meanwhile.
template <typename Range> bool areOfSeveralProcesses(const Range &Files) {
  return llvm::any_of(Files, [&](const auto &File) {
    return File.Process != Files.begin()->Process;
  });
}

/// Profiles that are shown as one, added up.
using ProfileGroup = std::vector<const KeptProfile *>;

/// So many processes of the same models are shown one by one.
inline constexpr unsigned MostShownAlone = 3;

/// The profile to write if the user names none: of the script or the program,
/// `python3 app.py` and `./app` make app.tprof.
std::string defaultProfile(const std::vector<std::string> &Command);

/// The runtime's option `file` while the command runs: an absolute path beside
/// \p Final, with the process's number in it.
std::string temporaryPattern(llvm::StringRef Final);

/// The same for people, with a star for that number.
std::string temporaryNames(llvm::StringRef Final);

/// Gives the profiles that were written under temporaryPattern(Final) their
/// names: \p Final if one process wrote, and names with a number if more did,
/// "app-1.tprof", in the order in which they began. If it \p IsPattern, a %p in
/// \p Final becomes the process's id, and there is no such number. What the
/// runtime added to the name of a snapshot stays, or of another program in the
/// same process. Returns them, a program's snapshots in their order and before
/// its profile.
std::vector<KeptProfile> keepProfiles(llvm::StringRef Final, bool IsPattern,
                                      bool Force);

/// In which groups to show them, in the order of their first ones: processes
/// that ran the same models together if they are many, as the workers of a
/// loader of data are, each cycle of a schedule by itself; others alone. They
/// point into \p Profiles.
std::vector<ProfileGroup> groupProfiles(llvm::ArrayRef<KeptProfile> Profiles);

} // namespace torchprof

#endif // TORCHPROF_RECORD_PROFILES_H
