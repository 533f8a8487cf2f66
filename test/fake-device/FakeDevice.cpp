//===- FakeDevice.cpp - a device whose kernels take known times -----------===//
//
// Two devices of LibTorch's type PrivateUse1, for tests of device time and of
// devices' memory. That is the host's, in blocks which are reported to
// LibTorch, and kernels compute at once. What takes time is made up: each
// stream has a clock of its own, which stands where its work will be done. A
// kernel moves it on by a known duration, from now if the stream was idle; an
// event is reached when the host's clock has come to where the stream's stood.
// So a device works beside its host, exactly as long as it is told to, on any
// number of processors.
//
//   fakedev::busy(x, ns)      a copy of x, by a kernel that takes ns; its
//                             gradient is one, by a kernel that takes 2 ns
//   fakedev::use_stream(n)    the thread's current stream, 0 to 7
//   fakedev::use_device(n)    the thread's current device, 0 or 1
//   fakedev::kernel_ns(ns)    what aten's kernels below take; 0 at first
//   fakedev::wait()           waits for the current device
//   fakedev::capture(on)      streams say that they are captured
//   fakedev::tells_capture()  this version of LibTorch asks them
//   fakedev::events()         events that were recorded
//   fakedev::be_accelerator() what the autograd engine of 2.13 asks for; it has
//                             no generator of random numbers then
//
//===----------------------------------------------------------------------===//

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#if __has_include(<ATen/detail/PrivateUse1HooksInterface.h>)
#include <ATen/detail/PrivateUse1HooksInterface.h>
#define HAS_HOOKS
#endif
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

constexpr auto Type = c10::DeviceType::PrivateUse1;
constexpr int Devices = 2, Streams = 8;

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

/// When a stream will have done its work, in now()'s time.
std::atomic<int64_t> Done[Devices][Streams];

thread_local int CurrentDevice = 0;
thread_local int CurrentStream[Devices] = {};
std::atomic<int64_t> KernelNs = 0;
std::atomic<int64_t> EventsRecorded = 0;
thread_local bool IsCaptured = false;

template <typename T>
concept TellsCapture = requires(const T &G, const c10::Stream &S) {
  G.isStreamCapturing(S);
};

/// Lets a kernel take \p Ns on the thread's current stream.
void launch(int Device, int64_t Ns) {
  std::atomic<int64_t> &End = Done[Device][CurrentStream[Device]];
  int64_t Old = End.load();
  while (!End.compare_exchange_weak(Old, std::max(Old, now()) + Ns))
    ;
}

void waitUntil(int64_t Ns) {
  while (now() < Ns)
    std::this_thread::sleep_for(
        std::chrono::nanoseconds(std::max<int64_t>(Ns - now(), 1)));
}

double msBetween(void *First, void *Last) {
  return double(*static_cast<std::atomic<int64_t> *>(Last) -
                *static_cast<std::atomic<int64_t> *>(First)) /
         1e6;
}

struct FakeGuard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return Type; }
  c10::Device exchangeDevice(c10::Device To) const override {
    c10::Device From = getDevice();
    setDevice(To);
    return From;
  }
  c10::Device getDevice() const override {
    return {Type, c10::DeviceIndex(CurrentDevice)};
  }
  void setDevice(c10::Device To) const override { uncheckedSetDevice(To); }
  void uncheckedSetDevice(c10::Device To) const noexcept override {
    CurrentDevice = std::max<int>(To.index(), 0);
  }
  c10::DeviceIndex deviceCount() const noexcept override { return Devices; }

  c10::Stream getStream(c10::Device Of) const noexcept override {
    return c10::Stream(c10::Stream::UNSAFE, Of, CurrentStream[Of.index()]);
  }
  c10::Stream getDefaultStream(c10::Device Of) const override {
    return c10::Stream(c10::Stream::UNSAFE, Of, 0);
  }
  c10::Stream exchangeStream(c10::Stream To) const noexcept override {
    c10::Stream From = getStream(To.device());
    CurrentStream[To.device_index()] = int(To.id());
    return From;
  }

  void record(void **Event, const c10::Stream &Of, const c10::DeviceIndex,
              const c10::EventFlag) const override {
    if (!*Event)
      *Event = new std::atomic<int64_t>(0);
    *static_cast<std::atomic<int64_t> *>(*Event) =
        std::max(Done[Of.device_index()][Of.id()].load(), now());
    ++EventsRecorded;
  }
  bool queryEvent(void *Event) const override {
    return now() >= *static_cast<std::atomic<int64_t> *>(Event);
  }
  void destroyEvent(void *Event,
                    const c10::DeviceIndex) const noexcept override {
    delete static_cast<std::atomic<int64_t> *>(Event);
  }
  void block(void *Event, const c10::Stream &Of) const override {
    std::atomic<int64_t> &End = Done[Of.device_index()][Of.id()];
    End = std::max<int64_t>(End, *static_cast<std::atomic<int64_t> *>(Event));
  }
  void synchronizeStream(const c10::Stream &Of) const override {
    waitUntil(Done[Of.device_index()][Of.id()]);
  }
  // Not in every LibTorch, and so without "override".
  double elapsedTime(void *First, void *Last, const c10::DeviceIndex) const {
    return msBetween(First, Last);
  }
  bool isStreamCapturing(const c10::Stream &) const { return IsCaptured; }
};

//===----------------------------------------------------------------------===//
// Memory and kernels
//===----------------------------------------------------------------------===//

/// Before each block: how large it is, and where.
struct alignas(64) BlockHead {
  int64_t Bytes;
  c10::Device Where;
};

/// Blocks that are in use, in bytes.
std::atomic<int64_t> InUse = 0;

/// As devices' allocators do: for torch.profiler.
void report(const BlockHead &Head, int64_t Bytes) {
  InUse += Bytes;
  c10::reportMemoryUsageToProfiler(const_cast<BlockHead *>(&Head + 1), Bytes,
                                   InUse, InUse, Head.Where);
}

void giveBack(void *Data) {
  if (!Data)
    return;
  auto *Head = static_cast<BlockHead *>(Data) - 1;
  report(*Head, -Head->Bytes);
  std::free(Head);
}

struct FakeAllocator final : c10::Allocator {
  static c10::DataPtr make(size_t Bytes) {
    c10::Device Here(Type, c10::DeviceIndex(CurrentDevice));
    if (!Bytes)
      return {nullptr, Here};
    void *Room = std::aligned_alloc(alignof(BlockHead),
                                    sizeof(BlockHead) + (Bytes + 63) / 64 * 64);
    auto *Head = new (Room) BlockHead{int64_t(Bytes), Here};
    report(*Head, Head->Bytes);
    return {Head + 1, Head + 1, &giveBack, Here};
  }
  // const in some versions.
  c10::DataPtr allocate(size_t Bytes) const { return make(Bytes); }
  c10::DataPtr allocate(size_t Bytes) { return make(Bytes); }
  c10::DeleterFnPtr raw_deleter() const override { return &giveBack; }
  void copy_data(void *To, const void *From, size_t Bytes) const {
    std::memcpy(To, From, Bytes);
  }
};

FakeAllocator TheAllocator;

/// The tensor's memory as one of the CPU.
at::Tensor onHost(const at::Tensor &T) {
  if (T.is_cpu())
    return T;
  return at::from_blob(T.data_ptr(), T.sizes(), T.strides(),
                       T.options().device(c10::kCPU));
}

c10::DeviceGuard guardOf(c10::optional<c10::Device> Device) {
  c10::Device D = Device.value_or(c10::Device(Type, -1));
  return c10::DeviceGuard(
      D.has_index() ? D : c10::Device(Type, c10::DeviceIndex(CurrentDevice)));
}

constexpr c10::DispatchKeySet Keys(c10::DispatchKey::PrivateUse1);

at::Tensor empty(c10::IntArrayRef Sizes, c10::optional<c10::ScalarType> Dtype,
                 c10::optional<c10::Layout>, c10::optional<c10::Device> Device,
                 c10::optional<bool>, c10::optional<c10::MemoryFormat> Format) {
  auto Guard = guardOf(Device);
  return at::detail::empty_generic(Sizes, &TheAllocator, Keys,
                                   c10::dtype_or_default(Dtype), Format);
}

at::Tensor emptyStrided(c10::IntArrayRef Sizes, c10::IntArrayRef Strides,
                        c10::optional<c10::ScalarType> Dtype,
                        c10::optional<c10::Layout>,
                        c10::optional<c10::Device> Device,
                        c10::optional<bool>) {
  auto Guard = guardOf(Device);
  return at::detail::empty_strided_generic(Sizes, Strides, &TheAllocator, Keys,
                                           c10::dtype_or_default(Dtype));
}

/// A tensor like \p T that a kernel of \p Ns fills.
template <typename Fill>
at::Tensor kernel(const at::Tensor &T, int64_t Ns, Fill Compute) {
  c10::DeviceGuard Guard(T.device());
  at::Tensor Out = at::empty_like(T);
  at::Tensor Host = onHost(Out);
  Compute(Host);
  launch(int(T.device().index()), Ns);
  return Out;
}

at::Tensor copyFrom(const at::Tensor &From, const at::Tensor &To, bool) {
  const at::Tensor &Here = From.is_cpu() ? To : From;
  c10::DeviceGuard Guard(Here.device());
  int Device = Here.device().index();
  // Both directions wait for the stream, as copies of pageable memory do.
  launch(Device, KernelNs);
  waitUntil(Done[Device][CurrentStream[Device]]);
  at::Tensor Out = onHost(To);
  Out.copy_(onHost(From));
  return To;
}

at::Tensor relu(const at::Tensor &X) {
  return kernel(X, KernelNs,
                [&](at::Tensor &Out) { at::clamp_min_out(Out, onHost(X), 0); });
}

at::Tensor busy(const at::Tensor &X, int64_t Ns) {
  return kernel(X, Ns, [&](at::Tensor &Out) { Out.copy_(onHost(X)); });
}

at::Tensor busyOnHost(const at::Tensor &X, int64_t) { return X.clone(); }

/// busy() with a gradient.
struct Busy : torch::autograd::Function<Busy> {
  static at::Tensor forward(torch::autograd::AutogradContext *Context,
                            const at::Tensor &X, int64_t Ns) {
    Context->saved_data["ns"] = Ns;
    at::AutoDispatchBelowADInplaceOrView Below;
    return busy(X, Ns);
  }
  static torch::autograd::variable_list
  backward(torch::autograd::AutogradContext *Context,
           const torch::autograd::variable_list &Gradients) {
    return {busy(Gradients[0], 2 * Context->saved_data["ns"].toInt()), {}};
  }
};

at::Tensor busyWithGradient(const at::Tensor &X, int64_t Ns) {
  return Busy::apply(X, Ns);
}

#ifdef HAS_HOOKS
/// Not all versions have all of the functions: without "override".
struct FakeHooks : at::PrivateUse1HooksInterface {
  bool isBuilt() const { return true; }
  bool isAvailable() const { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const { return true; }
  c10::DeviceIndex deviceCount() const { return Devices; }
  c10::DeviceIndex getCurrentDevice() const {
    return c10::DeviceIndex(CurrentDevice);
  }
};

void beAccelerator() {
  c10::register_privateuse1_backend("privateuseone");
  at::RegisterPrivateUse1HooksInterface(new FakeHooks);
}
#else
void beAccelerator() {}
#endif

TORCH_LIBRARY(fakedev, M) {
  M.def("busy(Tensor x, int ns) -> Tensor");
  M.def("use_stream(int n) -> ()",
        [](int64_t N) { CurrentStream[CurrentDevice] = int(N % Streams); });
  M.def("use_device(int n) -> ()",
        [](int64_t N) { CurrentDevice = int(N % Devices); });
  M.def("kernel_ns(int ns) -> ()", [](int64_t Ns) { KernelNs = Ns; });
  M.def("wait() -> ()", [] {
    for (const std::atomic<int64_t> &End : Done[CurrentDevice])
      waitUntil(End);
  });
  M.def("capture(bool on) -> ()", [](bool On) { IsCaptured = On; });
  M.def("tells_capture() -> bool",
        [] { return TellsCapture<c10::impl::DeviceGuardImplInterface>; });
  M.def("be_accelerator() -> ()", beAccelerator);
  M.def("events() -> int", []() -> int64_t { return EventsRecorded; });
}

TORCH_LIBRARY_IMPL(fakedev, PrivateUse1, M) { M.impl("busy", busy); }
TORCH_LIBRARY_IMPL(fakedev, CPU, M) { M.impl("busy", busyOnHost); }
TORCH_LIBRARY_IMPL(fakedev, AutogradPrivateUse1, M) {
  M.impl("busy", busyWithGradient);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, M) {
  M.impl("empty.memory_format", empty);
  M.impl("empty_strided", emptyStrided);
  M.impl("_copy_from", copyFrom);
  M.impl("relu", relu);
}

const bool IsSet = (c10::SetAllocator(Type, &TheAllocator), true);
C10_REGISTER_GUARD_IMPL(PrivateUse1, FakeGuard);

} // namespace

/// What torchprof asks for where LibTorch has no such function.
extern "C" __attribute__((visibility("default"))) double
torchprof_elapsed_time(void *First, void *Last, int) {
  return msBetween(First, Last);
}
