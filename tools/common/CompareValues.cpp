//===- CompareValues.cpp - equality of values -----------------------------===//

#include "CompareValues.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

namespace torchprof {

using at::Tensor;
using c10::IValue;

static std::string differ(const std::string &Name, const std::string &Expected,
                          const std::string &Found) {
  return Name + ": expected " + Expected + ", found " + Found;
}

template <typename T> static std::string textOf(const T &Value) {
  std::ostringstream Out;
  Out.precision(17);
  Out << Value;
  return Out.str();
}

/// The values of a dense tensor one after another on the CPU.
static Tensor denseValues(const Tensor &T) {
  return T.detach().cpu().contiguous().reshape({-1});
}

static std::string elementText(const Tensor &Flat, int64_t Index) {
  return textOf(Flat[Index].item());
}

/// By how much elements may differ from \p Expected, the numbers of a tensor of
/// type \p Type in double precision.
static double toleranceOf(const Tensor &Expected, at::ScalarType Type) {
  Tensor Sizes = Expected.abs();
  Sizes = Sizes.masked_select(at::isfinite(Sizes));
  double Largest = Sizes.numel() ? Sizes.max().item<double>() : 0;
  // 2^-p is the epsilon, p the bits of the fraction.
  Type = c10::toRealValueType(Type);
  int Bits = Type == at::kDouble  ? 52
             : Type == at::kFloat ? 23
             : Type == at::kHalf  ? 10
                                  : 7; // bfloat16
  return Largest * std::pow(2.0, -Bits / 2.0);
}

/// The first element of \p B that is not near that of \p A, or their number.
static int64_t firstNotNear(const Tensor &A, const Tensor &B) {
  auto Type = A.is_complex() ? at::kComplexDouble : at::kDouble;
  Tensor Expected = A.to(Type), Found = B.to(Type);
  double Tolerance = toleranceOf(Expected, A.scalar_type());
  Tensor Far =
      at::isclose(Expected, Found, /*rtol=*/0, Tolerance, /*equal_nan=*/true)
          .logical_not()
          .nonzero();
  return Far.numel() ? Far[0].item<int64_t>() : A.numel();
}

static bool isNan(const Tensor &Flat, int64_t Index) {
  return at::isnan(Flat[Index]).item<bool>();
}

static std::string compareDense(const std::string &Name, const Tensor &Expected,
                                const Tensor &Found, Equality How) {
  Tensor A = denseValues(Expected), B = denseValues(Found);
  const auto *Left = static_cast<const char *>(A.data_ptr());
  const auto *Right = static_cast<const char *>(B.data_ptr());
  size_t Size = A.element_size();
  if (std::memcmp(Left, Right, A.numel() * Size) == 0)
    return std::string();
  bool IsFloating = A.is_floating_point() || A.is_complex();
  int64_t Begin =
      IsFloating && How == Equality::HalfTheDigits ? firstNotNear(A, B) : 0;
  for (int64_t I = Begin; I < A.numel(); ++I) {
    if (std::memcmp(Left + I * Size, Right + I * Size, Size) == 0)
      continue;
    if (IsFloating && isNan(A, I) && isNan(B, I))
      continue;
    return differ(Name + ", element " + std::to_string(I), elementText(A, I),
                  elementText(B, I));
  }
  return std::string();
}

/// The numbers and what they stand for.
static std::string compareQuantized(const std::string &Name,
                                    const Tensor &Expected, const Tensor &Found,
                                    Equality How) {
  if (Expected.qscheme() != Found.qscheme())
    return differ(Name, at::toString(Expected.qscheme()),
                  at::toString(Found.qscheme()));
  std::string Text =
      compareDense(Name, Expected.int_repr(), Found.int_repr(), How);
  return Text.empty() ? compareDense(Name + " (values)", Expected.dequantize(),
                                     Found.dequantize(), How)
                      : Text;
}

static std::string compareTensors(const std::string &Name,
                                  const Tensor &Expected, const Tensor &Found,
                                  Equality How) {
  if (Expected.defined() != Found.defined())
    return differ(Name, Expected.defined() ? "a tensor" : "no tensor",
                  Found.defined() ? "a tensor" : "no tensor");
  if (!Expected.defined())
    return std::string();
  if (Expected.scalar_type() != Found.scalar_type())
    return differ(Name, toString(Expected.scalar_type()),
                  toString(Found.scalar_type()));
  if (Expected.sizes() != Found.sizes())
    return differ(Name, "sizes " + textOf(Expected.sizes()),
                  "sizes " + textOf(Found.sizes()));
  if (Expected.layout() != Found.layout())
    return differ(Name, textOf(Expected.layout()), textOf(Found.layout()));
  if (Expected.is_quantized())
    return compareQuantized(Name, Expected, Found, How);
  if (Expected.layout() == at::kSparse) {
    Tensor A = Expected.coalesce(), B = Found.coalesce();
    std::string Text =
        compareTensors(Name + " (indices)", A.indices(), B.indices(), How);
    return Text.empty()
               ? compareTensors(Name + " (values)", A.values(), B.values(), How)
               : Text;
  }
  if (Expected.layout() != at::kStrided)
    return compareDense(Name, Expected.to_dense(), Found.to_dense(), How);
  return compareDense(Name, Expected, Found, How);
}

static bool isNear(double A, double B, Equality How) {
  if (std::memcmp(&A, &B, sizeof(A)) == 0 || (A != A && B != B))
    return true;
  constexpr double OfFloat32 = 0x1p-11;
  return How == Equality::HalfTheDigits &&
         std::fabs(A - B) <= OfFloat32 * std::max(std::fabs(A), std::fabs(B));
}

template <typename Elements>
static std::string compareElements(const std::string &Name, const Elements &A,
                                   const Elements &B, Equality How) {
  if (A.size() != B.size())
    return differ(Name, std::to_string(A.size()) + " elements",
                  std::to_string(B.size()));
  for (size_t I = 0; I < A.size(); ++I) {
    std::string Text =
        findDifference(Name + "[" + std::to_string(I) + "]", A[I], B[I], How);
    if (!Text.empty())
      return Text;
  }
  return std::string();
}

static std::string compareDicts(const std::string &Name, const IValue &Expected,
                                const IValue &Found, Equality How) {
  auto A = Expected.toGenericDict(), B = Found.toGenericDict();
  if (A.size() != B.size())
    return differ(Name, std::to_string(A.size()) + " keys",
                  std::to_string(B.size()));
  // Dictionaries of TorchScript keep their order.
  auto Right = B.begin();
  for (const auto &Left : A) {
    std::string Key = textOf(Left.key());
    std::string Text = findDifference(Name + " key [" + Key + "]", Left.key(),
                                      Right->key(), How);
    if (Text.empty())
      Text = findDifference(Name + "[" + Key + "]", Left.value(),
                            Right->value(), How);
    if (!Text.empty())
      return Text;
    ++Right;
  }
  return std::string();
}

void waitForTasks(const IValue &Value) {
  Value.visit([](const IValue &Part) {
    if (Part.isFuture()) {
      Part.toFuture()->waitAndThrow();
      waitForTasks(Part.toFuture()->value());
    }
    return false;
  });
}

std::string findDifference(const std::string &Name, const IValue &Expected,
                           const IValue &Found, Equality How) {
  if (Expected.tagKind() != Found.tagKind())
    return differ(Name, Expected.tagKind(), Found.tagKind());
  if (Expected.isTensor())
    return compareTensors(Name, Expected.toTensor(), Found.toTensor(), How);
  if (Expected.isTuple())
    return compareElements(Name, Expected.toTupleRef().elements().vec(),
                           Found.toTupleRef().elements().vec(), How);
  if (Expected.isList())
    return compareElements(Name, Expected.toList().vec(), Found.toList().vec(),
                           How);
  if (Expected.isGenericDict())
    return compareDicts(Name, Expected, Found, How);
  if (Expected.isFuture())
    return findDifference(Name, Expected.toFuture()->value(),
                          Found.toFuture()->value(), How);
  if (Expected.isDouble()) {
    double A = Expected.toDouble(), B = Found.toDouble();
    return isNear(A, B, How) ? std::string()
                             : differ(Name, textOf(A), textOf(B));
  }
  if (Expected.isComplexDouble()) {
    auto A = Expected.toComplexDouble(), B = Found.toComplexDouble();
    return isNear(A.real(), B.real(), How) && isNear(A.imag(), B.imag(), How)
               ? std::string()
               : differ(Name, textOf(A), textOf(B));
  }
  // Two models have a class each, whose members are never equal.
  if (Expected.isEnum()) {
    auto A = Expected.toEnumHolder(), B = Found.toEnumHolder();
    return A->name() == B->name()
               ? findDifference(Name, A->value(), B->value(), How)
               : differ(Name, A->name(), B->name());
  }
  // An object is compared by its attributes; one of C++ has none to see.
  if (Expected.isObject())
    return compareElements(Name, Expected.toObjectRef().slots(),
                           Found.toObjectRef().slots(), How);
  if (Expected.isCapsule())
    return std::string();
  return Expected == Found ? std::string()
                           : differ(Name, textOf(Expected), textOf(Found));
}

} // namespace torchprof
