//===- ThreadCallback.h - a thread's callback for operators -----*- C++ -*-===//
//
// LibTorch keeps the callbacks of a thread in its thread-local state, which a
// task (at::launch) puts in place when it begins and takes away when it ends.
// If it throws, the callback goes before we have taken it away.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_THREADCALLBACK_H
#define TORCHPROF_THREADCALLBACK_H

#include <ATen/record_function.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace torchprof {

/// At most one callback of the calling thread. A forked child inherits this, as
/// it does the callback.
class ThreadCallback {
public:
  bool isThere() const {
    if (!Handle)
      return false;
    const auto &All = at::get_record_function_tls_().sorted_tls_callbacks_;
    return std::any_of(All.begin(), All.end(), [&](const auto &Entry) {
      return Entry.handle_ == *Handle;
    });
  }

  void add(at::RecordFunctionCallback Callback) {
    Handle = at::addThreadLocalCallback(std::move(Callback));
  }

  void remove() {
    if (isThere()) // else LibTorch warns
      at::removeCallback(*Handle);
    Handle.reset();
  }

private:
  std::optional<at::CallbackHandle> Handle;
};

} // namespace torchprof

#endif // TORCHPROF_THREADCALLBACK_H
