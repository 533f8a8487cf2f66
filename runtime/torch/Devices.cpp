//===- Devices.cpp - the devices that LibTorch uses -----------------------===//

#include "Devices.h"

#include <atomic>
#include <dlfcn.h>
#include <exception>

namespace torchprof {

using Guard = c10::impl::DeviceGuardImplInterface;

void *libraryOf(const Guard &G) {
  Dl_info Info;
  const void *Functions = *reinterpret_cast<const void *const *>(&G);
  if (!dladdr(Functions, &Info) || !Info.dli_fname)
    return nullptr;
  return dlopen(Info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

using CurrentContext = int (*)(void **Context);

/// cuCtxGetCurrent() of CUDA's driver, once the process has loaded that.
static CurrentContext findCurrentContext() {
  static std::atomic<CurrentContext> Known = nullptr;
  CurrentContext Found = Known.load(std::memory_order_relaxed);
  if (Found)
    return Found;
  if (void *Driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD)) {
    Found = reinterpret_cast<CurrentContext>(dlsym(Driver, "cuCtxGetCurrent"));
    Known.store(Found, std::memory_order_relaxed);
  }
  return Found;
}

/// True unless to ask CUDA for its devices would start its driver: a child of
/// the process that is forked later could not use CUDA then.
static bool mayBeAsked(const Guard &G) {
  if (G.type() != c10::DeviceType::CUDA)
    return true;
  static const bool IsHip = [&] {
    void *Library = libraryOf(G);
    return !Library || !dlsym(Library, "cudaGetLastError");
  }();
  if (IsHip)
    return true;
  CurrentContext Ask = findCurrentContext();
  void *Context = nullptr;
  return Ask && Ask(&Context) == 0; // else it was not started
}

const Guard *findDevice(bool (*Fits)(const Guard &)) noexcept try {
  constexpr auto Types = size_t(c10::DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);
  for (size_t I = 0; I < Types; ++I) {
    auto Type = c10::DeviceType(int8_t(I));
    if (Type == c10::DeviceType::CPU || Type == c10::DeviceType::Meta)
      continue;
    const Guard *G = c10::impl::device_guard_impl_registry[I].load();
    if (G && mayBeAsked(*G) && G->deviceCount() > 0 && Fits(*G))
      return G;
  }
  return nullptr;
} catch (const std::exception &) {
  return nullptr;
}

} // namespace torchprof
