//===- RecordingSwitches.cpp - what keeps a process from recording --------===//

#include "RecordingSwitches.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdlib>

namespace torchprof {

/// "NAME=value" of a variable that switches something off, else empty. The
/// values are those of runtime/lib/Options.cpp, which takes no others.
static std::string switchedOff(const char *Name) {
  constexpr llvm::StringRef Off[] = {"off", "0", "false"};
  const char *Value = getenv(Name);
  if (!Value || !llvm::is_contained(Off, llvm::StringRef(Value)))
    return "";
  return Name + std::string("=") + Value;
}

std::string whyNotRecorded() {
  if (std::string Off = switchedOff("TORCHPROF"); !Off.empty())
    return Off + " is set, so nothing is recorded";
  for (const char *Name : {"TORCHPROF_ATTACH", "TORCHPROF_HOOKS"})
    if (std::string Off = switchedOff(Name); !Off.empty())
      return Off + " is set, so only instrumented models are recorded";
  return "";
}

} // namespace torchprof
