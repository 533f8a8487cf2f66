//===- BusyOp.cpp - an operator that knows how long it took ---------------===//
//
//   torchprof_bench::busy(Tensor x, int id, int ticks) -> Tensor
//   torchprof_bench::truth(int id) -> int[]
//   torchprof_bench::forget() -> ()
//
// busy reads the clock until `ticks` have passed, returns x, and keeps what lay
// between its first and its last reading under `id`: that is the truth, not
// what was asked for, since the kernel may take the processor away meanwhile.
// It is an operator of the interpreter, not of the dispatcher, whose call would
// lie between the node's begin and the first reading.
// truth returns the spans kept so far, for ids below 64 and the last million,
// in ticks of the time-stamp counter, or in nanoseconds of CLOCK_MONOTONIC
// where there is none.
//
//===----------------------------------------------------------------------===//

#include <ATen/core/stack.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace {

/// The spans of one id. Keeping one costs next to nothing: no lock, no search,
/// no growing.
struct Kept {
  std::vector<int64_t> Values = std::vector<int64_t>(1 << 20);
  std::atomic<size_t> Count{0};
};

constexpr int64_t Ids = 64;
Kept Spans[Ids];

int64_t ticks() {
#if defined(__x86_64__)
  return static_cast<int64_t>(__rdtsc());
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

/// Between the two readings lies all but one store.
void busy(torch::jit::Stack &Stack) {
  int64_t Begin = ticks();
  int64_t Ticks = Stack.back().toInt();
  int64_t Id = Stack[Stack.size() - 2].toInt();
  torch::jit::drop(Stack, 2);
  Kept &K = Spans[Id % Ids];
  size_t Index = K.Count.fetch_add(1, std::memory_order_relaxed);
  int64_t &Span = K.Values[Index % K.Values.size()];
  Span = 0; // brings the line into the cache
  int64_t Now = ticks();
  while (Now - Begin < Ticks)
    Now = ticks();
  Span = Now - Begin;
}

std::vector<int64_t> truth(int64_t Id) {
  const Kept &K = Spans[Id % Ids];
  size_t Count = std::min(K.Count.load(), K.Values.size());
  return {K.Values.begin(), K.Values.begin() + static_cast<long>(Count)};
}

void forget() {
  for (Kept &K : Spans)
    K.Count = 0;
}

torch::jit::RegisterOperators Registered({torch::jit::Operator(
    "torchprof_bench::busy(Tensor x, int id, int ticks) -> Tensor", busy,
    c10::AliasAnalysisKind::FROM_SCHEMA)});

} // namespace

TORCH_LIBRARY(torchprof_bench, Library) {
  Library.def("truth(int id) -> int[]", truth);
  Library.def("forget() -> ()", forget);
}
