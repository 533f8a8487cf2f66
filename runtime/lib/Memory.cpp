//===- Memory.cpp - what tensors take on the CPU --------------------------===//

#include "Memory.h"

#include "Options.h"

#include <algorithm>
#include <atomic>

namespace torchprof {

using format::MeasureId;

thread_local constinit MemoryCounters ThisMemory{};

static std::atomic<MemoryHook> CountingHook = nullptr;

void setMemoryHook(MemoryHook Hook) { CountingHook = Hook; }

bool countsMemory() {
  MemoryHook Hook = CountingHook;
  return !Hook || Hook();
}

bool measuresMemory(const Options &Opts) {
  return hasWord(Opts.Record, "memory") || hasWord(Opts.Record, "blocks");
}

namespace {
/// The readings of a span, which its values replace.
enum Reading { Allocated, Freed, Peak, Allocations };
} // namespace

Memory::Memory()
    : MeasureSource({MeasureId::Allocated, MeasureId::Freed, MeasureId::Peak,
                     MeasureId::Allocations}) {}

bool Memory::beginRun() {
  MemoryCounters &M = ThisMemory;
  M.HeldAtRun = M.RunHigh = M.held();
  M.RunHighSite = format::NoSlot;
  return countsMemory();
}

void Memory::onBegin(uint64_t *Readings) {
  MemoryCounters &M = ThisMemory;
  Readings[Allocated] = M.Allocated;
  Readings[Freed] = M.Freed;
  Readings[Peak] = uint64_t(M.High); // of the span around
  Readings[Allocations] = M.Allocations;
  M.High = M.held();
}

void Memory::onEnd(uint64_t *Readings) {
  MemoryCounters &M = ThisMemory;
  auto HeldAtBegin = int64_t(Readings[Allocated] - Readings[Freed]);
  auto HighAround = int64_t(Readings[Peak]);
  Readings[Peak] = uint64_t(M.High - HeldAtBegin);
  M.High = std::max(M.High, HighAround);
  Readings[Allocated] = M.Allocated - Readings[Allocated];
  Readings[Freed] = M.Freed - Readings[Freed];
  Readings[Allocations] = M.Allocations - Readings[Allocations];
}

} // namespace torchprof
