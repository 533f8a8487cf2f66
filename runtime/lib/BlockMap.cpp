//===- BlockMap.cpp - a number for each block of memory -------------------===//

#include "BlockMap.h"

#include "Pages.h"

#include <utility>

namespace torchprof {

/// Addresses of a program, on the machines that there are.
static constexpr unsigned AddressBits = 48;
/// A table has the blocks of so many addresses.
static constexpr unsigned TableBits = 26;
static constexpr uint64_t TableCount = uint64_t(1) << (AddressBits - TableBits);
static constexpr uint64_t TableEntries =
    (uint64_t(1) << TableBits) / BlockMap::Alignment;

static uint64_t tableOf(uint64_t Address) { return Address >> TableBits; }
static uint64_t entryOf(uint64_t Address) {
  return Address / BlockMap::Alignment % TableEntries;
}

uint32_t *BlockMap::find(const void *Address) const {
  auto Number = reinterpret_cast<uintptr_t>(Address);
  if (!Tables || Number % Alignment || tableOf(Number) >= TableCount)
    return nullptr;
  uint32_t *Table = Tables[tableOf(Number)];
  return Table ? &Table[entryOf(Number)] : nullptr;
}

bool BlockMap::set(const void *Address, uint32_t Number) {
  auto Place = reinterpret_cast<uintptr_t>(Address);
  if (Place % Alignment || tableOf(Place) >= TableCount)
    return false;
  if (!Tables)
    Tables =
        static_cast<uint32_t **>(Pages.plain(TableCount * sizeof(uint32_t *)));
  if (!Tables)
    return false;
  uint32_t *&Table = Tables[tableOf(Place)];
  if (!Table)
    Table =
        static_cast<uint32_t *>(Pages.plain(TableEntries * sizeof(uint32_t)));
  if (!Table)
    return false;
  Table[entryOf(Place)] = Number;
  return true;
}

uint32_t BlockMap::take(const void *Address) {
  uint32_t *Entry = find(Address);
  return Entry ? std::exchange(*Entry, 0) : 0;
}

} // namespace torchprof
