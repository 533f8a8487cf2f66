//===- DeviceInUse.h - a device for tests of its memory ---------*- C++ -*-===//

#ifndef TORCHPROF_TEST_DEVICEINUSE_H
#define TORCHPROF_TEST_DEVICEINUSE_H

#include "Memory.h"

namespace torchprof::test {

/// A process that uses a device, of which no block was seen.
class DeviceInUse {
public:
  explicit DeviceInUse(MemoryHook Hook = [] { return true; }) {
    SeesDeviceBlocks = false;
    setDeviceMemoryHook(Hook);
  }
  ~DeviceInUse() {
    setDeviceMemoryHook(nullptr);
    SeesDeviceBlocks = false;
  }
  DeviceInUse(const DeviceInUse &) = delete;
  DeviceInUse &operator=(const DeviceInUse &) = delete;
};

} // namespace torchprof::test

#endif // TORCHPROF_TEST_DEVICEINUSE_H
