//===- DeviceApi.cpp - events of the framework's devices ------------------===//

#include "DeviceApi.h"

#include <atomic>

namespace torchprof {

static std::atomic<const DeviceApi *> Offered = nullptr;

void setDeviceApi(const DeviceApi *Api) { Offered = Api; }

const DeviceApi *deviceApi() { return Offered.load(std::memory_order_relaxed); }

} // namespace torchprof
