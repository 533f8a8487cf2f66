//===- NodeAdvice.h - rules of advice about nodes ---------------*- C++ -*-===//

#ifndef TORCHPROF_REPORT_NODEADVICE_H
#define TORCHPROF_REPORT_NODEADVICE_H

#include "AdviceEvidence.h"

namespace torchprof::report {

/// The batch norms of inference that take the output of a convolution.
Finding batchNorms(const Evidence &In);

/// Changes of dtype, device and layout, and copies.
Finding conversions(const Evidence &In);

/// Nodes that hardly compute or move anything.
Finding smallNodes(const Evidence &In);

/// What products and convolutions took above four times their bound.
Finding farFromRoof(const Evidence &In);

/// Element-wise nodes and the like that are as fast as memory, or nearly.
Finding memoryBound(const Evidence &In);

/// Nodes whose device time is the host's.
Finding launches(const Evidence &In);

/// The backward of nodes some of whose gradients nobody asked for.
Finding unaskedGradients(const Evidence &In);

/// What nodes took without a processor (TORCHPROF_RECORD=cpu), those that wait
/// for a task by design left out.
Finding waiting(const Evidence &In);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_NODEADVICE_H
