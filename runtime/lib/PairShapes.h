//===- PairShapes.h - operands of pairs of probes ---------------*- C++ -*-===//
//
// A timed node reads its operands from the interpreter's stack. So does a pair
// of probes around control flow or a whole method, if it was given them. One
// around an operator was not: the framework tells them, when it calls the
// operator that the node between the two is.
//
// Functions are for the thread whose pair it is. None throws.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PAIRSHAPES_H
#define TORCHPROF_PAIRSHAPES_H

#include "Lane.h"
#include "Operands.h"
#include "Variants.h"

#include <string_view>

namespace torchprof {

class Recording;

/// True if the innermost span is a pair whose operands are not known yet, and
/// whose node is of kind \p Name.
bool wantsOperands(std::string_view Name) noexcept;

/// The inputs of that pair. True if its outputs are wanted, too.
bool tellInputs(const Operands &Inputs) noexcept;
/// They are told when the operator has ended.
void tellOutputs(const Operands &Outputs) noexcept;

/// Keeps what a pair or a root belongs to, which began at \p Begin, until it
/// ends. Takes \p Of.
void keepPairShape(Lane &L, format::Slot Site, uint64_t Begin, OpenVariant Of);

/// Books a pair of \p Site that began at \p Begin, if its operands were told.
/// \p Outputs, if they are known. NotRecorded ticks forget it.
void endPairShapes(Recording &R, Lane &L, format::Slot Site, uint64_t Begin,
                   const Operands &Outputs, EndedTicks Ended);

/// Forgets the pairs of a run that an exception ended.
void dropPairShapes(Lane &L);

} // namespace torchprof

#endif // TORCHPROF_PAIRSHAPES_H
