//===- Versions.h - what not every LibTorch has -----------------*- C++ -*-===//
//
// The one place of the runtime that differs between LibTorch 1.13 and 2.15. It
// asks for what a version has, not for its number; what is looked up by a name
// that changed is a row of attach/lib/HookedFunctions.def.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TORCH_VERSIONS_H
#define TORCHPROF_TORCH_VERSIONS_H

#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#if __has_include(<torch/csrc/profiler/stubs/base.h>) // since 2.0
#include <torch/csrc/profiler/stubs/base.h>
#else
#include <torch/csrc/profiler/api.h>
#endif

#include <cstring>
#include <optional>

namespace torchprof::versions {

/// Milliseconds from one event of a device to another, which c10 tells from 2.4
/// on; none before.
template <typename Guard>
std::optional<double> elapsedMs(const Guard &G, void *First, void *Last,
                                c10::DeviceIndex Device) {
  if constexpr (requires { G.elapsedTime(First, Last, Device); })
    return G.elapsedTime(First, Last, Device);
  return std::nullopt;
}

/// True if elapsedMs() tells.
template <typename Guard>
inline constexpr bool TellsElapsedMs = requires(const Guard &G, void *Event) {
  G.elapsedTime(Event, Event, c10::DeviceIndex(0));
};

/// Whether the stream's work is captured into a graph, where c10 tells.
template <typename Guard>
std::optional<bool> isCapturing(const Guard &G, const c10::Stream &S) {
  if constexpr (requires { G.isStreamCapturing(S); })
    return G.isStreamCapturing(S);
  return std::nullopt;
}

/// What devices' allocators call for each block that comes or, with bytes below
/// 0, goes. The types of the totals behind differ.
using BlockReport = decltype(c10::reportMemoryUsageToProfiler);

/// call() is a BlockReport that calls \p Note before \p Real.
template <void (*Note)(const void *Block, int64_t Bytes, c10::Device),
          auto &Real>
struct NotedReport {
  template <typename Total>
  static void call(void *Block, int64_t Bytes, Total Allocated, Total Reserved,
                   c10::Device Device) {
    Note(Block, Bytes, Device);
    Real(Block, Bytes, Allocated, Reserved, Device);
  }
};

/// An allocator of two functions. allocate() is const up to 2.2, copy_data() is
/// new in 2.3: what is not virtual in a version is never called there.
template <c10::DataPtr (*Allocate)(size_t), c10::DeleterFnPtr Delete>
class AllocatorOf final : public c10::Allocator {
public:
  [[gnu::hot]] c10::DataPtr allocate(size_t Bytes) const {
    return Allocate(Bytes);
  }
  [[gnu::hot]] c10::DataPtr allocate(size_t Bytes) { return Allocate(Bytes); }
  c10::DeleterFnPtr raw_deleter() const { return Delete; }
  void copy_data(void *To, const void *From, size_t Bytes) const {
    std::memcpy(To, From, Bytes);
  }
};

} // namespace torchprof::versions

#endif // TORCHPROF_TORCH_VERSIONS_H
