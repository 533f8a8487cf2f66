//===- LoadEvent.h - files that the framework has loaded --------*- C++ -*-===//
//
// Before a model runs, LibTorch reads its TorchScript file: an event says which
// file, when, and how long that took.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_LOADEVENT_H
#define TORCHPROF_FORMAT_LOADEVENT_H

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace torchprof::format {

struct LoadEvent {
  uint64_t BeginTicks; ///< when LibTorch began to open the archive
  uint64_t Ticks;      ///< from there until it closed it
  uint32_t Thread;     ///< kernel's thread id
  uint32_t NameBytes;  ///< 0 if the host has given no file's name
  char Name[104];      ///< of a longer one the end; no NUL byte
};
static_assert(sizeof(LoadEvent) == 128);

/// Stores the name of the file, or as much of its end as there is room for: a
/// character of UTF-8 is not cut in two.
inline void setFile(LoadEvent &Event, std::string_view Name) {
  if (Name.size() > sizeof(Event.Name)) {
    Name.remove_prefix(Name.size() - sizeof(Event.Name));
    // At most three bytes that continue a character; more are no UTF-8.
    for (int I = 0; I < 3 && (Name.front() & 0xc0) == 0x80; ++I)
      Name.remove_prefix(1);
  }
  char *End = std::copy(Name.begin(), Name.end(), Event.Name);
  std::fill(End, Event.Name + sizeof(Event.Name), '\0');
  Event.NameBytes = static_cast<uint32_t>(Name.size());
}

/// The name, of which no more is believed than there is room for.
inline std::string_view fileOf(const LoadEvent &Event) {
  return {Event.Name, std::min<size_t>(Event.NameBytes, sizeof(Event.Name))};
}

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_LOADEVENT_H
