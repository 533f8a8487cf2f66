//===- Registry.h - models and their slots ----------------------*- C++ -*-===//
//
// Gives each site of each registered model a slot of this process, and hands
// out blocks of slots to the sites that come to be later (DynamicSites.h).
//
// Entries are only ever added and never freed, so probes look sites up without
// a lock. A child of fork goes on with what it inherited, whatever the parent
// was adding at that moment, because compiled graphs carry slots: a registry
// therefore outlives the recordings that use it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REGISTRY_H
#define TORCHPROF_REGISTRY_H

#include "torchprof/format/LogRecord.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace torchprof {

/// A registered model.
struct RegisteredModel {
  uint64_t ModelId;
  format::Slot FirstSlot;
  uint32_t SiteCount;
  std::string Manifest; ///< its text
  /// Per site, see below.
  std::atomic<uint8_t> *Bits;
  /// Per site, the number of its signatures (Variants.h); guarded by the
  /// process lock.
  uint8_t *Signatures;

  static constexpr uint8_t Entered = 1;  ///< a method was entered there
  static constexpr uint8_t Calls = 2;    ///< the node calls a method
  static constexpr uint8_t IsCalled = 4; ///< a method that only methods call
  static constexpr uint8_t Waits = 8;    ///< the node waits for a task

  bool has(uint32_t Site, uint8_t Bit) const {
    return Bits[Site].load(std::memory_order_relaxed) & Bit;
  }
  void add(uint32_t Site, uint8_t Bit) const {
    Bits[Site].fetch_or(Bit, std::memory_order_relaxed);
  }

  /// What the manifest says of a site.
  struct SiteText {
    std::string Kind;  ///< "aten::relu"
    std::string Label; ///< "aten::relu layer1.0.relu", "net.forward"
  };

  /// The texts of a site, empty if they cannot be had. They live as long as the
  /// process. The first call reads the manifest, and may throw std::bad_alloc.
  /// Any thread.
  const SiteText &textOf(uint32_t Site) const;
  /// SiteText::Kind.
  std::string_view kindOf(uint32_t Site) const { return textOf(Site).Kind; }
  mutable std::atomic<const std::vector<SiteText> *> Texts = nullptr;

  /// True if a method of it was entered, in this process or before its fork.
  bool hasRun() const {
    for (uint32_t I = 0; I < SiteCount; ++I)
      if (has(I, Entered))
        return true;
    return false;
  }
};

struct DynamicBlock; // DynamicSites.cpp

/// What registering a model led to.
enum class Registration { Added, Known, NoRoom };

class Registry {
public:
  Registry() = default;
  Registry(const Registry &) = delete;
  Registry &operator=(const Registry &) = delete;

  /// Adds the model unless it is known by its id. \p Bits: those of sites that
  /// have some. The caller holds the process lock.
  Registration add(uint64_t ModelId, uint32_t SiteCount,
                   std::string_view Manifest,
                   const std::vector<std::pair<uint32_t, uint8_t>> &Bits = {});

  /// The site's model, null if it was never registered or has no such site.
  /// Any thread.
  const RegisteredModel *modelOf(format::SiteId Site) const {
    const Entry *E = entryOf(Site);
    return E && Site.index() < E->SiteCount ? E->Model : nullptr;
  }

  /// Slot of a site, NoSlot if its model was never registered. Any thread.
  format::Slot slotOf(format::SiteId Site) const {
    const Entry *E = entryOf(Site);
    if (!E || Site.index() >= E->SiteCount) [[unlikely]]
      return format::NoSlot;
    return E->FirstSlot + Site.index();
  }

  /// What a slot was given to: one of the two, or neither. Any thread.
  struct Owner {
    const RegisteredModel *Model = nullptr;
    DynamicBlock *Block = nullptr;
  };
  Owner ownerOf(format::Slot Slot) const;

  /// Visits each model, the newest first. Any thread.
  template <typename Function> void each(Function Visit) const {
    const RangeList *L = Ranges.load(std::memory_order_acquire);
    for (uint32_t I = L ? L->Count.load(std::memory_order_acquire) : 0; I--;)
      if (const RegisteredModel *Model = L->Entries[I].Of.Model)
        Visit(*Model);
  }

  /// Number of slots given out. Any thread.
  uint32_t slotCount() const { return Slots.load(std::memory_order_acquire); }

  /// Gives \p Count slots to \p Block, whose \p First it sets before others can
  /// find the block. False without room. The caller holds the process lock.
  bool addBlock(DynamicBlock &Block, format::Slot &First, uint32_t Count);

private:
  /// A stretch of slots.
  struct Range {
    format::Slot First;
    uint32_t Count;
    Owner Of;
  };
  /// All stretches in the order of their slots, each behind the one before it.
  /// Grows by one store, so that a fork sees it with a stretch or without; a
  /// longer one takes its place when it is full.
  struct RangeList {
    std::atomic<uint32_t> Count;
    uint32_t Capacity;
    Range *Entries;
    const RangeList
        *Replaced; ///< the shorter one, where threads may still look
  };
  /// What a probe needs of a model, in one place.
  struct Entry {
    std::atomic<uint64_t> Key{0}; ///< model id + 1, 0 while empty
    format::Slot FirstSlot{};
    uint32_t SiteCount = 0;
    const RegisteredModel *Model = nullptr;
  };
  /// Open-addressing table by model id, replaced when it grows.
  struct Table {
    uint64_t Mask;
    Entry *Entries;
    const Table *Replaced; ///< the smaller one, where probes may still look
  };

  const Entry *entryOf(format::SiteId Site) const {
    const Table *T = Models.load(std::memory_order_acquire);
    if (!T) [[unlikely]]
      return nullptr;
    for (uint64_t I = Site.model() & T->Mask;; I = (I + 1) & T->Mask) {
      const Entry &E = T->Entries[I];
      uint64_t Key = E.Key.load(std::memory_order_acquire);
      if (Key == Site.model() + 1) [[likely]]
        return &E;
      if (Key == 0)
        return nullptr;
    }
  }

  bool hasRoomFor(uint32_t Count) const;
  bool publish(const Range &R);
  bool addToTable(const RegisteredModel &Model);
  static void insert(const Table &T, const RegisteredModel &Model);

  std::atomic<const Table *> Models{nullptr};
  std::atomic<RangeList *> Ranges{nullptr};
  std::atomic<uint32_t> Slots{0};
};

} // namespace torchprof

#endif // TORCHPROF_REGISTRY_H
