//===- CheckProfile.h - are the numbers of a profile consistent -*- C++ -*-===//
//
// The reader checks a file's structure; this checks its contents: every cell
// belongs to a site, the numbers of a cell can all be true at once, events and
// levels end in their order (TimeOrder.h), and the parent of a dynamic site
// comes before it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_CHECKPROFILE_H
#define TORCHPROF_REPORT_CHECKPROFILE_H

#include "Profile.h"

namespace torchprof::report {

/// One line per invariant that \p P breaks: "lane 0, slot 3: ...".
std::vector<std::string> checkProfile(const Profile &P);

/// Removes what checkProfile() finds fault with: cells that are torn, of no
/// site or inconsistent, times and anchors that are out of order, and
/// references to slots that nothing has. Torn cells of measures and signatures
/// stay as whole ones. What was not in the file stays known. Returns the number
/// of cells that went.
size_t dropBadCells(Profile &P);

/// Cells that no thread can have written.
struct FalseCells {
  size_t Count = 0;
  std::string First; ///< "lane 0, slot 3: ..."
};

/// Removes the cells whose numbers cannot all be true at once, as where a disk
/// or a copy changed a bit, and makes \p P damaged if there are any. Torn cells
/// and those of unknown slots stay: SiteTable says which it leaves out.
FalseCells dropFalseCells(Profile &P);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_CHECKPROFILE_H
