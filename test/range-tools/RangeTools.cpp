//===- RangeTools.cpp - stands in for NVTX and ITT ------------------------===//
//
// Loaded by tests: has NVTX's functions, and registers itself with LibTorch as
// what tells ITT. Both write a line per call to the file that RANGES names.
//
//===----------------------------------------------------------------------===//

#if __has_include(<torch/csrc/profiler/stubs/base.h>)
#include <torch/csrc/profiler/stubs/base.h>
#else
#include <torch/csrc/profiler/api.h>
#endif

#include <cstdio>
#include <cstdlib>

namespace {

FILE *file() {
  static FILE *File = std::fopen(std::getenv("RANGES"), "w");
  return File;
}

thread_local int Depth = 0;

void push(const char *Tool, const char *Name) {
  std::fprintf(file(), "%s %*s%s\n", Tool, 2 * Depth++, "", Name);
  std::fflush(file());
}

void pop(const char *Tool) {
  std::fprintf(file(), "%s %*send\n", Tool, 2 * --Depth, "");
  std::fflush(file());
}

using namespace torch::profiler::impl;

struct Itt final : ProfilerStubs {
#if __has_include(<torch/csrc/profiler/stubs/base.h>)
  void record(c10::DeviceIndex *, ProfilerVoidEventStub *,
              int64_t *) const override {}
  float elapsed(const ProfilerVoidEventStub *,
                const ProfilerVoidEventStub *) const override {
    return 0;
  }
#else
  void record(int *, ProfilerEventStub *, int64_t *) const override {}
  float elapsed(const ProfilerEventStub *,
                const ProfilerEventStub *) const override {
    return 0;
  }
#endif
  void mark(const char *) const override {}
  void rangePush(const char *Name) const override { push("itt", Name); }
  void rangePop() const override { pop("itt"); }
  bool enabled() const override { return true; }
  void onEachDevice(std::function<void(int)>) const override {}
  void synchronize() const override {}
};

Itt OfItt;
const bool IsRegistered = (registerITTMethods(&OfItt), true);

} // namespace

extern "C" {
__attribute__((visibility("default"))) int nvtxRangePushA(const char *Name) {
  push("nvtx", Name);
  return Depth;
}
__attribute__((visibility("default"))) int nvtxRangePop() {
  pop("nvtx");
  return Depth;
}
}
