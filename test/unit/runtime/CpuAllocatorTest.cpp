//===- CpuAllocatorTest.cpp - the blocks of tensors -----------------------===//

#include "LoaderSlots.h"
#include "TorchSupport.h"
#include "torchprof/Runtime.h"
#include "torchprof/torchprof.h"

#include <ATen/ATen.h>
#include <c10/core/CPUAllocator.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>

using namespace torchprof;
using namespace torchprof::test;
using namespace torchprof::format;

namespace {

/// An allocator of a host.
struct HostAllocator final : c10::Allocator {
  HostAllocator(c10::DataPtr (*Block)(size_t), c10::DeleterFnPtr Release)
      : Block(Block), Release(Release) {}
  c10::DataPtr allocate(size_t Bytes) const { return Block(Bytes); }
  c10::DataPtr allocate(size_t Bytes) { return Block(Bytes); }
  c10::DeleterFnPtr raw_deleter() const { return Release; }
  void copy_data(void *To, const void *From, size_t Bytes) const {
    memcpy(To, From, Bytes);
  }

  c10::DataPtr (*Block)(size_t);
  c10::DeleterFnPtr Release;
};

/// One that LibTorch's has nothing to do with.
HostAllocator &mallocs() {
  static HostAllocator Own(
      [](size_t Bytes) -> c10::DataPtr {
        void *Data = ::malloc(Bytes);
        return {Data, Data, &::free, c10::kCPU};
      },
      &::free);
  return Own;
}

uint64_t allocationsIn(const TestFolder &Folder) {
  return readProfile(Folder.file("p.tprof"))
      .measure(MeasureId::Allocations, 1)
      .Sum;
}

/// Runs of a model whose one node allocates a million bytes.
void run(int Times) {
  static auto Manifest = makeManifest(manifestText(7, 20));
  static auto Model = probedRelu();
  at::Tensor X = at::randn({1000, 250});
  for (int I = 0; I < Times; ++I)
    interpret(Model, {Manifest, X});
}

} // namespace

TEST(CpuAllocator, BlocksOfTensorsAreCounted) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    ASSERT_EQ(torchprof_set_option("record", "memory"), 0);
    run(3);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  const auto &Bytes = P.measure(MeasureId::Allocated, 1);
  EXPECT_EQ(P.measure(MeasureId::Allocations, 1).Sum, 3u);
  EXPECT_GE(Bytes.Sum, 3u * 1'000'000u);
  EXPECT_LT(Bytes.Sum, 3u * 1'010'000u); // malloc_usable_size
  EXPECT_EQ(P.measure(MeasureId::Peak, 1).Sum, Bytes.Max);
}

TEST(CpuAllocator, IsLibTorchsOwnUnlessMemoryIsRecorded) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    run(1);
    EXPECT_EQ(c10::GetAllocator(c10::kCPU), c10::GetDefaultCPUAllocator());
  });
  EXPECT_TRUE(readProfile(Folder.file("p.tprof")).Measures.empty());
}

// Also those that are freed elsewhere, grown, or made behind the tensors'
// backs.
TEST(CpuAllocator, EveryBlockGoesAsItCame) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    ASSERT_EQ(torchprof_set_option("record", "memory"), 0);
    run(1); // blocks are seen from now on
    c10::Allocator *Seen = c10::GetAllocator(c10::kCPU);
    ASSERT_NE(Seen, c10::GetDefaultCPUAllocator());
    torchprof::Region Work("work");
    at::Tensor Grown = at::ones({4});
    Grown.resize_({100000});
    EXPECT_EQ(Grown[3].item<float>(), 1);
    EXPECT_EQ(at::empty({0}).numel(), 0);
    at::Tensor View = at::arange(1000).view({10, 100})[3];
    at::Tensor Elsewhere;
    std::thread([&] { Elsewhere = at::rand({1000}); }).join();
    EXPECT_EQ(at::quantize_per_tensor(at::rand({64, 64}), 0.1, 3, at::kQInt8)
                  .int_repr()
                  .numel(),
              64 * 64);
    EXPECT_EQ(at::eye(30).to_sparse()._nnz(), 30);
    Seen->raw_deallocate(Seen->raw_allocate(100));
    at::Tensor Hosts = at::from_blob(::malloc(64), {16}, ::free, at::kFloat);
    for (at::Tensor *T : {&Grown, &View, &Hosts})
      T->reset();
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  uint32_t Work = P.region("work");
  uint64_t Allocated = P.measure(MeasureId::Allocated, Work).Sum;
  uint64_t Freed = P.measure(MeasureId::Freed, Work).Sum;
  EXPECT_GT(Allocated, 400'000u);
  EXPECT_GE(Freed, Allocated + 4000); // the other thread's thousand floats
  EXPECT_LT(Freed, Allocated + 4100);
}

TEST(CpuAllocator, LibTorchsOwnIsKnownToUseMalloc) {
  const void *Own = c10::GetDefaultCPUAllocator();
  EXPECT_TRUE(callsByName(Own, "posix_memalign"));
  EXPECT_FALSE(callsByName(Own, "mi_malloc_aligned"));
  // Of another library, and of none.
  EXPECT_FALSE(callsByName(dlsym(RTLD_DEFAULT, "malloc"), "posix_memalign"));
  EXPECT_FALSE(callsByName(&Own, "posix_memalign"));
}

TEST(CpuAllocator, HostWithAnAllocatorOfItsOwnIsLeftAlone) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    HostAllocator &Own = mallocs();
    c10::SetAllocator(c10::kCPU, &Own);
    ASSERT_EQ(torchprof_set_option("record", "memory"), 0);
    testing::internal::CaptureStderr();
    run(3);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "torchprof: warning: memory is not recorded: the host has set a "
              "CPU allocator of its own\n");
    EXPECT_EQ(c10::GetAllocator(c10::kCPU), &Own);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_TRUE(P.Measures.empty());
  EXPECT_EQ(P.count(1), 3u);
}

TEST(CpuAllocator, AHostsPriorityIsNotTaken) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    c10::Allocator *Own = c10::GetAllocator(c10::kCPU);
    c10::SetAllocator(c10::kCPU, Own, /*priority=*/1);
    ASSERT_EQ(torchprof_set_option("record", "memory"), 0);
    testing::internal::CaptureStderr();
    run(3);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "torchprof: warning: memory is not recorded: LibTorch keeps its "
              "CPU allocator\n");
    EXPECT_EQ(c10::GetAllocator(c10::kCPU), Own);
  });
  EXPECT_TRUE(readProfile(Folder.file("p.tprof")).Measures.empty());
}

TEST(CpuAllocator, HostThatStandsInFrontOfLibTorchsOwnIsStillCalled) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    static unsigned Called = 0;
    static HostAllocator Own(
        [](size_t Bytes) {
          ++Called;
          return c10::GetDefaultCPUAllocator()->allocate(Bytes);
        },
        c10::GetDefaultCPUAllocator()->raw_deleter());
    c10::SetAllocator(c10::kCPU, &Own);
    ASSERT_EQ(torchprof_set_option("record", "memory"), 0);
    run(3);
    EXPECT_NE(c10::GetAllocator(c10::kCPU), &Own);
    EXPECT_GE(Called, 3u);
  });
  EXPECT_EQ(allocationsIn(Folder), 3u);
}

TEST(CpuAllocator, LibTorchSaysItselfWhenThereIsNoMemory) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    auto WhatFails = [] {
      try {
        at::empty({int64_t(1) << 50});
      } catch (const c10::Error &E) {
        return std::string(E.what_without_backtrace());
      }
      return std::string();
    };
    std::string Without = WhatFails();
    EXPECT_NE(Without.find("can't allocate memory"), std::string::npos)
        << Without;
    ASSERT_EQ(torchprof_set_option("record", "memory"), 0);
    run(1);
    ASSERT_NE(c10::GetAllocator(c10::kCPU), c10::GetDefaultCPUAllocator());
    EXPECT_EQ(WhatFails(), Without);
  });
  EXPECT_EQ(allocationsIn(Folder), 1u);
}

TEST(CpuAllocator, HostThatSetsAnotherLaterIsWarnedOnce) {
  TestFolder Folder;
  recordTorch(Folder.file("p.tprof"), [] {
    ASSERT_EQ(torchprof_set_option("record", "memory"), 0);
    run(1);
    HostAllocator &Own = mallocs();
    c10::SetAllocator(c10::kCPU, &Own);
    testing::internal::CaptureStderr();
    run(3);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "torchprof: warning: memory is not recorded: the host has set "
              "another CPU allocator\n");
    EXPECT_EQ(c10::GetAllocator(c10::kCPU), &Own);
  });
  ReadProfile P = readProfile(Folder.file("p.tprof"));
  EXPECT_EQ(P.measure(MeasureId::Allocations, 1).Sum, 1u);
  EXPECT_EQ(P.measure(MeasureId::Allocations, 1).Word, 2u);
  EXPECT_EQ(P.count(1), 4u);
}
