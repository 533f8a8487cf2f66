//===- SlotMap.h - from a slot to what it belongs to ------------*- C++ -*-===//
//
// A process gives each model, and each dynamic site, a range of slots. This
// maps a slot to the value of its range and its place in it, for everything
// that reads a profile. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_SLOTMAP_H
#define TORCHPROF_FORMAT_SLOTMAP_H

#include "torchprof/format/Site.h"

#include <iterator>
#include <map>
#include <optional>

namespace torchprof::format {

template <typename Value> class SlotMap {
public:
  struct Place {
    const Value &Owner;
    uint32_t Offset; ///< of the slot behind the range's first one
  };

  /// Adds a range. On failure, when it overlaps an earlier one or reaches
  /// NoSlot, returns the first slot in dispute and changes nothing.
  std::optional<Slot> add(Slot First, uint64_t Count, Value Owner) {
    uint64_t Begin = number(First), End = Begin + Count;
    if (End > number(NoSlot))
      return NoSlot;
    if (Count == 0)
      return std::nullopt;
    // The first range that ends behind First is the only one to compare.
    auto Next = Ranges.upper_bound(number(First));
    if (Next != Ranges.end() && Next->second.Begin < End)
      return Slot(Next->second.Begin > Begin ? Next->second.Begin
                                             : number(First));
    Ranges.emplace(static_cast<uint32_t>(End),
                   Range{static_cast<uint32_t>(Begin), std::move(Owner)});
    return std::nullopt;
  }

  /// Where a slot belongs, or nothing.
  std::optional<Place> find(Slot S) const {
    auto It = Ranges.upper_bound(number(S));
    if (It == Ranges.end() || It->second.Begin > number(S))
      return std::nullopt;
    return Place{It->second.Owner, number(S) - It->second.Begin};
  }

  /// The smallest slot above all ranges.
  Slot end() const {
    return Slot(Ranges.empty() ? 0 : std::prev(Ranges.end())->first);
  }

private:
  struct Range {
    uint32_t Begin;
    Value Owner;
  };
  std::map<uint32_t, Range> Ranges; ///< by the slot behind a range's last
};

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_SLOTMAP_H
