//===- MemoryPlace.h - where blocks of memory lie ---------------*- C++ -*-===//

#ifndef TORCHPROF_FORMAT_MEMORYPLACE_H
#define TORCHPROF_FORMAT_MEMORYPLACE_H

#include <cstdint>

namespace torchprof::format {

/// On the CPU, or on any device of LibTorch's: those are taken together.
enum class MemoryPlace : uint16_t { Cpu = 0, Devices = 1 };

inline constexpr MemoryPlace MemoryPlaces[] = {MemoryPlace::Cpu,
                                               MemoryPlace::Devices};
inline constexpr unsigned MemoryPlaceCount = 2;

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_MEMORYPLACE_H
