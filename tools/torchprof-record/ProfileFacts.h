//===- ProfileFacts.h - what is told of a profile at a glance ---*- C++ -*-===//
//
// Read from the segments themselves: reports are another program's.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_RECORD_PROFILEFACTS_H
#define TORCHPROF_RECORD_PROFILEFACTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace torchprof {

struct ProfileFacts {
  bool IsWhole = false;         ///< nothing below was cut off
  bool IsOpen = false;          ///< its process has not closed it
  bool IsSnapshot = false;      ///< a copy that its process has made
  uint64_t Start = 0;           ///< of recording, CLOCK_REALTIME
  uint64_t EndTicks = 0;        ///< when it was copied or closed, else 0
  uint64_t Records = 0;         ///< in all logs; grows with each span
  std::string Command;          ///< of the process
  std::vector<uint64_t> Models; ///< ids of those that ran, sorted
};

/// What the profile \p Path says, as far as it is whole. An error, without the
/// path, if the command cannot have written that file: it is not a regular one,
/// it is a link, another user's, or cannot be read. Does not wait for a pipe.
llvm::Expected<ProfileFacts> factsOf(llvm::StringRef Path);

} // namespace torchprof

#endif // TORCHPROF_RECORD_PROFILEFACTS_H
