//===- Memory.cpp - what tensors take on the CPU --------------------------===//

#include "Memory.h"

#include "Options.h"

#include <atomic>

namespace torchprof {

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

bool Memory::isWanted(const Options &Opts) {
  return measuresMemory(Opts) && countsMemory();
}

bool Memory::beginRun() {
  MemoryCounters &M = ThisMemory;
  M.HeldAtRun = M.RunHigh = M.held();
  M.RunHighSite = format::NoSlot;
  return countsMemory();
}

} // namespace torchprof
