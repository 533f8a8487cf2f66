//===- BooksCopies.h - books as they were at one moment ---------*- C++ -*-===//

#ifndef TORCHPROF_BOOKSCOPIES_H
#define TORCHPROF_BOOKSCOPIES_H

#include "torchprof/format/Records.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace torchprof {

class ProfileFile;

/// Copies of all segments with books (format/Blocks.h). Threads allocate and
/// free meanwhile, and are not held up. But books of one moment balance, so
/// copies are made until they do; only if there is never a moment between two
/// changes, they may not.
class BooksCopies {
public:
  /// The caller does not hold the process lock. Throws std::bad_alloc.
  explicit BooksCopies(const ProfileFile &Profile);

  /// The copy of a segment with books; null of one that came to be since.
  const char *of(const format::SegmentHeader *Segment) const;

private:
  struct Copy {
    const format::SegmentHeader *From;
    std::unique_ptr<char[]> Data;
  };

  void addNew(const ProfileFile &Profile);
  bool balance(format::MemoryPlace Place) const;

  std::vector<Copy> Copies;
  size_t Seen = 0; ///< of the profile's segments
};

} // namespace torchprof

#endif // TORCHPROF_BOOKSCOPIES_H
