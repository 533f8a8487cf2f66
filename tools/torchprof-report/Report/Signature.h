//===- Signature.h - dtypes and sizes of a node's operands ------*- C++ -*-===//
//
// A signature's text, as format/Variant.h describes it, in parts. Plain values,
// safe to use from any thread that owns them.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_SIGNATURE_H
#define TORCHPROF_REPORT_SIGNATURE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace torchprof::report {

enum class OperandKind {
  Tensor,
  None, ///< or an undefined tensor
  String,
  Other, ///< holds no tensor
  List,  ///< of tensors
};

struct Operand {
  OperandKind Kind = OperandKind::Other;
  std::string Dtype;                   ///< "float32"
  llvm::SmallVector<int64_t, 4> Sizes; ///< empty if HasSizes is false
  bool HasSizes = true;                ///< false: a nested tensor
  std::string Layout;                  ///< empty: strided
  std::string Device;                  ///< empty: the CPU
  std::vector<Operand> Elements;       ///< of a list
  std::string Text;                    ///< of a string

  bool isTensor() const { return Kind == OperandKind::Tensor; }
  /// Product of the sizes.
  double elements() const;
  /// Bytes of the elements; None if the dtype or the sizes are not known.
  llvm::Optional<double> bytes() const;
};

struct Signature {
  std::vector<Operand> Inputs, Outputs;
  bool IsWhole = false; ///< false: it was cut, what is here may be less

  /// True of a text that is no signature, such as that of all further ones.
  bool isEmpty() const { return Inputs.empty() && Outputs.empty(); }
};

Signature parseSignature(llvm::StringRef Text);

/// True if a tensor of it lies on a device that is not the CPU.
bool usesDevice(const Signature &S);

/// The sizes of the tensors, "[2,3] [4,3]:sparse".
std::string shapesText(llvm::ArrayRef<Operand> Operands);

/// All operands as torch.profiler shows them, "[[2, 3], [4, 3], []]".
std::string torchShapesText(llvm::ArrayRef<Operand> Operands);

/// The same of the inputs of a signature's text; one that stands for several
/// signatures, or is empty because none is known, is itself.
std::string torchInputsText(llvm::StringRef Signature);

/// The dtypes of the tensors, each named once, in their order.
std::string dtypesText(llvm::ArrayRef<Operand> Operands);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_SIGNATURE_H
