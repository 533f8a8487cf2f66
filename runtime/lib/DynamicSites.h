//===- DynamicSites.h - sites that come to be at run time -------*- C++ -*-===//
//
// A dynamic site is a child of a site, told apart by its kind and its name: a
// user region below the span in which it was opened, for instance. The first
// touch takes the process lock and a slot; afterwards a site is found without
// a lock, in one hash lookup.
//
// The children of one parent are bounded, and so are those that lie in one
// another. Those beyond share one child, whose name says so. As in the
// registry, entries are only added, so that a child of fork goes on with what
// it inherited.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_DYNAMICSITES_H
#define TORCHPROF_DYNAMICSITES_H

#include "Registry.h"
#include "torchprof/format/DynamicSite.h"
#include "torchprof/format/Manifest.h"

#include <atomic>
#include <string>
#include <string_view>

namespace torchprof {

/// A text and its hash, made once for a name that is used again and again.
class SiteName {
public:
  explicit SiteName(std::string_view Text) : SiteName(Text, Text.size()) {}
  /// A name that its first \p KeyBytes tell apart from others.
  SiteName(std::string_view Text, size_t KeyBytes);
  std::string_view text() const { return Text; }
  std::string_view key() const { return Key; }
  /// Of the key, also of what was cut from it.
  uint64_t hash() const { return Hash; }
  /// True if what the name was made of is longer.
  bool isCut() const { return IsCut; }

private:
  std::string_view Text; ///< lives as long as its owner keeps it
  std::string_view Key;
  uint64_t Hash;
  bool IsCut;
};

struct RegisteredChild {
  format::Slot Site;
  format::Slot Parent; ///< NoSlot: outside of all spans
  format::DynamicKind Kind;
  uint32_t Flags;  ///< format::DynamicFlags
  uint32_t Number; ///< of the parent's children, from 1
  uint32_t Level;  ///< one more than the parent's, 1 in a model's site
  uint64_t Hash;
  size_t KeyBytes;
  std::string Name;

  std::string_view key() const { return {Name.data(), KeyBytes}; }
};

inline constexpr uint32_t DynamicBlockSlots = 64;

/// Slots of dynamic sites, in the order in which they came to be.
struct DynamicBlock {
  format::Slot First{};
  std::atomic<const RegisteredChild *> Children[DynamicBlockSlots] = {};
};

class DynamicSites {
public:
  /// Children of one parent, the one that stands for all others not counted.
  static constexpr uint32_t MaxChildren = 1024;
  /// Children that lie in one another, as where a host recurses in a region.
  /// Together with the sites of a model fewer than what is read.
  static constexpr uint32_t MaxLevels = MostLevels / 2;
  /// Name of what stands for those beyond a bound.
  static constexpr std::string_view OverflowName = "(others)";
  /// Longer names are cut.
  static constexpr uint32_t MaxNameBytes = 1024;

  explicit DynamicSites(Registry &Slots) : Slots(Slots) {}

  /// Slot of a child, which comes to be if it is new. Takes the process lock
  /// only then. NoSlot without memory or slots. All that lies deeper than
  /// MaxLevels shares a site. Any thread that does not hold the lock.
  format::Slot childSlot(format::Slot Parent, format::DynamicKind Kind,
                         const SiteName &Name);

  //===--- For who bounds the children of a kind; none counts overflows
  //----===//

  /// Slot of a child, NoSlot if there is none yet. Any thread.
  format::Slot knownChild(format::Slot Parent, format::DynamicKind Kind,
                          const SiteName &Name) const;
  /// Makes a child that is not known. NoSlot without memory or slots. The
  /// caller holds the process lock.
  format::Slot addChild(format::Slot Parent, format::DynamicKind Kind,
                        const SiteName &Name, uint32_t Flags = 0);
  /// The child that stands for those beyond the bound, which comes to be if it
  /// is new. As addChild().
  format::Slot addOthers(format::Slot Parent, format::DynamicKind Kind);

  /// The child that has a slot, null if it is none of ours. Any thread.
  const RegisteredChild *childAt(format::Slot Site) const;

  /// Calls \p Visit with every child, the oldest first. Any thread.
  template <typename Function> void each(Function Visit) const {
    for (const BlockList *B = Blocks.load(std::memory_order_acquire); B;
         B = B->Next.load(std::memory_order_acquire))
      for (const auto &Child : B->Block.Children)
        if (const RegisteredChild *C = Child.load(std::memory_order_acquire))
          Visit(*C);
  }

private:
  struct BlockList {
    DynamicBlock Block;
    std::atomic<BlockList *> Next{nullptr};
  };
  /// Open-addressing tables of one size, of all children by parent, kind and
  /// name, and of each parent's newest one, replaced when they grow.
  struct Table {
    uint64_t Mask;
    std::atomic<const RegisteredChild *> *Entries;
    std::atomic<const RegisteredChild *> *Newest;
    const Table *Replaced; ///< the smaller one, where probes may still look
  };

  const RegisteredChild *find(format::Slot Parent, format::DynamicKind Kind,
                              const SiteName &Name) const;
  format::Slot findOrOverflow(format::Slot Parent, format::DynamicKind Kind,
                              const SiteName &Name) const;
  uint32_t childrenOf(format::Slot Parent) const;
  uint32_t levelOf(format::Slot Site) const; ///< 0: none of ours
  const RegisteredChild *add(format::Slot Parent, format::DynamicKind Kind,
                             const SiteName &Name, uint32_t Flags);
  bool makeRoom();
  /// Where the newest child of a parent stands, or would stand.
  static std::atomic<const RegisteredChild *> &newestOf(const Table &T,
                                                        format::Slot Parent);
  static void insert(const Table &T, const RegisteredChild &Child);

  Registry &Slots;
  std::atomic<const Table *> Children{nullptr};
  std::atomic<BlockList *> Blocks{nullptr};
  BlockList *Newest = nullptr;
  uint64_t Count = 0; ///< of all children
};

} // namespace torchprof

#endif // TORCHPROF_DYNAMICSITES_H
