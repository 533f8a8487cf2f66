//===- SiteNotes.h - what the profile says of its sites ---------*- C++ -*-===//
//
// Which model or dynamic site has a slot: a manifest for each model, a segment
// of names for dynamic sites. What has recorded nothing is not in the file.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_SITENOTES_H
#define TORCHPROF_SITENOTES_H

#include "Lineage.h"
#include "ProfileFile.h"

#include <unordered_set>

namespace torchprof {

/// Guarded by the process lock.
class SiteNotes {
public:
  SiteNotes(ProfileFile &File, Lineage &Shared) : File(File), Shared(Shared) {}

  /// Puts what a slot was given to into the file, its parents first. Throws
  /// std::bad_alloc.
  void write(format::Slot Site);

private:
  void writeModel(const RegisteredModel &Model);
  void writeChild(const RegisteredChild &Child);

  ProfileFile &File;
  Lineage &Shared;
  format::SegmentHeader *Children = nullptr; ///< segment that has room, or null
  /// Models and children that are in the file.
  std::unordered_set<const void *> Written;
};

} // namespace torchprof

#endif // TORCHPROF_SITENOTES_H
