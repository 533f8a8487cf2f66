//===- Work.h - what operators compute and move -----------------*- C++ -*-===//
//
// The work of a call follows from the operator and the sizes of its operands,
// so it is known without counting anything while the model runs. It is what the
// operator has to do at least, not what the processor did: a Winograd
// convolution multiplies less, and a cache may have held what is read.
//
// The formulas are rows of Operators.def. A signature has no numbers and no
// flags: what only these tell (strides, a window's size, training) is either
// not needed or said in the row.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_WORK_H
#define TORCHPROF_REPORT_WORK_H

#include "Signature.h"

#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"

namespace torchprof::report {

/// What one call of an operator computes and moves.
struct Work {
  /// Multiplications and additions of matrix products and convolutions, as
  /// torch.utils.flop_counter counts them: n of each for a sum of n products.
  /// Biases, and the gates and softmax inside a fused operator, do not count.
  double Flops = 0;
  /// Operations of everything else: element-wise, norms, pooling, softmax. An
  /// arithmetic operation, a comparison, a selection and an elementary function
  /// (exp, sqrt, tanh, ...) are one each.
  double OtherOps = 0;
  /// Inputs read and outputs written, each once; 0 of views. Of a table or a
  /// cache only the rows that are read or written.
  double Bytes = 0;
};

/// True for methods and control flow: what they compute and move is the work of
/// the nodes that they run.
bool runsOtherNodes(llvm::StringRef Kind);

/// The work of one call of \p Kind, "aten::conv2d", also in its in-place form.
/// None if the operator has no formula, or if it has and moves bytes and \p S
/// was cut, lacks an operand, or has one that is sparse, nested or of an
/// unknown dtype. 0 if \p S holds no tensor. Never negative or infinite.
llvm::Optional<Work> workOf(llvm::StringRef Kind, const Signature &S);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_WORK_H
