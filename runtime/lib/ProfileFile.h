//===- ProfileFile.h - the file that the process writes ---------*- C++ -*-===//
//
// A .tprof file of which every segment is mapped shared, so that what the
// process stored is in the file even if the process is killed. Blocks are
// reserved and touched before a segment is used: a full disk or a file size
// limit shows here, as an error, and never later as a signal.
//
// Where the file or its growth cannot be had, segments live in anonymous
// memory with the same layout; closing tries once more to append them.
//
// Not thread-safe: the collector's lock guards it. What segments hold may be
// written by their owners meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PROFILEFILE_H
#define TORCHPROF_PROFILEFILE_H

#include "torchprof/format/Records.h"

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace torchprof {

/// Replaces %p, %h, %s and %% in a file name pattern.
std::string expandPattern(std::string_view Pattern, uint64_t Snapshot);

/// Name with a number before its last extension: numberedName("a.tprof", 2)
/// is "a.2.tprof". Number 0 is the name itself.
std::string numberedName(std::string_view Name, unsigned Number);

class ProfileFile {
public:
  struct Segment {
    format::SegmentHeader *Head;
    uint64_t Offset; ///< in the file
    bool InFile;
  };

  /// Creates the file, or falls back to memory. Returns 0 or the errno value
  /// that says why memory is used.
  int create(const std::string &Name);

  /// True after create().
  bool exists() const { return Header != nullptr; }

  /// Adds a segment of \p PayloadBytes zero bytes, not yet visible to readers.
  /// Null if there is no memory either. The caller fills it and publishes it.
  format::SegmentHeader *add(format::SegmentType Type, uint64_t PayloadBytes,
                             uint32_t Lane = 0);

  /// Makes the newest segment visible to readers.
  void publish();

  /// Marks the file as \p State and appends what only memory holds.
  void close(format::FileState State);

  /// Absolute path; empty while in memory.
  const std::string &path() const { return Path; }
  /// errno value of the last failure; 0 if none since the last call.
  int takeError() {
    int Taken = Error;
    Error = 0;
    return Taken;
  }

  format::FileHeader *header() { return Header; }
  const std::vector<Segment> &segments() const { return Segments; }

  /// Forgets the file, in a forked child: it belongs to the parent. Mappings
  /// are not inherited, and the rest may have been in change at the fork.
  void abandon();

private:
  bool grow(uint64_t Bytes, void *&Address);
  bool reserve(uint64_t Bytes);
  bool fileIsOurs();

  format::FileHeader *Header = nullptr;
  std::vector<Segment> Segments;
  std::string Path;
  int Descriptor = -1;
  dev_t Device = 0;
  ino_t Inode = 0;
  uint64_t End = 0; ///< bytes of the file in use
  int Error = 0;
};

} // namespace torchprof

#endif // TORCHPROF_PROFILEFILE_H
