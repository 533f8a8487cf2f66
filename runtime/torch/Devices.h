//===- Devices.h - the devices that LibTorch uses ---------------*- C++ -*-===//

#ifndef TORCHPROF_DEVICES_H
#define TORCHPROF_DEVICES_H

#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace torchprof {

/// Of the types of devices that are not the CPU and have a device, the first
/// one that \p Fits takes; null if there is none. Begins to use none: what the
/// process has not begun to use may be missing. Does not throw.
const c10::impl::DeviceGuardImplInterface *
findDevice(bool (*Fits)(const c10::impl::DeviceGuardImplInterface &)) noexcept;

/// A handle of the library that holds the functions of a type of devices; null
/// if it cannot be told.
void *libraryOf(const c10::impl::DeviceGuardImplInterface &Guard);

} // namespace torchprof

#endif // TORCHPROF_DEVICES_H
