//===- DeviceLibraries.h - what LibTorch has for devices --------*- C++ -*-===//
//
// A program that calls nothing of them is linked without LibTorch's libraries
// for devices, and a CUDA build of LibTorch knows no CUDA then.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_DEVICELIBRARIES_H
#define TORCHPROF_TOOLS_DEVICELIBRARIES_H

namespace torchprof {

/// Loads all parts of the LibTorch that the process has. True if there are more
/// than before. A part that cannot be loaded is left out: LibTorch says what it
/// lacks.
bool loadDeviceLibraries();

} // namespace torchprof

#endif // TORCHPROF_TOOLS_DEVICELIBRARIES_H
