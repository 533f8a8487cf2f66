//===- DynamicSpans.h - spans of sites made at run time ---------*- C++ -*-===//
//
// Regions and labels of the host, operators inside of nodes, functions of
// autograd, and parts of a span that are no node of the model: each has a site
// that comes to be when its first span begins (DynamicSites.h).
//
// Functions are for the thread whose span it is. They take the process lock
// where they need it; none throws.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_DYNAMICSPANS_H
#define TORCHPROF_DYNAMICSPANS_H

#include "torchprof/format/Site.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace torchprof {

struct Lane;

/// A pair around a site that is known by its slot alone, such as the gradient
/// of a node. May end on another thread.
uint64_t beginSlot(format::Slot Site);
/// \p Waiting: the span of another thread that waits for this one, which is
/// part of that one if there is no span around it here. It began at \p
/// WaitingBegin, on the lane \p WaitingOn: one that the edge of a window has
/// cut, or that was open when its lane was emptied, has no parts.
void endSlot(uint64_t Begin, format::Slot Site,
             format::Slot Waiting = format::NoSlot, uint64_t WaitingBegin = 0,
             const Lane *WaitingOn = nullptr);
/// Ends a part of the span around (Probe.h) that is not an ordinary one.
void endPartCold(uint64_t Begin, format::Slot Site);
/// Ends the part around a group of nodes (DynamicKind::Preparation) that is the
/// innermost span of the thread, and returns its site, at which it may go on
/// later; NoSlot if there is none.
format::Slot pausePart();

/// As beginSlot() for an autograd function of a site, which also ends if the
/// functions inside of it were left by an exception.
uint64_t beginFunction(format::Slot Site);
/// The site of a function of the C++ type of the name \p Type, which has one
/// address, that a span of \p Maker made; NoSlot if the calling thread has not
/// met it lately.
format::Slot knownFunction(format::Slot Maker, const char *Type);
/// Keeps it for knownFunction().
void keepFunction(format::Slot Maker, const char *Type, format::Slot Site);
/// Records a span of such a site that has ended on this thread, and in which
/// there was no other one. Nothing but its time is measured.
void bookSpan(format::Slot Site, uint64_t Begin, uint64_t End);

/// The site for an operator of the framework that is called inside of the
/// innermost span: a FrameSpan, which ends as surely as it begins. NoSlot
/// outside of spans and behind a run that was suspended there, and for the
/// operator that the innermost span itself is. \p Name has the same address
/// whenever the operator is the same. Null if the thread has not met it there
/// lately: then operatorSite() tells.
std::optional<format::Slot> knownOperator(const char *Name);
/// The same, if knownOperator() has just returned null. \p Stays: no other name
/// will lie at the address before operatorNamesGone() is called.
format::Slot operatorSite(const char *Name, bool Stays);
/// Names that were to stay are about to go. From any thread.
void operatorNamesGone();

/// A span of a site that comes to be when it begins.
struct DynamicSpan {
  uint64_t Begin = 0;
  format::Slot Site = format::NoSlot; ///< NoSlot: there is nothing to end
  const Lane *Home = nullptr;         ///< the lane on which it began
};

/// A region by its name, which ends as surely as it begins, maybe on another
/// thread.
DynamicSpan beginLabel(std::string_view Name);
void endLabel(const DynamicSpan &Span);

/// A user region: a child of the span in which it begins. \p Name is a number
/// of Lineage::Regions. It ends on the thread that began it.
uint64_t beginRegion(uint32_t Name);
void endRegion(uint64_t Begin, uint32_t Name);

} // namespace torchprof

#endif // TORCHPROF_DYNAMICSPANS_H
