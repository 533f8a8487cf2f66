//===- TableLock.h - the lock of what is known of models --------*- C++ -*-===//
//
// One lock for the tables that are looked into while LibTorch makes plans. It
// is held for a look or a change, never while a graph is worked on, and over
// fork(): a child finds the tables whole and the lock free, whatever the other
// threads of its parent were doing. Not recursive.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TABLELOCK_H
#define TORCHPROF_TABLELOCK_H

#include "torchprof/torchprof.h"

namespace torchprof {

class TORCHPROF_API TableLock {
public:
  TableLock();
  ~TableLock();
  TableLock(const TableLock &) = delete;
  TableLock &operator=(const TableLock &) = delete;
};

} // namespace torchprof

#endif // TORCHPROF_TABLELOCK_H
