//===- PairOperands.h - what LibTorch says of nodes in pairs ----*- C++ -*-===//
//
// A pair of probes that could not be replaced by a timed node does not see its
// node's operands. While shapes are recorded and such a pair is open, LibTorch
// calls us for operators, with their inputs and outputs (PairShapes.h).
//
// The callback is the calling thread's, and taken away with the outermost pair.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PAIROPERANDS_H
#define TORCHPROF_PAIROPERANDS_H

namespace torchprof {

/// A pair begins, or has ended.
void pairBegins() noexcept;
void pairEnded() noexcept;

/// No pair is open: after an exception their ends are not seen.
void leavePairs() noexcept;

} // namespace torchprof

#endif // TORCHPROF_PAIROPERANDS_H
