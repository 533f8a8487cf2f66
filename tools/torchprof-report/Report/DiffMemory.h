//===- DiffMemory.h - whether sites take more memory ------------*- C++ -*-===//
//
// What a call allocates hardly varies, so that a growth needs no statistics: it
// is one if it is above a threshold and matters to the whole.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_DIFFMEMORY_H
#define TORCHPROF_REPORT_DIFFMEMORY_H

#include "Diff.h"

#include "llvm/Support/Error.h"

namespace torchprof::report {

/// What a gate for memory lets pass, in percent.
struct MemoryGate {
  double Growth;     ///< of what a call allocates, and of the peak of a run
  double LeastShare; ///< of what a run allocates: smaller growths do not matter
};

/// What the gate found.
struct MemoryGrowth {
  /// One for each node that allocates more per call, and each method whose runs
  /// hold more at a time.
  std::vector<std::string> Lines;
  /// False if no site that is in both profiles was measured in both.
  bool IsAnyCompared = false;
};

/// What grew of \p Rows, as far as it was measured on both sides. An error if a
/// side has no memory.
llvm::Expected<MemoryGrowth> grownMemory(llvm::ArrayRef<DiffRow> Rows,
                                         const SiteTable &A, const SiteTable &B,
                                         const MemoryGate &Gate);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_DIFFMEMORY_H
