//===- Memory.cpp - what tensors take -------------------------------------===//

#include "Memory.h"

#include "OpenFrames.h"
#include "Options.h"

namespace torchprof {

using format::isUnlogged;
using format::MeasureId;
using format::MemoryPlace;
using format::MemoryPlaceCount;
using format::NoSlot;
using format::recordWord;
using format::Slot;

thread_local constinit MemoryCounters ThisMemory[MemoryPlaceCount]{};
std::atomic<bool> SeesDeviceBlocks = false;

Slot innermostRunningSite() {
  Slot Site = innermostSite();
  // One that waits is a pair. Spans of one native frame are not in the log.
  bool Waits =
      Site != NoSlot && !isUnlogged(ThisLane->Current) && isSuspended(Site);
  return Waits ? NoSlot : Site;
}

static std::atomic<MemoryHook> CountingHook = nullptr;
static std::atomic<MemoryHook> DeviceHook = nullptr;

void setMemoryHook(MemoryHook Hook) { CountingHook = Hook; }
void setDeviceMemoryHook(MemoryHook Hook) { DeviceHook = Hook; }

bool countsMemory() {
  MemoryHook Hook = CountingHook;
  return !Hook || Hook();
}

bool measuresMemory(const Options &Opts) {
  return hasWord(Opts.Record, recordWord(MeasureId::Allocated)) ||
         hasWord(Opts.Record, "blocks");
}

bool Memory::isWanted(const Options &Opts) {
  return measuresMemory(Opts) && countsMemory();
}

bool Memory::beginRun() {
  memoryIn(MemoryPlace::Cpu).beginRun();
  return countsMemory();
}

bool DeviceMemory::isWanted(const Options &Opts) {
  return measuresMemory(Opts) && DeviceHook.load();
}

bool DeviceMemory::beginRun() {
  memoryIn(MemoryPlace::Devices).beginRun();
  return DeviceHook.load()();
}

} // namespace torchprof
