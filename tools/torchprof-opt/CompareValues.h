//===- CompareValues.h - bit equality of values -----------------*- C++ -*-===//
//
// For units with torch headers only.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_COMPAREVALUES_H
#define TORCHPROF_TOOLS_COMPAREVALUES_H

#include <ATen/core/ivalue.h>

#include <string>

namespace torchprof {

/// Compares two values with all of their parts. Returns "" if they are equal
/// bit for bit (NaN equals NaN), else "NAME: expected X, found Y", where NAME
/// is \p Name followed by the path to the part that differs.
std::string findDifference(const std::string &Name, const c10::IValue &Expected,
                           const c10::IValue &Found);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_COMPAREVALUES_H
