//===- CpuAllocator.cpp - sees the blocks of tensors come and go ----------===//
//
// Wraps LibTorch's allocator for the CPU: blocks come from it, and their
// deleter is exchanged for one that counts and then calls its own. So the
// wrapper can never be taken away again, and is put in place only when memory
// is recorded. It has the priority that hosts' own allocators have by default:
// one that is set later replaces it.
//
// LibTorch's own profiler sees the same blocks, inside of its allocator.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Versions.h"
#include "Warn.h"

#include <c10/core/CPUAllocator.h>

#include <atomic>
#include <malloc.h>

namespace torchprof {

namespace {

/// What stands in LibTorch's table.
struct Wrapped {
  c10::Allocator *Inner = nullptr;
  c10::DeleterFnPtr Delete = nullptr; ///< Inner's
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
  c10::Allocator *Inner = c10::GetAllocator(c10::kCPU);
  c10::Allocator *Default = c10::GetDefaultCPUAllocator();
  if (!Inner || !Inner->raw_deleter() ||
      Inner->raw_deleter() != Default->raw_deleter())
    return refuse("the host has set a CPU allocator of its own");
  Own = {Inner, Inner->raw_deleter()};
  c10::SetAllocator(c10::kCPU, &Counting);
  if (c10::GetAllocator(c10::kCPU) != &Counting)
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
    if (c10::GetAllocator(c10::kCPU)->raw_deleter() == &countAndDelete)
      return true;
    return refuse("the host has set another CPU allocator");
  case State::Refused:
    return false;
  }
  return false;
}

const bool IsRegistered = (setMemoryHook(&countBlocks), true);

} // namespace

} // namespace torchprof
