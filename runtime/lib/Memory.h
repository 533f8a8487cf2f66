//===- Memory.h - what tensors take -----------------------------*- C++ -*-===//
//
// Counts per thread, kept by whoever sees the blocks come and go: on the CPU
// the wrapper of LibTorch's allocator in runtime/torch/CpuAllocator.cpp, on
// devices what stands in front of their report in
// runtime/torch/DeviceBlocks.cpp. A block of the CPU is as large as
// malloc_usable_size() says, when it comes and when it goes, and one of a
// device as large as its allocator reports, so that what a span allocates and
// frees adds up to 0. A thread may free what another allocated: its numbers
// wrap around below 0, differences of them are right.
//
// The peak of a span is the most that its thread had allocated and not freed
// since the span began. If an exception leaves a span, those around it do not
// know the peak before that one began.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_MEMORY_H
#define TORCHPROF_MEMORY_H

#include "Books.h"
#include "Lane.h"
#include "MeasureCells.h"
#include "Process.h"

#include <algorithm>
#include <atomic>

namespace torchprof {

/// Bytes and blocks of a thread in one place, since it began.
struct MemoryCounters {
  uint64_t Allocated, Freed, Allocations;
  int64_t HeldOutside; ///< the part of held() that ProcessPage::HeldOutside got
  int64_t High;      ///< largest held() since the innermost measured span began
  int64_t HeldAtRun; ///< held() when the outermost run began
  int64_t RunHigh;   ///< largest since
  format::Slot RunHighSite; ///< the innermost span then

  int64_t held() const { return int64_t(Allocated - Freed); }
  void beginRun() {
    HeldAtRun = RunHigh = held();
    RunHighSite = format::NoSlot;
  }
};

// A free may come late in a thread's life: nothing is to be destroyed.
extern thread_local constinit MemoryCounters ThisMemory
    [[gnu::tls_model("initial-exec")]][format::MemoryPlaceCount];

inline MemoryCounters &memoryIn(format::MemoryPlace Place) {
  MemoryCounters *M = &ThisMemory[unsigned(Place)];
  // Else the compiler forms the address again for each counter.
  asm("" : "+r"(M));
  return *M;
}

/// Null unless books are kept.
inline Books *booksOf(format::MemoryPlace Place) {
  return Process.Ledgers[unsigned(Place)].load(std::memory_order_acquire);
}

/// The innermost open span of the calling thread.
inline format::Slot innermostSite() {
  const Lane *L = ThisLane;
  return L && L->Owner ? format::slotOfCurrent(L->Current) : format::NoSlot;
}

/// The same, but none where that one waits for a task: its run may go on on
/// another thread, while the host of this one goes on here.
format::Slot innermostRunningSite();

/// What the calling thread holds has changed by \p Bytes. With no open span
/// whose end will tell, which may be for ever, that is left to the next level
/// of whatever thread.
inline void noteHeldOutside(MemoryCounters &M, format::MemoryPlace Place,
                            int64_t Bytes) {
  if (!Process.KeepsSpanLevels.load(std::memory_order_relaxed) ||
      innermostRunningSite() != format::NoSlot)
    return;
  M.HeldOutside += Bytes;
  Process.HeldOutside[unsigned(Place)].fetch_add(Bytes,
                                                 std::memory_order_relaxed);
}

/// The calling thread has got \p Block, null if its address says nothing.
inline void
noteAllocated(uint64_t Bytes, const void *Block = nullptr,
              format::MemoryPlace Place = format::MemoryPlace::Cpu) {
  MemoryCounters &M = memoryIn(Place);
  M.Allocated += Bytes;
  ++M.Allocations;
  if (M.held() > M.High) {
    M.High = M.held();
    if (M.High > M.RunHigh) {
      M.RunHigh = M.High;
      M.RunHighSite = innermostSite();
    }
  }
  noteHeldOutside(M, Place, int64_t(Bytes));
  if (Books *B = booksOf(Place); B && Block)
    B->allocated(Block, Bytes);
}

/// It gives one back.
inline void noteFreed(uint64_t Bytes, const void *Block = nullptr,
                      format::MemoryPlace Place = format::MemoryPlace::Cpu) {
  MemoryCounters &M = memoryIn(Place);
  M.Freed += Bytes;
  noteHeldOutside(M, Place, -int64_t(Bytes));
  if (Books *B = booksOf(Place); B && Block)
    B->freed(Block, Bytes);
}

/// Set when the first block of a device is seen: not all of them report blocks.
extern std::atomic<bool> SeesDeviceBlocks;

/// The calling thread has got a block of a device.
inline void noteDeviceAllocated(uint64_t Bytes, const void *Block = nullptr) {
  noteAllocated(Bytes, Block, format::MemoryPlace::Devices);
  if (!SeesDeviceBlocks.load(std::memory_order_relaxed))
    SeesDeviceBlocks.store(true, std::memory_order_relaxed);
}

/// It gives one back.
inline void noteDeviceFreed(uint64_t Bytes, const void *Block = nullptr) {
  noteFreed(Bytes, Block, format::MemoryPlace::Devices);
}

/// Makes sure that blocks are counted from now on; false if they cannot be, or
/// not any more, after one warning. Called under the process lock or at the
/// begin of runs; must not block.
using MemoryHook = bool (*)();

/// Names who counts blocks. Without a hook somebody is taken to do it.
void setMemoryHook(MemoryHook Hook);

/// Names who counts blocks of devices, in the same way; the hook is true if the
/// process uses a device. Without one it uses none.
void setDeviceMemoryHook(MemoryHook Hook);

/// Calls the hook.
bool countsMemory();

/// True if the options ask for memory.
bool measuresMemory(const Options &Opts);

/// What the sources of Measures.h below have in common: a group of \p Ids, read
/// off the calling thread's counters of \p Place.
template <format::MemoryPlace Place, format::MeasureId... Ids>
struct BlockSource {
  using Group = MeasureGroup<Ids...>;
  /// The readings and the values of a span.
  enum Reading { Allocated, Freed, Peak, Allocations };

  static void onBegin(uint64_t *Readings) {
    MemoryCounters &M = memoryIn(Place);
    Readings[Allocated] = M.Allocated;
    Readings[Freed] = M.Freed;
    Readings[Peak] = uint64_t(M.High); // of the span around
    Readings[Allocations] = M.Allocations;
    M.High = M.held();
  }
  static void onEnd(const uint64_t *Readings, uint64_t *Values) {
    MemoryCounters &M = memoryIn(Place);
    auto HeldAtBegin = int64_t(Readings[Allocated] - Readings[Freed]);
    auto HighAround = int64_t(Readings[Peak]);
    Values[Peak] = uint64_t(M.High - HeldAtBegin);
    M.High = std::max(M.High, HighAround);
    Values[Allocated] = M.Allocated - Readings[Allocated];
    Values[Freed] = M.Freed - Readings[Freed];
    Values[Allocations] = M.Allocations - Readings[Allocations];
  }

  static int64_t netBytes(const uint64_t *Values) {
    return int64_t(Values[Allocated] - Values[Freed]);
  }
};

struct Memory
    : BlockSource<format::MemoryPlace::Cpu, format::MeasureId::Allocated,
                  format::MeasureId::Freed, format::MeasureId::Peak,
                  format::MeasureId::Allocations> {
  static bool isWanted(const Options &Opts);
  static bool beginRun();
  static constexpr bool isBooked() { return true; }
};

struct DeviceMemory
    : BlockSource<format::MemoryPlace::Devices,
                  format::MeasureId::DeviceAllocated,
                  format::MeasureId::DeviceFreed, format::MeasureId::DevicePeak,
                  format::MeasureId::DeviceAllocations> {
  static bool isWanted(const Options &Opts);
  static bool beginRun();
  static bool isBooked() {
    return SeesDeviceBlocks.load(std::memory_order_relaxed);
  }
};

} // namespace torchprof

#endif // TORCHPROF_MEMORY_H
