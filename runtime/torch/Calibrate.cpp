//===- Calibrate.cpp - what the machine does at most ----------------------===//
//
// A roofline needs the roof: operations per second where all data are at hand,
// and bytes per second of a copy that fits no cache. The best of some
// repetitions counts: what else runs on the machine can only slow them down.
//
// LibTorch takes products of matrices and convolutions from different
// libraries, one of which may be ten times faster (Debian's BLAS is not
// oneDNN): the faster one is the roof.
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"

#include "Control.h"
#include "Warn.h"
#include "torchprof/torchprof.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>

namespace torchprof {

static constexpr double DefaultSeconds = 0.5;

/// Seconds that \p Body takes at least, of repetitions in \p Budget seconds;
/// three of them in any case, after one that is not counted.
template <typename Function>
static double leastSeconds(double Budget, Function Body) {
  using Clock = std::chrono::steady_clock;
  auto SecondsSince = [](Clock::time_point Begin) {
    return std::chrono::duration<double>(Clock::now() - Begin).count();
  };
  Body();
  double Least = INFINITY;
  Clock::time_point Start = Clock::now();
  for (unsigned I = 0; I < 3 || SecondsSince(Start) < Budget; ++I) {
    Clock::time_point Begin = Clock::now();
    Body();
    Least = std::min(Least, SecondsSince(Begin));
  }
  return std::max(Least, 1e-9);
}

static format::MachineRecord measureMachine(double Seconds) {
  c10::NoGradGuard NoGrad;
  constexpr auto Type = at::kFloat; // whatever the host has as its default
  format::MachineRecord M{};
  M.Threads = uint32_t(at::get_num_threads());
  {
    constexpr int64_t Size = 768;
    constexpr double Flops = 2.0 * Size * Size * Size;
    at::Tensor A = at::ones({Size, Size}, Type);
    at::Tensor B = at::ones({Size, Size}, Type);
    at::Tensor Out = at::empty({Size, Size}, Type);
    M.FlopsPerSecond = uint64_t(
        Flops / leastSeconds(Seconds / 3, [&] { at::mm_out(Out, A, B); }));
  }
  {
    constexpr int64_t Images = 4, Channels = 128, Side = 28, Kernel = 3;
    constexpr double Flops =
        2.0 * Images * Side * Side * Channels * Channels * Kernel * Kernel;
    at::Tensor X = at::ones({Images, Channels, Side, Side}, Type);
    at::Tensor Weight = at::ones({Channels, Channels, Kernel, Kernel}, Type);
    double Least = leastSeconds(Seconds / 3, [&] {
      at::conv2d(X, Weight, /*bias=*/{}, /*stride=*/1, /*padding=*/1);
    });
    M.FlopsPerSecond = std::max(M.FlopsPerSecond, uint64_t(Flops / Least));
  }
  constexpr int64_t Floats = 16 << 20; // 64 MiB, more than caches hold
  at::Tensor From = at::ones({Floats}, Type), To = at::empty({Floats}, Type);
  constexpr double Bytes = 2.0 * Floats * sizeof(float);
  M.BytesPerSecond =
      uint64_t(Bytes / leastSeconds(Seconds / 3, [&] { To.copy_(From); }));
  return M;
}

std::atomic<bool> AwaitsFirstRun = true;

void firstRunBegins() noexcept {
  if (!AwaitsFirstRun.exchange(false))
    return;
  Options Now = currentOptions();
  if (Now.Enabled && Now.Calibrate && torchprof_calibrate(DefaultSeconds) != 0)
    warn("what the machine does at most is not measured: there is not enough "
         "memory");
}

} // namespace torchprof

int torchprof_calibrate(double Seconds) {
  using namespace torchprof;
  try {
    noteMachine(measureMachine(std::clamp(Seconds, 0.0, 60.0)));
    return 0;
  } catch (const std::exception &) {
    return ENOMEM; // LibTorch has nothing else to say here
  }
}
