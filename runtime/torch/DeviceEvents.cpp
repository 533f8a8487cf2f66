//===- DeviceEvents.cpp - events of LibTorch's devices --------------------===//
//
// What c10 offers for every device: its guard records and asks events, without
// anything of the device being linked. The first type that has a device and is
// not the CPU is the one that is timed (Devices.h).
//
// c10 tells the time between two events from LibTorch 2.4 on, and whether a
// stream is captured from 2.13 on. Before, CUDA's own functions are looked for.
// The first may also be one that the backend's library exports for us (below).
// CUDA's own functions also record and ask events, where they are found: what
// c10 does around them takes longer than they do (H200, LibTorch 2.11: 1.7 us
// instead of 1.2 to record, 1.4 instead of 0.3 to ask).
//
//   extern "C" double torchprof_elapsed_time(void *First, void *Last,
//                                            int Device); // milliseconds
//
//===----------------------------------------------------------------------===//

#include "CudaFunction.h"
#include "DeviceApi.h"
#include "Devices.h"
#include "Versions.h"

#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include <atomic>
#include <dlfcn.h>
#include <exception>
#include <string>

namespace torchprof {

using Guard = c10::impl::DeviceGuardImplInterface;
using torch::jit::Stack;

//===----------------------------------------------------------------------===//
// What a device's library has beside
//===----------------------------------------------------------------------===//

namespace {

using ElapsedOfUs = double (*)(void *First, void *Last, int Device);
using NativeStream = void *(*)(const c10::Stream *);

/// Of the timed device's library.
struct Symbols {
  ElapsedOfUs Ours = nullptr;
  NativeStream StreamOf = nullptr;
  CudaFunction<float *, void *, void *> Elapsed; ///< ms, first and last event
  CudaFunction<int *> ExchangeMode;
  CudaFunction<void *, int *> IsCapturing; ///< a stream
  CudaFunction<void *, void *> Record;     ///< an event in a stream
  CudaFunction<void *> Ask;                ///< an event
  bool HaveEvents = false; ///< CUDA's own functions are called for events
};

/// The device that is timed. Set once, last.
std::atomic<const Guard *> Timed = nullptr;
Symbols Of;

/// True if the stream's work is captured into a graph, which would hold our
/// events then, and be ruined by a question. \p Native: its handle, if Of
/// tells.
bool isCaptured(const Guard &G, const c10::Stream &S, void *Native) {
  if (!Of.StreamOf || !Of.IsCapturing)
    return versions::isCapturing(G, S).value_or(false);
  int Status = 0;
  return Of.IsCapturing(Native, &Status) != 0 || Status != 0;
}

bool canTellTime() {
  return versions::TellsElapsedMs<Guard> || Of.Ours || Of.Elapsed;
}

/// Milliseconds; negative if they cannot be told.
double msBetween(const Guard &G, void *First, void *Last, int32_t Device) {
  float CudaMs = -1;
  if (Of.Elapsed)
    return Of.Elapsed(&CudaMs, First, Last) == 0 ? double(CudaMs) : -1;
  if (auto Ms = versions::elapsedMs(G, First, Last, c10::DeviceIndex(Device)))
    return *Ms;
  return Of.Ours ? Of.Ours(First, Last, Device) : -1;
}

void findSymbols(const Guard &G) {
  void *Library = libraryOf(G);
  if (!Library)
    return;
  auto Find = [&](const char *Name) { return dlsym(Library, Name); };
  Of.Ours = reinterpret_cast<ElapsedOfUs>(Find("torchprof_elapsed_time"));
  if (G.type() != c10::DeviceType::CUDA)
    return;
  // HIP's functions do the same, in LibTorch they go by CUDA's name.
  bool IsHip = !Find("cudaGetLastError");
  auto TakeLastError = reinterpret_cast<int (*)()>(
      Find(IsHip ? "hipGetLastError" : "cudaGetLastError"));
  if (!TakeLastError)
    return;
  void *Driver =
      IsHip ? nullptr : dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  auto FindFunction = [&]<typename... P>(CudaFunction<P...> &F, void *Driver,
                                         const std::string &Name) {
    using Pointer = typename CudaFunction<P...>::Pointer;
    void *OfDriver = Driver ? dlsym(Driver, ("cu" + Name).c_str()) : nullptr;
    void *OfRuntime = Find(((IsHip ? "hip" : "cuda") + Name).c_str());
    F = {reinterpret_cast<Pointer>(OfDriver),
         reinterpret_cast<Pointer>(OfRuntime), TakeLastError};
  };
  // Of its two in the driver the one with this name takes 2.5 us (CUDA 13).
  FindFunction(Of.Elapsed, nullptr, "EventElapsedTime");
  FindFunction(Of.ExchangeMode, Driver, "ThreadExchangeStreamCaptureMode");
  FindFunction(Of.IsCapturing, Driver, "StreamIsCapturing");
  FindFunction(Of.Record, Driver, "EventRecord");
  FindFunction(Of.Ask, Driver, "EventQuery");
  // c10::cuda::CUDAStream::stream(): a CUDAStream is a c10::Stream.
  Of.StreamOf = reinterpret_cast<NativeStream>(
      Find(IsHip ? "_ZNK3c103hip9HIPStream6streamEv"
                 : "_ZNK3c104cuda10CUDAStream6streamEv"));
  Of.HaveEvents =
      Of.StreamOf && Of.Record && Of.Ask && Of.Elapsed && Of.ExchangeMode;
}

//===----------------------------------------------------------------------===//
// The functions of DeviceApi
//===----------------------------------------------------------------------===//

bool find() noexcept {
  if (Timed.load(std::memory_order_acquire))
    return true;
  const Guard *G = findDevice([](const Guard &G) {
    findSymbols(G);
    return canTellTime();
  });
  if (G)
    Timed.store(G, std::memory_order_release);
  return G;
}

const Guard *timed() { return Timed.load(std::memory_order_acquire); }

int32_t deviceOf(const at::Tensor &T, c10::DeviceType Type) {
  if (!T.defined() || T.device().type() != Type)
    return NoDevice;
  // A tensor that names no index lies on the current device.
  return T.device().has_index() ? T.device().index() : CurrentDevice;
}

int32_t deviceOf(const c10::IValue &V, c10::DeviceType Type) {
  if (V.isTensor())
    return deviceOf(V.toTensor(), Type);
  if (!V.isList())
    return NoDevice;
  for (const c10::IValue &Element : V.toListRef()) {
    if (!Element.isTensor() && !Element.isNone())
      return NoDevice; // a list of something else
    if (int32_t Device = deviceOf(Element, Type); Device != NoDevice)
      return Device;
  }
  return NoDevice;
}

int32_t deviceOfValues(const void *Values, unsigned Count) noexcept try {
  const auto &S = *static_cast<const Stack *>(Values);
  c10::DeviceType Type = timed()->type();
  for (size_t I = S.size() - std::min<size_t>(Count, S.size()); I < S.size();
       ++I)
    if (int32_t Device = deviceOf(S[I], Type); Device != NoDevice)
      return Device;
  return NoDevice;
} catch (const std::exception &) { // a tensor without a device
  return NoDevice;
}

/// True unless what comes next would be the first to use the device.
bool isInUse(const c10::Device &Device) {
  if (Device.type() != c10::DeviceType::CUDA)
    return true;
  // A device that is in use stays so.
  static std::atomic<uint64_t> Known = 0;
  uint64_t Bit = uint64_t(1) << (Device.index() & 63);
  if (Known.load(std::memory_order_relaxed) & Bit)
    return true;
  if (!at::detail::getCUDAHooks().hasPrimaryContext(Device.index()))
    return false;
  if (Device.index() < 64)
    Known.fetch_or(Bit, std::memory_order_relaxed);
  return true;
}

bool streamOf(int32_t Index, DeviceStream &Stream) noexcept try {
  const Guard &G = *timed();
  bool IsCurrent = Index == CurrentDevice;
  c10::Device Device = IsCurrent
                           ? G.getDevice()
                           : c10::Device(G.type(), c10::DeviceIndex(Index));
  if (!isInUse(Device))
    return false;
  c10::Stream S = G.getStream(Device);
  DeviceStream Found{Device.index(), S.id()};
  if (Stream == Found)
    Found.Native = Stream.Native;
  else if (Of.StreamOf)
    Found.Native = Of.StreamOf(&S);
  Stream = Found;
  // A stream without a handle is the current device's.
  Stream.HasNative =
      Of.HaveEvents && (Stream.Native || IsCurrent || G.deviceCount() == 1 ||
                        G.getDevice() == Device);
  return !isCaptured(G, S, Stream.Native);
} catch (const std::exception &) {
  return false;
}

bool recordEvent(void *&Event, const DeviceStream &Stream) noexcept try {
  if (Event && Stream.HasNative)
    return Of.Record(Event, Stream.Native) == 0;
  const Guard &G = *timed();
  auto Index = c10::DeviceIndex(Stream.Device);
  c10::Stream S(c10::Stream::UNSAFE, c10::Device(G.type(), Index),
                Stream.Number);
  G.record(&Event, S, Index, c10::EventFlag::BACKEND_DEFAULT);
  return true;
} catch (const std::exception &) {
  return false;
}

/// Asking an event would end a capture of CUDA's, unless the thread that asks
/// says that it means no harm.
int beginAsking() noexcept {
  int Mode = 2; // cudaStreamCaptureModeRelaxed
  if (Of.ExchangeMode)
    Of.ExchangeMode(&Mode);
  return Mode;
}

void endAsking(int Mode) noexcept {
  if (Of.ExchangeMode)
    Of.ExchangeMode(&Mode);
}

EventState stateOf(void *Event) noexcept try {
  if (Of.HaveEvents) {
    int Result = Of.Ask(Event);
    return Result == 0              ? EventState::Reached
           : Result == CudaNotReady ? EventState::Waits
                                    : EventState::Failed;
  }
  return timed()->queryEvent(Event) ? EventState::Reached : EventState::Waits;
} catch (const std::exception &) {
  return EventState::Failed;
}

double nsBetween(void *First, void *Last, int32_t Device) noexcept try {
  return msBetween(*timed(), First, Last, Device) * 1e6;
} catch (const std::exception &) {
  return -1;
}

constexpr DeviceApi Api{find,        deviceOfValues, streamOf, recordEvent,
                        beginAsking, endAsking,      stateOf,  nsBetween};

const bool IsOffered = (setDeviceApi(&Api), true);

} // namespace

} // namespace torchprof
