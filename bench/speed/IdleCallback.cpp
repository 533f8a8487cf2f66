//===- IdleCallback.cpp - what LibTorch's RecordFunction takes alone ------===//
//
// A callback for the calling thread's operators that does nothing. Whoever
// observes operators pays for it what LibTorch does to call one;
// bench/speed/measures.py subtracts that.
//
//===----------------------------------------------------------------------===//

#include <ATen/record_function.h>

#include <memory>

static std::unique_ptr<at::ObserverContext>
operatorBegins(const at::RecordFunction &) {
  return nullptr;
}

static void operatorEnds(const at::RecordFunction &, at::ObserverContext *) {}

extern "C" __attribute__((visibility("default"))) void
torchprofBenchObserveOperators() {
  at::addThreadLocalCallback(
      at::RecordFunctionCallback(operatorBegins, operatorEnds)
          .scopes({at::RecordScope::FUNCTION}));
}
