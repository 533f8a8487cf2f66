//===- HeldMemory.h - memory over time, for trace viewers -------*- C++ -*-===//
//
// What all threads of a profile held together (format/Level.h), whichever were
// chosen: a free on another thread than the allocation's is below 0 there, so
// only the sum means something. Of the spans of a trace; without these, of the
// runs, which lack what threads without a run did. A thread whose earlier
// levels are lost is taken to have held what it held at the first that is left.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_HELDMEMORY_H
#define TORCHPROF_REPORT_HELDMEMORY_H

#include "Exporter.h"

#include "llvm/ADT/STLExtras.h"

namespace torchprof::report {

/// A name for the track of a place, in every viewer.
llvm::StringRef heldMemoryName(format::MemoryPlace Place);

/// Calls \p Visit with the ns since the profile's start and the bytes in
/// \p Place, in the order of time, wherever the bytes change. Does nothing
/// unless one profile is exported, and memory was recorded in it.
void forEachHeld(const ExportInput &In, format::MemoryPlace Place,
                 llvm::function_ref<void(uint64_t Ns, int64_t Bytes)> Visit);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_HELDMEMORY_H
