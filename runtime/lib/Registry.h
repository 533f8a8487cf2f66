//===- Registry.h - models, regions and their slots -------------*- C++ -*-===//
//
// Gives each site of each registered model, and each user region, a dense
// number in this process: its slot. Entries are only ever added and never
// freed, so probes look sites up without a lock, and a child of fork can go
// on using what it inherited, whatever the parent was adding at that moment.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REGISTRY_H
#define TORCHPROF_REGISTRY_H

#include "torchprof/format/Records.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace torchprof {

/// A registered model or, with an empty Text, a user region of one slot.
struct Registered {
  uint64_t ModelId = 0;
  uint32_t FirstSlot = 0;
  uint32_t SiteCount = 0;
  std::string Text; ///< manifest
  std::string Name; ///< region
  /// Per site: 1 once a method was entered there.
  std::atomic<uint8_t> *Roots = nullptr;
  /// Process generation that wrote this entry into its file; lock.
  uint64_t WrittenBy = 0;
  std::atomic<Registered *> Next{nullptr};
};

/// What registering a model led to.
enum class Registration { Added, Known, Conflict, Full };

/// Adds a model. Caller holds the process lock.
Registration registerModel(uint64_t ModelId, uint32_t SiteCount,
                           std::string_view Text);

/// Slot of the region \p Name, adding it if it is new; NoSlot without memory.
/// Caller holds the process lock.
uint32_t registerRegion(std::string_view Name);

/// Nodes that an optimization moved between one pair, so that they are measured
/// as one.
struct NodeGroup {
  uint32_t Slot = 0;
  std::string Members; ///< kinds, joined by ", "
  /// As in Registered.
  uint64_t WrittenBy = 0;
  NodeGroup *Next = nullptr;
};

/// Adds a group unless it is known. False without memory. Caller holds the
/// process lock.
bool registerGroup(uint32_t Slot, std::string_view Members);

/// The newest group. Any thread.
NodeGroup *newestGroup();

/// The entry that a slot belongs to; null if there is none. Any thread.
Registered *entryOf(uint32_t Slot);

/// Number of slots given out. Any thread.
uint32_t slotCount();

/// Open-addressing table from model id to slots, replaced when it grows.
struct ModelTable {
  struct Entry {
    std::atomic<uint64_t> Key{0}; ///< model id + 1, 0 while empty
    uint32_t FirstSlot = 0;
    uint32_t SiteCount = 0;
    std::atomic<uint8_t> *Roots = nullptr;
  };
  uint64_t Mask;
  Entry *Entries;
  const ModelTable *Replaced; ///< the smaller one, where probes may still look
};
extern std::atomic<const ModelTable *> Models;

/// Table entry of a site's model, or null.
inline const ModelTable::Entry *modelOf(uint64_t Site) {
  const ModelTable *Table = Models.load(std::memory_order_acquire);
  if (!Table) [[unlikely]]
    return nullptr;
  uint64_t Id = Site >> format::SiteIndexBits;
  for (uint64_t I = Id & Table->Mask;; I = (I + 1) & Table->Mask) {
    const ModelTable::Entry &E = Table->Entries[I];
    uint64_t Key = E.Key.load(std::memory_order_acquire);
    if (Key == Id + 1) [[likely]]
      return &E;
    if (Key == 0)
      return nullptr;
  }
}

/// Slot of a site, NoSlot if its model was never registered.
inline uint32_t slotOf(uint64_t Site) {
  const ModelTable::Entry *E = modelOf(Site);
  uint64_t Index = Site & (format::MaxSitesPerModel - 1);
  if (!E || Index >= E->SiteCount) [[unlikely]]
    return format::NoSlot;
  return E->FirstSlot + uint32_t(Index);
}

} // namespace torchprof

#endif // TORCHPROF_REGISTRY_H
