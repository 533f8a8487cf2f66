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

/// What grew of \p Rows, a line each: nodes that allocate more per call,
/// methods whose runs hold more at a time. An error if a side has no memory.
llvm::Expected<std::vector<std::string>>
grownMemory(llvm::ArrayRef<DiffRow> Rows, const SiteTable &A,
            const SiteTable &B, const MemoryGate &Gate);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_DIFFMEMORY_H
