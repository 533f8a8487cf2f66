//===- WorkCall.h - the call whose work a rule computes ---------*- C++ -*-===//
//
// What the rules of Work.cpp see of a call: sizes that may not be known, in
// which case all that is computed from them is not known either.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_WORKCALL_H
#define TORCHPROF_REPORT_WORKCALL_H

#include "Signature.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

namespace torchprof::report::work {

/// A size of an operand that is not there. Any sum or product with it is
/// unknown, too, so formulas need no branches.
inline constexpr double Unknown = std::numeric_limits<double>::quiet_NaN();

inline bool isList(const Operand &O) { return O.Kind == OperandKind::List; }

/// Sizes and dtype say how much a tensor holds. They do not for a sparse one.
bool isDense(const Operand &O);

/// Of an operand and what it holds; 0 of None and of what holds no tensor.
double bytesOf(const Operand &O);
double bytesOf(llvm::ArrayRef<Operand> Operands);

/// The sizes of a tensor, or of none: then everything is unknown.
class Shape {
public:
  explicit Shape(const Operand *O) : Tensor(O && isDense(*O) ? O : nullptr) {}

  bool isKnown() const { return Tensor; }
  int rank() const { return Tensor ? int(Tensor->Sizes.size()) : 0; }
  double elements() const { return Tensor ? Tensor->elements() : Unknown; }

  /// One size, from the end if \p I is negative.
  double operator[](int I) const {
    if (I < 0)
      I += rank();
    return I >= 0 && I < rank() ? double(Tensor->Sizes[I]) : Unknown;
  }

  /// Product of the sizes but the first.
  double elementsOfRow() const { return product(1, rank()); }
  /// Product of the sizes but the last.
  double rows() const { return product(0, rank() - 1); }

private:
  double product(int Begin, int End) const {
    double Product = rank() ? 1 : Unknown;
    for (int I = Begin; I < End; ++I)
      Product *= double(Tensor->Sizes[I]);
    return Product;
  }

  const Operand *Tensor;
};

/// The operands of a call.
class Call {
public:
  Call(const Signature &S, bool IsInPlace) : S(S), IsInPlace(IsInPlace) {}

  Shape in(size_t I) const { return Shape(operandOf(S.Inputs, I)); }
  Shape out(size_t I = 0) const { return Shape(operandOf(S.Outputs, I)); }
  /// The weight in a packed object, which is a list of it and of the bias: the
  /// first list, or input \p I.
  Shape packedWeight() const {
    return packedWeight(size_t(llvm::find_if(S.Inputs,
                                             [](const Operand &O) {
                                               return O.Kind ==
                                                      OperandKind::List;
                                             }) -
                               S.Inputs.begin()));
  }
  Shape packedWeight(size_t I) const {
    const Operand *Packed = operandOf(S.Inputs, I);
    return Shape(Packed ? operandOf(Packed->Elements, 0) : nullptr);
  }

  /// The inputs but the first.
  llvm::ArrayRef<Operand> rest() const {
    return llvm::makeArrayRef(S.Inputs).drop_front(
        std::min<size_t>(1, S.Inputs.size()));
  }
  /// Bytes of an element of the first input.
  double itemBytes() const;

  const Signature &S;
  const bool IsInPlace;

private:
  static const Operand *operandOf(llvm::ArrayRef<Operand> Operands, size_t I) {
    return I < Operands.size() ? &Operands[I] : nullptr;
  }
};

} // namespace torchprof::report::work

#endif // TORCHPROF_REPORT_WORKCALL_H
