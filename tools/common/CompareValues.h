//===- CompareValues.h - equality of values ---------------------*- C++ -*-===//
//
// For units with torch headers only.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_COMPAREVALUES_H
#define TORCHPROF_TOOLS_COMPAREVALUES_H

#include <ATen/core/ivalue.h>

#include <string>

namespace torchprof {

/// When floating-point numbers count as equal. NaN equals NaN.
enum class Equality {
  BitForBit,
  /// They differ by at most the square root of their type's epsilon, relative
  /// to the largest number of their tensor.
  HalfTheDigits,
};

/// Compares two values with all of their parts. Returns "" if they are equal,
/// else "NAME: expected X, found Y", where NAME is \p Name followed by the path
/// to the part that differs.
std::string findDifference(const std::string &Name, const c10::IValue &Expected,
                           const c10::IValue &Found, Equality How);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_COMPAREVALUES_H
