//===- ToolRanges.cpp - spans as ranges of NVTX and ITT -------------------===//
//
// Nsight Systems and VTune are told through what is in the process: the library
// of NVTX, looked up by name, or what LibTorch was built with.
//
//===----------------------------------------------------------------------===//

#include "Ranges.h"
#include "Versions.h"

#include <dlfcn.h>

namespace torchprof {

using torch::profiler::impl::ProfilerStubs;

static const ProfilerStubs *Itt = nullptr, *Cuda = nullptr;
static int (*PushNvtx)(const char *) = nullptr;
static int (*PopNvtx)() = nullptr;

/// NVTX's own library, if the process has it, or if it is installed.
static bool findNvtx() {
  auto FindIn = [](void *Library) {
    PushNvtx = reinterpret_cast<int (*)(const char *)>(
        dlsym(Library, "nvtxRangePushA"));
    PopNvtx = reinterpret_cast<int (*)()>(dlsym(Library, "nvtxRangePop"));
    return PushNvtx && PopNvtx;
  };
  if (FindIn(RTLD_DEFAULT))
    return true;
  // Once: a child of fork may not be allowed to open files.
  static void *const Library =
      dlopen("libnvToolsExt.so.1", RTLD_LAZY | RTLD_LOCAL);
  return Library && FindIn(Library);
}

static bool findNvtxOrLibTorch() {
  if (findNvtx())
    return true;
  Cuda = torch::profiler::impl::cudaStubs();
  return Cuda && Cuda->enabled();
}

static void beginNvtx(const char *Name, format::Slot) {
  if (PushNvtx && PopNvtx)
    PushNvtx(Name);
  else
    Cuda->rangePush(Name);
}

static void endNvtx(const char *, format::Slot) {
  if (PushNvtx && PopNvtx)
    PopNvtx();
  else
    Cuda->rangePop();
}

static bool findItt() {
  Itt = torch::profiler::impl::ittStubs();
  return Itt && Itt->enabled();
}

static void beginItt(const char *Name, format::Slot) { Itt->rangePush(Name); }
static void endItt(const char *, format::Slot) { Itt->rangePop(); }

static constexpr RangeMarker Nvtx{"nvtx", findNvtxOrLibTorch, beginNvtx,
                                  endNvtx},
    OfItt{"itt", findItt, beginItt, endItt};
static const bool IsOffered =
    (addRangeMarker(&Nvtx), addRangeMarker(&OfItt), true);

} // namespace torchprof
