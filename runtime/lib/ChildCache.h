//===- ChildCache.h - children of spans that a lane met lately --*- C++ -*-===//
//
// The operators inside of spans, and the functions of autograd that spans made,
// by the address of the name that the framework has for them. A model's spans
// are met one after the other and have few children each. So the entries of a
// parent lie together, beside those of the next one: a run walks through the
// table, and what it needs next is at hand.
//
// In pages that a forked child finds wiped: zero bytes are an empty cache.
// Owner only.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_CHILDCACHE_H
#define TORCHPROF_CHILDCACHE_H

#include "torchprof/format/Site.h"

#include <cstdint>

namespace torchprof {

class ChildCache {
public:
  struct Entry {
    const char *Name;  ///< the address counts; null: empty
    format::Slot Site; ///< NoSlot if the parent itself is meant
    format::Slot Parent;
    uint32_t Generation; ///< of the name; see operatorNamesGone()
  };

  /// Null if it is not known, or not any more.
  const Entry *find(format::Slot Parent, const char *Name) const {
    const Entry *Of = &Entries[firstOf(Parent)];
    for (uint32_t I = 0; I < Near; ++I)
      if (Of[I].Name == Name && Of[I].Parent == Parent)
        return &Of[I];
    const Entry &Far = Entries[farPlace(Parent, Name)];
    return Far.Name == Name && Far.Parent == Parent ? &Far : nullptr;
  }

  /// Keeps \p New, which may take the place of another one.
  void keep(const Entry &New) {
    if (const Entry *Known = find(New.Parent, New.Name)) {
      Entries[Known - Entries] = New;
      return;
    }
    uint32_t Place = firstOf(New.Parent);
    uint32_t End = Place + Near;
    while (Place < End && Entries[Place].Name)
      ++Place;
    Entries[Place < End ? Place : farPlace(New.Parent, New.Name)] = New;
  }

private:
  static constexpr uint32_t Count = 8192;
  /// A parent's entries begin so far from the last one's.
  static constexpr uint32_t PerParent = 2;
  /// So many are looked at: two lines of cache.
  static constexpr uint32_t Near = 4;

  static uint32_t firstOf(format::Slot Parent) {
    return number(Parent) * PerParent % Count;
  }
  /// Where one lies that found no place near its parent.
  static uint32_t farPlace(format::Slot Parent, const char *Name) {
    uint64_t Key = reinterpret_cast<uintptr_t>(Name) ^
                   uint64_t(number(Parent)) * 0x9e3779b97f4a7c15ull;
    return uint32_t((Key ^ Key >> 29) % Count);
  }

  Entry Entries[Count + Near];
};

} // namespace torchprof

#endif // TORCHPROF_CHILDCACHE_H
