//===- BlockMap.h - a number for each block of memory -----------*- C++ -*-===//
//
// Two levels of tables, indexed by address: a load each, and no block is ever
// moved or hashed. Pages of a table that no block has touched take no memory.
//
// Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_BLOCKMAP_H
#define TORCHPROF_BLOCKMAP_H

#include <cstdint>

namespace torchprof {

class PageSource;

class BlockMap {
public:
  explicit BlockMap(PageSource &Pages) : Pages(Pages) {}

  /// Gives the block at \p Address a number, which is not 0. False without
  /// memory, or for an address that is no multiple of Alignment.
  bool set(const void *Address, uint32_t Number);

  /// Takes the number of a block away; 0 if it has none.
  uint32_t take(const void *Address);

  /// That of LibTorch's allocator.
  static constexpr uint64_t Alignment = 64;

private:
  uint32_t *find(const void *Address) const;

  PageSource &Pages;
  uint32_t **Tables = nullptr;
};

} // namespace torchprof

#endif // TORCHPROF_BLOCKMAP_H
