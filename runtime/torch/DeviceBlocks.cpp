//===- DeviceBlocks.cpp - sees blocks of devices come and go --------------===//
//
// The allocators of LibTorch's devices report each block that they give out or
// take back to c10, for torch.profiler. Here somebody stands in front of that
// function and counts what is not on the CPU: what comes out is what
// torch.profiler has, which is told as ever.
//
// Done when memory is recorded, and again while no block was seen and libraries
// are loaded: the device's may come late.
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "LoaderSlots.h"
#include "Memory.h"
#include "Versions.h"

#include <atomic>
#include <dlfcn.h>

namespace torchprof {

namespace {

// A slot of ours is written too: a call by the function's name would come back
// to us, and the compiler must not make such a call of this pointer.
versions::BlockReport *volatile Real = &c10::reportMemoryUsageToProfiler;

std::atomic<unsigned long long> LoadsLooked = 0;

void noteBlock(const void *Block, int64_t Bytes, c10::Device Device) {
  if (Device.is_cpu())
    return;
  if (Bytes >= 0)
    noteDeviceAllocated(uint64_t(Bytes), Block);
  else
    noteDeviceFreed(uint64_t(-Bytes), Block);
}

void standInFront() {
  unsigned long long Loads = loaderLoads();
  if (LoadsLooked.exchange(Loads) == Loads)
    return;
  Dl_info Info;
  if (!dladdr(reinterpret_cast<void *>(Real), &Info) || !Info.dli_sname)
    return;
  versions::BlockReport *Noted = versions::NotedReport<noteBlock, Real>::call;
  const Redirection Change[] = {
      {Info.dli_sname, reinterpret_cast<void *>(Noted)}};
  redirectCalls(Change);
}

/// A MemoryHook.
bool countDeviceBlocks() {
  if (SeesDeviceBlocks.load(std::memory_order_relaxed))
    return true;
  standInFront();
  return findDevice(
      [](const c10::impl::DeviceGuardImplInterface &) { return true; });
}

const bool CountsDeviceBlocks = (setDeviceMemoryHook(&countDeviceBlocks), true);

} // namespace

} // namespace torchprof
