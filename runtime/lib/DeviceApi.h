//===- DeviceApi.h - events of the framework's devices ----------*- C++ -*-===//
//
// The collector knows no device: whoever knows the framework's (runtime/torch/
// DeviceEvents.cpp) offers these functions. None may throw or wait for a
// device. Those of events may be called by any thread, one at a time per event.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_DEVICEAPI_H
#define TORCHPROF_DEVICEAPI_H

#include <cstdint>

namespace torchprof {

/// A stream, as the framework numbers it.
struct DeviceStream {
  int32_t Device = -1; ///< index of the device; negative: no stream
  int64_t Number = 0;
  /// For Record: the device's own handle, which says enough there and then if
  /// HasNative.
  void *Native = nullptr;
  bool HasNative = false;

  bool operator==(const DeviceStream &Other) const {
    return Device == Other.Device && Number == Other.Number;
  }
};

/// Indices that stand for no device, and for the thread's current one.
inline constexpr int32_t NoDevice = -1;
inline constexpr int32_t CurrentDevice = -2;

enum class EventState { Waits, Reached, Failed };

struct DeviceApi {
  /// True if there is a device that can be timed. May become true later.
  bool (*Find)();
  /// The device of the first tensor that lies on one, among the uppermost
  /// \p Count values of a stack; else NoDevice.
  int32_t (*DeviceOf)(const void *Stack, unsigned Count);
  /// The thread's current stream on a device. \p Stream holds an answer of
  /// before, or no stream: the handle of the same one is not asked for again.
  /// False if there is none, or if nothing may be recorded into it now.
  bool (*StreamOf)(int32_t Device, DeviceStream &Stream);
  /// Records \p Event, made if it is null, into the stream. False if that
  /// failed.
  bool (*Record)(void *&Event, const DeviceStream &Stream);
  /// Around calls of the two below, on one thread: what a stream captures
  /// meanwhile is not disturbed. The first returns what the second takes.
  int (*BeginAsking)();
  void (*EndAsking)(int);
  /// Whether the device has come to an event that was recorded.
  EventState (*StateOf)(void *Event);
  /// Nanoseconds between two events that were reached; negative if that cannot
  /// be told.
  double (*NsBetween)(void *First, void *Last, int32_t Device);
};

/// Names the functions, which live as long as the process. Before recording.
void setDeviceApi(const DeviceApi *Api);

/// The functions, null if the framework has none.
const DeviceApi *deviceApi();

} // namespace torchprof

#endif // TORCHPROF_DEVICEAPI_H
