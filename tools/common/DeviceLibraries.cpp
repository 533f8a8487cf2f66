//===- DeviceLibraries.cpp - what LibTorch has for devices ----------------===//

#include "DeviceLibraries.h"

#include <dlfcn.h>
#include <link.h>
#include <string_view>

namespace torchprof {

namespace {
struct LoadedObjects {
  unsigned long long Count = 0; ///< that were ever loaded
  std::string Cpu;              ///< path of LibTorch's library for the CPU
};
} // namespace

static int look(dl_phdr_info *Info, size_t, void *Result) {
  auto &Objects = *static_cast<LoadedObjects *>(Result);
  std::string_view Path = Info->dlpi_name;
  Objects.Count = Info->dlpi_adds;
  if (Path.find("/libtorch_cpu.so") != Path.npos)
    Objects.Cpu = Path;
  return 0;
}

static LoadedObjects loadedObjects() {
  LoadedObjects Objects;
  dl_iterate_phdr(look, &Objects);
  return Objects;
}

DeviceLibraries loadDeviceLibraries() {
  LoadedObjects Before = loadedObjects();
  size_t Slash = Before.Cpu.rfind('/');
  if (Slash == std::string::npos)
    return {};
  // It holds nothing but the names of all parts.
  std::string All = Before.Cpu.substr(0, Slash) + "/libtorch.so";
  if (!dlopen(All.c_str(), RTLD_LAZY | RTLD_GLOBAL))
    return {false, dlerror()};
  return {loadedObjects().Count > Before.Count + 1, {}};
}

} // namespace torchprof
