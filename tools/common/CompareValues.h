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
  /// to the largest number of their tensor. A number outside of one is taken
  /// for a float32: it often comes from a tensor.
  HalfTheDigits,
};

/// Waits for the tasks whose results are part of \p Value; what one of them has
/// thrown is thrown here.
void waitForTasks(const c10::IValue &Value);

/// Compares two values with all of their parts. Returns "" if they are equal,
/// else "NAME: expected X, found Y", where NAME is \p Name followed by the path
/// to the part that differs. Tasks among them must have ended.
std::string findDifference(const std::string &Name, const c10::IValue &Expected,
                           const c10::IValue &Found, Equality How);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_COMPAREVALUES_H
