//===- Runtime.h - controlling a profile from C++ ---------------*- C++ -*-===//
//
// torchprof.h with scopes and strings, and with the same thread safety and
// errors. Header-only, so that it works with every compiler and string ABI.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_RUNTIME_H
#define TORCHPROF_RUNTIME_H

#include "torchprof/torchprof.h"

#include <string>

namespace torchprof {

inline int setOption(const std::string &Name, const std::string &Value) {
  return torchprof_set_option(Name.c_str(), Value.c_str());
}
inline void startRecording() { torchprof_start(); }
inline void stopRecording() { torchprof_stop(); }

/// Path of the profile; empty while there is none.
inline std::string profileFile() {
  const char *Path = torchprof_file();
  return Path ? Path : "";
}

inline torchprof_stats stats() {
  torchprof_stats Stats;
  torchprof_get_stats(&Stats, sizeof(Stats));
  return Stats;
}

/// A named span of the host's own code, from construction to destruction on
/// one thread:
///
///   static const torchprof::RegionName Load("load input");
///   torchprof::Region Scope(Load);
class RegionName {
public:
  explicit RegionName(const char *Name) : Number(torchprof_region(Name)) {}
  uint32_t number() const { return Number; }

private:
  uint32_t Number;
};

class Region {
public:
  explicit Region(const RegionName &Name)
      : Number(Name.number()), Begin(torchprof_region_begin(Number)) {}
  /// Looks the name up each time: not for hot code.
  explicit Region(const char *Name) : Region(RegionName(Name)) {}
  ~Region() { torchprof_region_end(Number, Begin); }
  Region(const Region &) = delete;
  Region &operator=(const Region &) = delete;

private:
  uint32_t Number;
  uint64_t Begin;
};

/// Records from construction to destruction, also while others end: only the
/// last one that ends, of whatever thread, stops the recording.
class ScopedRecording {
public:
  ScopedRecording() { torchprof_scope_begin(); }
  ~ScopedRecording() { torchprof_scope_end(); }
  ScopedRecording(const ScopedRecording &) = delete;
  ScopedRecording &operator=(const ScopedRecording &) = delete;
};

} // namespace torchprof

#endif // TORCHPROF_RUNTIME_H
