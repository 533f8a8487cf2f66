//===- KeptRing.h - the first or last of many entries -----------*- C++ -*-===//
//
// What a lane keeps one by one of its runs or spans: levels of memory, times
// of devices. In the file, number i lies at i % Capacity.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_KEPTRING_H
#define TORCHPROF_REPORT_KEPTRING_H

#include "torchprof/format/LiveReader.h"
#include "torchprof/format/Records.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <vector>

namespace torchprof::report {

/// What the entries point to is the profile's.
template <typename T> struct KeptRing {
  format::LogKeep Keep = format::LogKeep::Last;
  uint32_t Capacity = 0;
  uint64_t Count = 0;             ///< entries ever offered to the ring
  llvm::ArrayRef<T> Entries = {}; ///< in their order
};

/// The entries of a segment's ring, oldest first. \p Record is a copy of its
/// head, and fits the segment.
template <typename T, typename Record>
std::vector<T> entriesOfRing(const Record &R, const T *Ring) {
  uint64_t First = 0, End = std::min<uint64_t>(R.Count, R.Capacity);
  if (R.Keep == format::LogKeep::Last && R.Count > R.Capacity) {
    First = R.Count - R.Capacity;
    End = R.Count;
  }
  std::vector<T> Entries;
  for (uint64_t I = First; I < End; ++I)
    format::copyWords(&Entries.emplace_back(), &Ring[I % R.Capacity],
                      sizeof(T));
  return Entries;
}

/// The reverse: the entries as they lie in the segment.
template <typename T> std::vector<T> turnedEntries(const KeptRing<T> &R) {
  std::vector<T> Turned = R.Entries;
  if (R.Keep == format::LogKeep::Last && R.Count > R.Capacity)
    std::rotate(Turned.begin(), Turned.end() - ptrdiff_t(R.Count % R.Capacity),
                Turned.end());
  return Turned;
}

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_KEPTRING_H
