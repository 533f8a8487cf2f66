//===- InTimeOrder.h - what happened, in the order of time ------*- C++ -*-===//
//
// Rings begin anywhere, lanes overlap, and files are named in any order. What
// profiles hold of runs and events is sorted when somebody looks at it, not at
// each profile that adds to it: there may be thousands. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_INTIMEORDER_H
#define TORCHPROF_REPORT_INTIMEORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdint>
#include <vector>

namespace torchprof::report {

/// \p Time is the member to sort by.
template <typename RowT, uint64_t RowT::*Time> class InTimeOrder {
public:
  void add(RowT Row) {
    Rows.push_back(std::move(Row));
    IsSorted = false;
  }

  /// Those of one time in the order in which they were added. Valid until the
  /// next addition.
  llvm::ArrayRef<RowT> rows() const {
    if (!IsSorted)
      llvm::stable_sort(
          Rows, [](const RowT &A, const RowT &B) { return A.*Time < B.*Time; });
    IsSorted = true;
    return Rows;
  }

private:
  mutable std::vector<RowT> Rows;
  mutable bool IsSorted = true;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_INTIMEORDER_H
