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

#include "Pages.h"
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
  explicit ProfileFile(PageSource &Pages) : Pages(Pages) {}

  struct Segment {
    format::SegmentHeader *Head;
    uint64_t Offset; ///< in the file
    bool InFile;
  };

  /// Creates the file, with a number added if the name is taken, or falls back
  /// to memory. Returns 0 or the errno value that says why memory is used. In a
  /// forked child it closes the descriptor of the parent's file.
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

  /// True if the name was taken and a number was added.
  bool isNumbered() const { return Numbered; }

  /// Absolute path; empty while in memory.
  const std::string &path() const { return Path; }
  /// errno value of the last failure; 0 if none since the last call.
  int takeError() {
    int Taken = Error;
    Error = 0;
    return Taken;
  }

  format::FileHeader *header() const { return Header; }
  const std::vector<Segment> &segments() const { return Segments; }

private:
  bool grow(uint64_t Bytes, void *&Address);
  bool reserve(uint64_t Bytes);
  bool fileIsOurs();

  PageSource &Pages;
  format::FileHeader *Header = nullptr;
  std::vector<Segment> Segments;
  std::string Path;
  bool Numbered = false;
  int Descriptor = -1;
  dev_t Device = 0;
  ino_t Inode = 0;
  uint64_t End = 0; ///< bytes of the file in use
  int Error = 0;
};

} // namespace torchprof

#endif // TORCHPROF_PROFILEFILE_H
