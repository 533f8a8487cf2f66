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
// The file may be one that the process was given as a descriptor, `fd:N`
// (InheritedFile.h); that descriptor stays the host's.
//
// Not thread-safe: the collector's lock guards it. What segments hold may be
// written by their owners meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PROFILEFILE_H
#define TORCHPROF_PROFILEFILE_H

#include "Failure.h"
#include "Pages.h"
#include "torchprof/format/Records.h"

#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace torchprof {

/// Replaces %p, %h, %s and %% in a file name pattern.
std::string expandPattern(std::string_view Pattern, uint64_t Snapshot);

/// True if names by \p Pattern have the snapshot's number in them.
bool namesSnapshots(std::string_view Pattern);

/// Name with a number before its last extension: numberedName("a.tprof", 2)
/// is "a.2.tprof". Number 0 is the name itself.
std::string numberedName(std::string_view Name, unsigned Number);

/// How a file may be had.
struct FileRules {
  bool MayCreate = true;        ///< else only a descriptor will do
  bool MayReopen = true;        ///< if the host has closed our descriptor
  bool MustBeInherited = false; ///< the name's descriptor, see takeFile()
};

class ProfileFile {
public:
  explicit ProfileFile(PageSource &Pages) : Pages(Pages) {}

  struct Segment {
    format::SegmentHeader *Head;
    uint64_t Offset; ///< in the file
    bool InFile;
    uint32_t Before = 0; ///< number of the one before it, see chain()
  };

  /// Creates the file, with a number added if the name is taken, or takes that
  /// of the descriptor which \p Name stands for, or falls back to memory; then
  /// takeFailure() says why. In a forked child it closes the descriptor of the
  /// parent's file.
  void create(const std::string &Name, const FileRules &Rules = {});

  /// True after create().
  bool exists() const { return Header != nullptr; }

  /// Adds a segment of \p PayloadBytes zero bytes, not yet visible to readers.
  /// Null if there is no memory either. The caller fills it and publishes it.
  format::SegmentHeader *add(format::SegmentType Type, uint64_t PayloadBytes,
                             uint32_t Lane = 0);

  /// Makes the newest segment visible to readers.
  void publish();

  /// Makes the newest segment the last one of a chain, of which that was number
  /// \p Before so far, 0 if there was none. Returns its number: one more than
  /// its place in segments().
  uint32_t chain(uint32_t Before) {
    Segments.back().Before = Before;
    return static_cast<uint32_t>(Segments.size());
  }

  /// Wait until the header, or a segment, is on the disk. Return 0 or an errno
  /// value, EIO if only memory holds it. Only after create(), and without the
  /// lock: what is mapped stays.
  int syncHeader() const;
  static int syncSegment(const Segment &S);

  /// Marks the file as \p State and appends what only memory holds.
  void close(format::FileState State);

  /// Takes the file's name away if it is still this file's.
  void remove();

  /// True if the name was taken and a number was added.
  bool isNumbered() const { return Numbered; }

  /// Absolute path, or `fd:N`; empty while in memory.
  const std::string &path() const { return Path; }
  /// The last failure since the last call.
  Failure takeFailure() { return std::exchange(Last, Failure()); }

  format::FileHeader *header() const { return Header; }
  const std::vector<Segment> &segments() const { return Segments; }

private:
  void createNamed(const std::string &Name);
  void takeDescriptor(int Number, const std::string &Name,
                      bool MustBeInherited);
  void *mapHeader();
  bool makeRoom();
  bool keepsOrder(uint32_t Lane) const;
  bool grow(uint64_t Bytes, void *&Address);
  bool reserve(uint64_t Bytes);
  bool append(Segment &S);
  bool isOurs(int File) const;
  bool fileIsOurs();

  PageSource &Pages;
  format::FileHeader *Header = nullptr;
  std::vector<Segment> Segments;
  std::string Path;
  bool Numbered = false;
  bool MayReopen = true;
  bool IsInherited = false; ///< the descriptor is the host's
  int Descriptor = -1;
  dev_t Device = 0;
  ino_t Inode = 0;
  uint64_t End = 0; ///< bytes of the file in use
  Failure Last;
  bool AllInFile = true; ///< each segment, when it was added
  uint64_t Unsaved = 0;  ///< segments that Counter::UnsavedParts has of it
};

} // namespace torchprof

#endif // TORCHPROF_PROFILEFILE_H
