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

#include "DeviceApi.h"
#include "Devices.h"
#include "Versions.h"

#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include <atomic>
#include <dlfcn.h>
#include <exception>

namespace torchprof {

using Guard = c10::impl::DeviceGuardImplInterface;
using torch::jit::Stack;

//===----------------------------------------------------------------------===//
// What a device's library has beside
//===----------------------------------------------------------------------===//

namespace {

// Of CUDA's runtime, and of HIP's. They return 0 if all is well.
constexpr int NotReady = 600;
using ElapsedOfUs = double (*)(void *First, void *Last, int Device);
using ElapsedOfCuda = int (*)(float *Ms, void *First, void *Last);
using ExchangeMode = int (*)(int *Mode);
using NativeStream = void *(*)(const c10::Stream *);
using AskCapture = int (*)(void *Stream, int *Status);
using TakeError = int (*)();
using RecordIn = int (*)(void *Event, void *Stream);
using AskEvent = int (*)(void *Event);

/// Of the timed device's library.
struct Symbols {
  ElapsedOfUs Ours = nullptr;
  ElapsedOfCuda Cuda = nullptr;
  ExchangeMode Exchange = nullptr;
  NativeStream StreamOf = nullptr;
  AskCapture Capture = nullptr;
  TakeError Error = nullptr;
  RecordIn Record = nullptr;
  AskEvent Ask = nullptr;
  bool HaveEvents = false; ///< CUDA's own functions are called for events
};

/// The device that is timed. Set once, last.
std::atomic<const Guard *> Timed = nullptr;
Symbols Of;

/// True if the stream's work is captured into a graph, which would hold our
/// events then, and be ruined by a question. \p Native: its handle, if Of
/// tells.
bool isCaptured(const Guard &G, const c10::Stream &S, void *Native) {
  if (!Of.StreamOf || !Of.Capture)
    return versions::isCapturing(G, S).value_or(false);
  int Status = 0;
  if (Of.Capture(Native, &Status) == 0)
    return Status != 0;
  Of.Error(); // nobody else is to find it
  return true;
}

bool canTellTime() {
  return versions::TellsElapsedMs<Guard> || Of.Ours || Of.Cuda;
}

/// Milliseconds; negative if they cannot be told.
double msBetween(const Guard &G, void *First, void *Last, int32_t Device) {
  float CudaMs = -1;
  if (Of.Cuda) {
    if (Of.Cuda(&CudaMs, First, Last) == 0)
      return double(CudaMs);
    Of.Error();
    return -1;
  }
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
  // HIP's functions do the same and have its name.
  auto Either = [&](const char *Cuda, const char *Hip) {
    void *Found = Find(Cuda);
    return Found ? Found : Find(Hip);
  };
  Of.Error = reinterpret_cast<TakeError>(
      Either("cudaGetLastError", "hipGetLastError"));
  if (!Of.Error)
    return;
  Of.Cuda = reinterpret_cast<ElapsedOfCuda>(
      Either("cudaEventElapsedTime", "hipEventElapsedTime"));
  Of.Exchange = reinterpret_cast<ExchangeMode>(
      Either("cudaThreadExchangeStreamCaptureMode",
             "hipThreadExchangeStreamCaptureMode"));
  // c10::cuda::CUDAStream::stream(): a CUDAStream is a c10::Stream.
  Of.StreamOf = reinterpret_cast<NativeStream>(Either(
      "_ZNK3c104cuda10CUDAStream6streamEv", "_ZNK3c103hip9HIPStream6streamEv"));
  Of.Capture = reinterpret_cast<AskCapture>(
      Either("cudaStreamIsCapturing", "hipStreamIsCapturing"));
  Of.Record =
      reinterpret_cast<RecordIn>(Either("cudaEventRecord", "hipEventRecord"));
  Of.Ask =
      reinterpret_cast<AskEvent>(Either("cudaEventQuery", "hipEventQuery"));
  Of.HaveEvents = Of.StreamOf && Of.Record && Of.Ask && Of.Cuda && Of.Exchange;
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
  Stream = {Device.index(), S.id()};
  if (Of.StreamOf)
    Stream.Native = Of.StreamOf(&S);
  // A stream without a handle is the current device's.
  Stream.HasNative =
      Of.HaveEvents && (Stream.Native || IsCurrent || G.deviceCount() == 1 ||
                        G.getDevice() == Device);
  return !isCaptured(G, S, Stream.Native);
} catch (const std::exception &) {
  return false;
}

bool recordEvent(void *&Event, const DeviceStream &Stream) noexcept try {
  if (Event && Stream.HasNative) {
    if (Of.Record(Event, Stream.Native) == 0)
      return true;
    Of.Error();
    return false;
  }
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
  if (Of.Exchange)
    Of.Exchange(&Mode);
  return Mode;
}

void endAsking(int Mode) noexcept {
  if (Of.Exchange)
    Of.Exchange(&Mode);
}

EventState stateOf(void *Event) noexcept try {
  if (Of.HaveEvents) {
    int Result = Of.Ask(Event);
    if (Result == 0)
      return EventState::Reached;
    Of.Error(); // nobody else is to find it
    return Result == NotReady ? EventState::Waits : EventState::Failed;
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
