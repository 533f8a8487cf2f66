//===- Clock.cpp - the tick clock of the runtime --------------------------===//
//
// The kernel removes `tsc` from available_clocksource when it has seen the
// counters of two processors drift apart or the counter stop in idle states,
// so that list is the kernel's word on trust. Under a hypervisor the current
// source is often the paravirtual one although the counter is sound.
//
//===----------------------------------------------------------------------===//

#include "Clock.h"

#include <atomic>
#include <cstdio>
#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace torchprof::clock {

bool UseTsc = false;

static uint64_t (*Injected)() = nullptr;
static bool ChosenTsc = false;
static std::atomic<uint64_t> Nominal{0};

static uint64_t systemNs(clockid_t Id) {
  timespec Time;
  clock_gettime(Id, &Time);
  return uint64_t(Time.tv_sec) * 1'000'000'000u + uint64_t(Time.tv_nsec);
}

uint64_t slowTicks() {
  return Injected ? Injected() : systemNs(CLOCK_MONOTONIC);
}

bool tscIsTrusted(std::string_view Sources, bool Invariant) {
  if (!Invariant)
    return false;
  while (!Sources.empty()) {
    size_t End = Sources.find_first_of(" \n");
    if (Sources.substr(0, End) == "tsc")
      return true;
    if (End == std::string_view::npos)
      break;
    Sources.remove_prefix(End + 1);
  }
  return false;
}

static bool counterIsInvariant() {
#if defined(__x86_64__)
  unsigned A, B, C, D;
  return __get_cpuid(0x80000007, &A, &B, &C, &D) && (D & (1u << 8));
#else
  return false;
#endif
}

static bool machineTrustsTsc() {
  char Text[256];
  size_t Length = 0;
  if (FILE *File = fopen("/sys/devices/system/clocksource/clocksource0/"
                         "available_clocksource",
                         "re")) {
    Length = fread(Text, 1, sizeof(Text), File);
    fclose(File);
  }
  return tscIsTrusted({Text, Length}, counterIsInvariant());
}

void choose(std::string_view Which) {
#if defined(__x86_64__)
  ChosenTsc = Which == "tsc" || (Which != "monotonic" && machineTrustsTsc());
#else
  (void)Which;
#endif
  UseTsc = ChosenTsc && !Injected;
  Nominal.store(0, std::memory_order_relaxed);
}

void inject(uint64_t (*Source)()) {
  Injected = Source;
  UseTsc = ChosenTsc && !Injected;
  Nominal.store(0, std::memory_order_relaxed);
}

format::ClockKind kind() {
  if (Injected)
    return format::ClockKind::Injected;
  return UseTsc ? format::ClockKind::Tsc : format::ClockKind::Monotonic;
}

format::ClockAnchor readAnchor() {
  format::ClockAnchor Best{};
  for (unsigned Try = 0; Try < 5; ++Try) {
    uint64_t Before = systemNs(CLOCK_MONOTONIC);
    uint64_t Ticks = ticks();
    uint64_t Realtime = systemNs(CLOCK_REALTIME);
    uint64_t After = systemNs(CLOCK_MONOTONIC);
    if (Try == 0 || After - Before < Best.UncertaintyNs)
      Best = {Ticks, Before + (After - Before) / 2, Realtime, After - Before};
  }
  return Best;
}

uint64_t nominalTicksPerSecond() {
  uint64_t Known = Nominal.load(std::memory_order_relaxed);
  if (Known)
    return Known;
  if (kind() != format::ClockKind::Tsc) {
    Known = 1'000'000'000;
  } else {
    format::ClockAnchor First = readAnchor(), Last;
    do
      Last = readAnchor();
    while (Last.MonotonicNs - First.MonotonicNs < 1'000'000);
    double Ticks = double(Last.Ticks - First.Ticks);
    double Ns = double(Last.MonotonicNs - First.MonotonicNs);
    Known = uint64_t(Ticks / Ns * 1e9);
  }
  Nominal.store(Known, std::memory_order_relaxed);
  return Known;
}

} // namespace torchprof::clock
