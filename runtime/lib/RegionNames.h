//===- RegionNames.h - numbers of the host's region names -------*- C++ -*-===//
//
// A host looks the number of a region's name up once and uses it ever after.
// Names are only added; a number leads to its name without a lock.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REGIONNAMES_H
#define TORCHPROF_REGIONNAMES_H

#include "DynamicSites.h"

namespace torchprof {

class RegionNames {
public:
  static constexpr uint32_t MaxNames = 1 << 16;
  /// The number of all names beyond MaxNames, which share one.
  static constexpr uint32_t Others = MaxNames - 1;

  RegionNames();
  RegionNames(const RegionNames &) = delete;
  RegionNames &operator=(const RegionNames &) = delete;

  /// The number of a name, from 1; the same for the same name. 0 without
  /// memory. The caller holds the process lock.
  uint32_t numberOf(std::string_view Name);

  /// The name of a number, null if it has none. Any thread.
  const SiteName *nameOf(uint32_t Number) const {
    const Entry *Known = Names && Number < MaxNames
                             ? Names[Number].load(std::memory_order_acquire)
                             : nullptr;
    return Known ? &Known->Name : nullptr;
  }

private:
  struct Entry {
    SiteName Name;
    uint32_t
        Before; ///< the number before it in its bucket, 0 if it is the first
  };
  static constexpr uint32_t Buckets = 1 << 12;

  uint32_t add(std::string_view Name, uint32_t Number);

  std::atomic<const Entry *> *Names; ///< pages come when touched; never freed
  uint32_t Newest[Buckets] = {};     ///< numbers, by their names' hash
  uint32_t Count = 0;
};

} // namespace torchprof

#endif // TORCHPROF_REGIONNAMES_H
