//===- Einsum.h - what an Einstein summation computes -----------*- C++ -*-===//
//
// LibTorch contracts the operands in pairs from left to right, unless it is
// given another path. It first sums what only one of two operands has and
// nothing later needs, so that a pair becomes one batched matrix product, or an
// element-wise product if there is nothing to sum over both.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_EINSUM_H
#define TORCHPROF_REPORT_EINSUM_H

#include "Signature.h"

namespace torchprof::report {

struct Contractions {
  double Flops = 0;    ///< of the matrix products, as Work counts them
  double OtherOps = 0; ///< of sums and element-wise products
};

/// The work of torch.einsum(\p Equation, ...), "bij,bjk->bik". None if the
/// equation does not fit the operands, or the sizes are not known.
llvm::Optional<Contractions> contractionsOf(llvm::StringRef Equation,
                                            llvm::ArrayRef<Operand> Operands);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_EINSUM_H
