//===- ColdPath.h - probes where something is rare --------------*- C++ -*-===//
//
// First touches, roots and regions, a window's edges, runs in which more than
// time is measured, a forked child's first probe. Probe.h calls the first half
// of these, the operators and the interface the second half.
//
// Functions are for the thread whose span it is. They take the process lock
// where they need it; none throws.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_COLDPATH_H
#define TORCHPROF_COLDPATH_H

#include "Operands.h"
#include "torchprof/format/Site.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace torchprof {

class FrameSpan;

/// A span of this many ticks or more is taken for a clock fault: at 4 GHz it
/// is half a year.
inline constexpr uint64_t AbsurdTicks = uint64_t(1) << 56;

/// Makes the recording of this process. True if the gate is open then.
bool makeRecording();
/// Begins a span for which the lane is not ready, or more is measured.
void beginCold(FrameSpan &Span, Operands Of);
/// The same for a pair of probes; returns its first tick.
uint64_t beginCold(format::SiteId Id, const Operands &Of);
/// Ends a span that is not an ordinary one, at the tick \p Now. A pair that
/// began while the gate was shut has the begin 0; with the gate still shut, it
/// need not be ended.
void endCold(const FrameSpan &Span, uint64_t Now);
void endCold(uint64_t Begin, format::SiteId Id, const Operands &Of,
             uint64_t Now);
/// The same without a reading of the clock: the gate may be shut.
void endCold(uint64_t Begin, format::SiteId Id, const Operands &Of);
/// A pair around a site that is known by its slot alone, such as the gradient
/// of a node. May end on another thread.
uint64_t beginSlot(format::Slot Site);
void endSlot(uint64_t Begin, format::Slot Site);
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
/// Leaves a span and its root by an exception: they stay unfinished.
void abandonCold(const FrameSpan &Span);

/// Begins a method's root. \p Stack is the address of the caller's native
/// frame: it tells a root that was left by an exception from one that is open.
/// \p Of: the method's inputs, if they are known.
uint64_t enterRoot(format::SiteId Site, uintptr_t Stack,
                   const Operands &Of = {});

/// A user region: a child of the span in which it begins. \p Name is a number
/// of Lineage::Regions. It ends on the thread that began it.
/// A span of a site that comes to be when it begins.
struct DynamicSpan {
  uint64_t Begin = 0;
  format::Slot Site = format::NoSlot; ///< NoSlot: there is nothing to end
};

/// A region by its name, which ends as surely as it begins, maybe on another
/// thread.
DynamicSpan beginLabel(std::string_view Name);
void endLabel(const DynamicSpan &Span);

/// The site for an operator of the framework that is called inside of the
/// innermost span: a FrameSpan, which ends as surely as it begins. NoSlot
/// outside of spans and behind a run that was suspended there, and for the
/// operator that the innermost span itself is. \p
/// Name has the same address whenever the operator is the same. Null if the
/// thread has not met it there lately: then operatorSite() tells.
std::optional<format::Slot> knownOperator(const char *Name);
/// The same, if knownOperator() has just returned null. \p Stays: no other name
/// will lie at the address before operatorNamesGone() is called.
format::Slot operatorSite(const char *Name, bool Stays);
/// Names that were to stay are about to go. From any thread.
void operatorNamesGone();

uint64_t beginRegion(uint32_t Name);
void endRegion(uint64_t Begin, uint32_t Name);

} // namespace torchprof

#endif // TORCHPROF_COLDPATH_H
