//===- CheckProfile.h - do the numbers hold together ------------*- C++ -*-===//
//
// The reader checks a file's structure; this checks what it says: that every
// cell has a site and its numbers can all be true at once.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_CHECKPROFILE_H
#define TORCHPROF_REPORT_CHECKPROFILE_H

#include "Profile.h"

namespace torchprof::report {

/// One line per invariant that \p P breaks: "lane 0, slot 3: ...".
std::vector<std::string> checkProfile(const Profile &P);

/// Removes the cells that cannot be believed: torn, of no site, or broken.
/// Returns how many they were.
size_t dropBadCells(Profile &P);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_CHECKPROFILE_H
