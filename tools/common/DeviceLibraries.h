//===- DeviceLibraries.h - what LibTorch has for devices --------*- C++ -*-===//
//
// A program that calls nothing of them is linked without LibTorch's libraries
// for devices, and a CUDA build of LibTorch knows no CUDA then.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_DEVICELIBRARIES_H
#define TORCHPROF_TOOLS_DEVICELIBRARIES_H

#include <string>

namespace torchprof {

/// What loading them came to.
struct DeviceLibraries {
  bool HasMore = false; ///< than before
  std::string Failure;  ///< what the system said if they cannot be loaded
};

/// Loads all parts of the LibTorch that the process has.
DeviceLibraries loadDeviceLibraries();

} // namespace torchprof

#endif // TORCHPROF_TOOLS_DEVICELIBRARIES_H
