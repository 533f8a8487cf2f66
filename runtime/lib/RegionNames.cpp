//===- RegionNames.cpp - numbers of the host's region names ---------------===//

#include "RegionNames.h"

#include <cstdlib>
#include <new>

namespace torchprof {

RegionNames::RegionNames()
    : Names(static_cast<std::atomic<const SiteName *> *>(
          calloc(MaxNames, sizeof(Names[0])))) {}

uint32_t RegionNames::numberOf(std::string_view Name) {
  for (uint32_t Number = 1; Number <= Count; ++Number)
    if (nameOf(Number)->text() == Name.substr(0, DynamicSites::MaxNameBytes))
      return Number;
  if (!Names || Count + 1 >= MaxNames)
    return 0;
  auto *Text = new (std::nothrow) std::string(Name);
  auto *New = Text ? new (std::nothrow) SiteName(*Text) : nullptr;
  if (!New)
    return 0;
  Names[Count + 1].store(New, std::memory_order_release);
  return ++Count;
}

} // namespace torchprof
