//===- Itt.cpp - stands in for ITT ----------------------------------------===//
//
// Registers itself with LibTorch as what tells ITT.
//
//===----------------------------------------------------------------------===//

#include "RangeFile.h"

#include <c10/core/Device.h>

#if __has_include(<torch/csrc/profiler/stubs/base.h>)
#include <torch/csrc/profiler/stubs/base.h>
using Event = torch::profiler::impl::ProfilerVoidEventStub;
#else
#include <torch/csrc/profiler/api.h>
using Event = torch::profiler::impl::ProfilerEventStub;
#endif

namespace {

RangeFile &ranges() {
  static RangeFile Ranges("itt");
  return Ranges;
}

// The type of a device's number is another one in each of some versions.
struct Itt final : torch::profiler::impl::ProfilerStubs {
  void record(int *, Event *, int64_t *) const {}
  void record(c10::DeviceIndex *, Event *, int64_t *) const {}
  float elapsed(const Event *, const Event *) const { return 0; }
  void mark(const char *) const {}
  void rangePush(const char *Name) const { ranges().push(Name); }
  void rangePop() const { ranges().pop(); }
  bool enabled() const { return true; }
  void onEachDevice(std::function<void(int)>) const {}
  void synchronize() const {}
};

Itt OfItt;
const bool IsRegistered =
    (torch::profiler::impl::registerITTMethods(&OfItt), true);

} // namespace
