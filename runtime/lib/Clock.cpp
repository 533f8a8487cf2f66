//===- Clock.cpp - the tick clock of the runtime --------------------------===//
//
// The kernel removes `tsc` from available_clocksource when it has seen the
// counters of two processors drift apart or the counter stop in idle states,
// so that list is the kernel's word on trust. Under a hypervisor the current
// source is often the paravirtual one although the counter is sound.
//
//===----------------------------------------------------------------------===//

#include "Clock.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>

namespace torchprof::clock {

using processor::TheCounter;

bool UseCounter = false;

static uint64_t (*Injected)() = nullptr;
static bool ChosenCounter = false;
static std::atomic<uint64_t> Nominal{0};

static uint64_t systemNs(clockid_t Id) {
  timespec Time;
  clock_gettime(Id, &Time);
  return uint64_t(Time.tv_sec) * 1'000'000'000u + uint64_t(Time.tv_nsec);
}

uint64_t slowTicks() {
  return Injected ? Injected() : systemNs(CLOCK_MONOTONIC);
}

bool isListed(std::string_view Sources, std::string_view Source) {
  while (!Sources.empty()) {
    size_t End = Sources.find_first_of(" \n");
    if (Sources.substr(0, End) == Source)
      return true;
    if (End == std::string_view::npos)
      break;
    Sources.remove_prefix(End + 1);
  }
  return false;
}

static bool kernelLists(std::string_view Source) {
  char Text[256];
  size_t Length = 0;
  if (FILE *File = fopen("/sys/devices/system/clocksource/clocksource0/"
                         "available_clocksource",
                         "re")) {
    Length = fread(Text, 1, sizeof(Text), File);
    fclose(File);
  }
  return isListed({Text, Length}, Source);
}

void choose(std::string_view Which) {
  ChosenCounter = processor::HasCounter &&
                  (Which == TheCounter.Option ||
                   (Which == "auto" && processor::counterIsInvariant() &&
                    kernelLists(TheCounter.Source)));
  UseCounter = ChosenCounter && !Injected;
  Nominal.store(0, std::memory_order_relaxed);
}

void inject(uint64_t (*Source)()) {
  Injected = Source;
  UseCounter = ChosenCounter && !Injected;
  Nominal.store(0, std::memory_order_relaxed);
}

format::ClockKind kind() {
  if (Injected)
    return format::ClockKind::Injected;
  return UseCounter ? TheCounter.Kind : format::ClockKind::Monotonic;
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

uint64_t nominalRate(uint64_t Stated, uint64_t Measured) {
  uint64_t Apart = std::max(Stated, Measured) - std::min(Stated, Measured);
  return Apart > Measured / 100 ? Measured : Stated;
}

uint64_t nominalTicksPerSecond() {
  uint64_t Known = Nominal.load(std::memory_order_relaxed);
  if (Known)
    return Known;
  if (!UseCounter) {
    Known = 1'000'000'000;
  } else {
    format::ClockAnchor First = readAnchor(), Last;
    do
      Last = readAnchor();
    while (Last.MonotonicNs - First.MonotonicNs < 1'000'000);
    double Ticks = double(Last.Ticks - First.Ticks);
    double Ns = double(Last.MonotonicNs - First.MonotonicNs);
    Known =
        nominalRate(processor::statedFrequency(), uint64_t(Ticks / Ns * 1e9));
  }
  Nominal.store(Known, std::memory_order_relaxed);
  return Known;
}

bool isBefore(uint64_t Now, uint64_t Then) {
  return Now < Then && Then - Now > nominalTicksPerSecond() / 1000;
}

uint64_t leastStepOf(uint64_t (*Read)()) {
  constexpr unsigned Steps = 64, MostReadings = 100'000;
  uint64_t Least = 0, Last = Read();
  for (unsigned Seen = 0, I = 0; Seen < Steps && I < MostReadings; ++I) {
    uint64_t Now = Read();
    if (Now > Last)
      Least = Seen++ ? std::min(Least, Now - Last) : Now - Last;
    Last = Now;
  }
  return Least;
}

uint64_t leastStep() { return leastStepOf(ticks); }

} // namespace torchprof::clock
