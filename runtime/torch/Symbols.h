//===- Symbols.h - names of the probes' operators ---------------*- C++ -*-===//

#ifndef TORCHPROF_SYMBOLS_H
#define TORCHPROF_SYMBOLS_H

#include <ATen/core/symbol.h>

namespace torchprof::symbols {

inline c10::Symbol begin() {
  static const auto S = c10::Symbol::fromQualString("torchprof::begin");
  return S;
}
inline c10::Symbol end() {
  static const auto S = c10::Symbol::fromQualString("torchprof::end");
  return S;
}
/// The same for a site that is known by its slot, in graphs that never leave
/// the process.
inline c10::Symbol beginSlot() {
  static const auto S = c10::Symbol::fromQualString("torchprof::begin_slot");
  return S;
}
inline c10::Symbol endSlot() {
  static const auto S = c10::Symbol::fromQualString("torchprof::end_slot");
  return S;
}
/// The same for a part of the span around that is no gradient.
inline c10::Symbol beginPart() {
  static const auto S = c10::Symbol::fromQualString("torchprof::begin_part");
  return S;
}
inline c10::Symbol endPart() {
  static const auto S = c10::Symbol::fromQualString("torchprof::end_part");
  return S;
}
/// Ends the part that is the innermost span, if there is one, for a while or
/// for good. It may have begun in another graph.
inline c10::Symbol pausePart() {
  static const auto S = c10::Symbol::fromQualString("torchprof::pause_part");
  return S;
}
inline c10::Symbol resumePart() {
  static const auto S = c10::Symbol::fromQualString("torchprof::resume_part");
  return S;
}
/// Says whose gradients the tensors are that a group's backward graph returns,
/// and whose needed those that it has got.
inline c10::Symbol noteGradients() {
  static const auto S =
      c10::Symbol::fromQualString("torchprof::note_gradients");
  return S;
}
/// Frees what a group's backward graph has taken, where nothing else does so
/// before the graph returns.
inline c10::Symbol freeInputs() {
  static const auto S = c10::Symbol::fromQualString("torchprof::free_inputs");
  return S;
}
/// Behind a node that switches gradients on or off.
inline c10::Symbol followGradMode() {
  static const auto S =
      c10::Symbol::fromQualString("torchprof::follow_grad_mode");
  return S;
}
/// In front of a node that raises an exception.
inline c10::Symbol leave() {
  static const auto S = c10::Symbol::fromQualString("torchprof::leave");
  return S;
}
inline c10::Symbol enter() {
  static const auto S = c10::Symbol::fromQualString("torchprof::enter");
  return S;
}
/// The same with the inputs or the outputs of what is timed, in graphs that
/// nothing optimizes any more.
inline c10::Symbol beginWith() {
  static const auto S = c10::Symbol::fromQualString("torchprof::begin_with");
  return S;
}
inline c10::Symbol endWith() {
  static const auto S = c10::Symbol::fromQualString("torchprof::end_with");
  return S;
}
inline c10::Symbol enterWith() {
  static const auto S = c10::Symbol::fromQualString("torchprof::enter_with");
  return S;
}
inline c10::Symbol timed() {
  static const auto S = c10::Symbol::fromQualString("torchprof::timed");
  return S;
}
/// Attributes of a timed node.
inline c10::Symbol site() {
  static const auto S = c10::Symbol::attr("site");
  return S;
}
inline c10::Symbol gradientsAreCut() {
  static const auto S = c10::Symbol::attr("gradients_are_cut");
  return S;
}

} // namespace torchprof::symbols

#endif // TORCHPROF_SYMBOLS_H
