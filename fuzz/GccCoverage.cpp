//===- GccCoverage.cpp - what GCC counts, in the form that libFuzzer takes ===//
//
// Clang's -fsanitize=fuzzer gives each edge a counter. GCC calls a function
// instead (-fsanitize-coverage=trace-pc), which counts here, by the address
// that it is called from. Comparisons have the same form in both
// (-fsanitize-coverage=trace-cmp, __sanitizer_cov_trace_cmp8 and others), but
// for floating point, where clang has none.
//
// Source: GCC's manual, "Program Instrumentation Options"; clang's
// SanitizerCoverage.html, section "Inline 8bit-counters".
//
//===----------------------------------------------------------------------===//

#include <cstddef>
#include <cstdint>

extern "C" void __sanitizer_cov_8bit_counters_init(uint8_t *Begin,
                                                   uint8_t *End);
extern "C" void __sanitizer_cov_trace_pc();
extern "C" void __sanitizer_cov_trace_cmpf(float, float) {}
extern "C" void __sanitizer_cov_trace_cmpd(double, double) {}

namespace {
// Several times the edges of the largest fuzzer, so that few share a counter.
constexpr size_t CounterCount = size_t(1) << 20;
uint8_t Counters[CounterCount];

/// The linker's: where the program begins. With addresses relative to it, the
/// same program has the same counters wherever it is loaded.
extern "C" const char __executable_start;

[[maybe_unused]] const bool Registered = [] {
  __sanitizer_cov_8bit_counters_init(Counters, Counters + CounterCount);
  return true;
}();
} // namespace

__attribute__((no_sanitize("address", "undefined"))) void
__sanitizer_cov_trace_pc() {
  auto Address = reinterpret_cast<uintptr_t>(__builtin_return_address(0)) -
                 reinterpret_cast<uintptr_t>(&__executable_start);
  ++Counters[Address % CounterCount];
}
