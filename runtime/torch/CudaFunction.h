//===- CudaFunction.h - CUDA's functions, of driver or runtime --*- C++ -*-===//
//
// What CUDA's runtime has for events and streams is its driver's under another
// name, and a bit more: 0.03 to 0.07 us a call (H100, CUDA 13). Only the
// runtime makes the device's context that of a thread where nobody has yet;
// without one the driver fails, and the runtime is called.
//
// Handles and results are the same for both, and for HIP's runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_CUDAFUNCTION_H
#define TORCHPROF_CUDAFUNCTION_H

namespace torchprof {

/// The result of a question that the device has not come to.
inline constexpr int CudaNotReady = 600;

/// Called as the runtime's function, whose result it has: 0 if all is well.
template <typename... Parameters> struct CudaFunction {
  using Pointer = int (*)(Parameters...);
  Pointer Driver = nullptr;         ///< null: the runtime's is called at once
  Pointer Runtime = nullptr;        ///< null: it may not be called
  int (*TakeLastError)() = nullptr; ///< the runtime's, with Runtime

  explicit operator bool() const { return Runtime; }

  int operator()(Parameters... Arguments) const {
    int Result = Driver ? Driver(Arguments...) : -1;
    if (Result == 0 || Result == CudaNotReady)
      return Result;
    Result = Runtime(Arguments...);
    // The runtime keeps an error for whoever asks next, who had none.
    if (Result != 0)
      TakeLastError();
    return Result;
  }
};

} // namespace torchprof

#endif // TORCHPROF_CUDAFUNCTION_H
