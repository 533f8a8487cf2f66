//===- Machine.h - what the machine does at most ----------------*- C++ -*-===//
//
// Measured in the process that recorded, with the framework's own operators
// and as many threads as it used then. Of several records the last counts.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_MACHINE_H
#define TORCHPROF_FORMAT_MACHINE_H

#include <cstdint>

namespace torchprof::format {

struct MachineRecord {
  uint64_t FlopsPerSecond; ///< of a product of matrices or a convolution
  uint64_t BytesPerSecond; ///< read and written by a copy, one plus one
  uint32_t Threads;        ///< of one operator
  uint32_t Reserved;
};
static_assert(sizeof(MachineRecord) == 24);

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_MACHINE_H
