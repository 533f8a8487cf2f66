//===- CpuAllocator.cpp - sees the blocks of tensors come and go ----------===//
//
// Wraps LibTorch's allocator for the CPU: blocks come from where it takes them,
// and their deleter is one that counts and then calls its own. So the
// wrapper can never be taken away again, and is put in place only when memory
// is recorded. It has the priority that hosts' own allocators have by default:
// one that is set later replaces it.
//
// LibTorch's own profiler sees the same blocks, inside of its allocator.
//
//===----------------------------------------------------------------------===//

#include "LoaderSlots.h"
#include "Memory.h"
#include "Versions.h"
#include "Warn.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <atomic>
#include <malloc.h>

namespace torchprof {

namespace {

/// What stands in LibTorch's table.
struct Wrapped {
  c10::Allocator *Inner = nullptr;
  c10::DeleterFnPtr Delete = nullptr; ///< Inner's
  c10::DeleterFnPtr Counts = nullptr; ///< ours in its place
};

Wrapped Own;

[[gnu::hot]] void countAndDelete(void *Data) {
  if (Data)
    noteFreed(malloc_usable_size(Data), Data);
  Own.Delete(Data);
}

[[gnu::hot]] c10::DataPtr allocateCounted(size_t Bytes) {
  c10::DataPtr Block = Own.Inner->allocate(Bytes);
  if (Block.get() && Block.get() == Block.get_context() &&
      Block.compare_exchange_deleter(Own.Delete, &countAndDelete))
    noteAllocated(malloc_usable_size(Block.get()), Block.get());
  return Block;
}

// The same where Inner is LibTorch's own, step by step as that one does it
// (DefaultCPUAllocator in c10/core/CPUAllocator.cpp). A call of it would be one
// frame more at the deepest point of most operators, where the processor's
// stack of return addresses is full, and costs a misprediction, some 15 ns; and
// its deleter goes through four more lines of code, three of them linkers'
// stubs.

/// Whether the reporter would do anything: it asks the same.
bool isReported() {
  return FLAGS_caffe2_report_cpu_memory_usage || c10::memoryProfilingEnabled();
}

[[gnu::hot]] void countAndDeleteAsDefault(void *Data) {
  if (!Data)
    return;
  noteFreed(malloc_usable_size(Data), Data);
  if (isReported()) [[unlikely]]
    c10::profiledCPUMemoryReporter().Delete(Data);
  c10::free_cpu(Data);
}

[[gnu::hot]] c10::DataPtr allocateAsDefault(size_t Bytes) {
  void *Data;
  try {
    Data = c10::alloc_cpu(Bytes);
  } catch (const c10::Error &) {
    c10::profiledCPUMemoryReporter().OutOfMemory(Bytes);
    throw;
  }
  if (isReported()) [[unlikely]]
    c10::profiledCPUMemoryReporter().New(Data, Bytes);
  if (Data)
    noteAllocated(malloc_usable_size(Data), Data);
  return {Data, Data, &countAndDeleteAsDefault, c10::Device(c10::kCPU)};
}

enum class State { Idle, Counting, Refused };

std::atomic<State> Now = State::Idle;

/// Warns, once, and stays off.
bool refuse(const char *Why) {
  if (Now.exchange(State::Refused) != State::Refused)
    warn("memory is not recorded: %s", Why);
  return false;
}

bool install() {
  static versions::AllocatorOf<allocateCounted, countAndDelete> Counting;
  static versions::AllocatorOf<allocateAsDefault, countAndDeleteAsDefault>
      AsDefault;
  c10::Allocator *Inner = c10::GetAllocator(c10::kCPU);
  c10::Allocator *Default = c10::GetDefaultCPUAllocator();
  if (!Inner || !Inner->raw_deleter() ||
      Inner->raw_deleter() != Default->raw_deleter())
    return refuse("the host has set a CPU allocator of its own");
  // From 2.10 on c10 may have been built to take blocks from mimalloc, which is
  // a part of it then. malloc does not know their sizes.
  if (!callsByName(Default, "posix_memalign"))
    return refuse("LibTorch does not take its CPU memory from malloc");
  c10::Allocator *Wrapper = &Counting;
  if (Inner == Default)
    Wrapper = &AsDefault;
  Own = {Inner, Inner->raw_deleter(), Wrapper->raw_deleter()};
  c10::SetAllocator(c10::kCPU, Wrapper);
  if (c10::GetAllocator(c10::kCPU) != Wrapper)
    return refuse("LibTorch keeps its CPU allocator");
  Now = State::Counting;
  return true;
}

/// A MemoryHook.
bool countBlocks() {
  switch (Now) {
  case State::Idle:
    return install();
  case State::Counting:
    if (c10::GetAllocator(c10::kCPU)->raw_deleter() == Own.Counts)
      return true;
    return refuse("the host has set another CPU allocator");
  case State::Refused:
    return false;
  }
  return false;
}

const bool CountsCpuBlocks = (setMemoryHook(&countBlocks), true);

} // namespace

} // namespace torchprof
