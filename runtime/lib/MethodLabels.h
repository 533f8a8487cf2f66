//===- MethodLabels.h - labels that a method opens --------------*- C++ -*-===//
//
// `with record_function("name"):` in a scripted method is a node prim::Enter,
// in which the label is opened, and a node prim::Exit, in which it is closed; a
// method may also call the operators that do so: so the label outlives the
// node. It lies in what is around the node and, if that is the method __enter__
// of a module, in what called it, and has a frame there until it is closed or
// the run around it has ended.
//
// Owner only.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_METHODLABELS_H
#define TORCHPROF_METHODLABELS_H

#include "Lane.h"

#include <string_view>

namespace torchprof {

inline bool isMethodLabel(const OpenFrame &F) {
  return F.Region == MethodLabelFrame;
}

/// What the names of the operators that open labels begin with.
inline constexpr std::string_view LabelOpener =
    "profiler::_record_function_enter";

/// True for a node that opens labels, and for the method __enter__. Asked where
/// a label is, or is to be; may throw std::bad_alloc then and not later.
bool opensLabels(format::Slot Site);

/// Where a label lies that the innermost span, the node \p Opener, opens.
format::Slot placeOfLabel(Lane &L, format::Slot Opener);

/// Leaves the spans in the frames from \p To on, but for labels in those from
/// \p From on: they lie in \p Outer now.
void keepLabels(Lane &L, uint32_t From, uint32_t To, uint64_t OuterTicks,
                uint64_t Outer);

/// Takes the frame of a label out, which spans that go on may lie in.
void removeLabel(Lane &L, uint32_t Depth);

/// Leaves a node without a frame that lay in \p Outer, and with it the frames
/// from \p Depth on, which began inside of it.
void leaveNode(Lane &L, uint32_t Depth, uint64_t OuterTicks, uint64_t Outer);

} // namespace torchprof

#endif // TORCHPROF_METHODLABELS_H
