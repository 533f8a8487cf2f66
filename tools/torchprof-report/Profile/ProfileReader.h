//===- ProfileReader.h - reads .tprof files ---------------------*- C++ -*-===//
//
// Checks everything before it trusts it: sizes against the file, counts
// against sizes, strings against their arrays. A file that ends early or is
// damaged in the middle gives the segments before the damage, with a warning;
// when those hold nothing that was recorded, an error. Both name the offset.
//
// Cells are not looked into here: readCell() does it where they are added up.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_PROFILEREADER_H
#define TORCHPROF_REPORT_PROFILEREADER_H

#include "Profile.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorOr.h"

namespace torchprof::report {

/// Opens the file of a buffer once more.
using OpenAgain =
    llvm::function_ref<llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>()>;

/// Reads a profile out of \p File, which the profile keeps. Errors name the
/// buffer's identifier. \p Open: its process may be writing it. A file that has
/// grown since its size was looked at has a header that names more than the
/// buffer has, as one that is cut short: what tells them apart is whether it is
/// larger now.
llvm::Expected<Profile> readProfile(std::unique_ptr<llvm::MemoryBuffer> File,
                                    OpenAgain Open = nullptr);

/// Opens and reads \p Path: a .tprof file or, if it begins with '{', its JSON
/// form (ProfileJson.h).
llvm::Expected<Profile> loadProfile(llvm::StringRef Path);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_PROFILEREADER_H
