//===- TimeOrder.h - do records end in their order --------------*- C++ -*-===//
//
// A lane writes the events of its trace, and its levels of memory, as they end:
// none can say that it ended after what was written behind it. One that does
// has a wrong bit, and would stretch the spans around it. An end that is too
// early proves nothing, as some spans are written when they are over long
// since, and does no harm.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_TIMEORDER_H
#define TORCHPROF_REPORT_TIMEORDER_H

#include "CheckProfile.h"

namespace torchprof::report {

/// Which of \p Ends, in the order in which they were written, lie more than
/// \p Slack behind later ones that cannot all be wrong themselves: as few as
/// leave the others in order. Ascending.
std::vector<size_t> endsTooLate(llvm::ArrayRef<uint64_t> Ends, uint64_t Slack);

/// One line per event and level of \p P that ends too late: "lane 0, event 3:
/// ...".
std::vector<std::string> checkTimes(const Profile &P);

/// Removes these, and makes \p P damaged if there are any.
FalseCells dropFalseTimes(Profile &P);

/// Removes as few anchors of the clock as leave the others in order; none where
/// the clock was set back.
void dropFalseAnchors(Profile &P);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_TIMEORDER_H
