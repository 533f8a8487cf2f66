//===- RegionNames.cpp - numbers of the host's region names ---------------===//

#include "RegionNames.h"

#include <cstdlib>
#include <new>

namespace torchprof {

RegionNames::RegionNames()
    : Names(static_cast<std::atomic<const Entry *> *>(
          calloc(MaxNames, sizeof(Names[0])))) {}

uint32_t RegionNames::add(std::string_view Name, uint32_t Number) {
  auto *Text = new (std::nothrow) std::string(Name);
  auto *New = Text ? new (std::nothrow) Entry{SiteName(*Text), 0} : nullptr;
  if (!New)
    return 0;
  uint32_t &First = Newest[New->Name.hash() % Buckets];
  New->Before = First;
  Names[Number].store(New, std::memory_order_release);
  return First = Number;
}

uint32_t RegionNames::numberOf(std::string_view Name) {
  if (!Names)
    return 0;
  SiteName Wanted(Name);
  for (uint32_t Number = Newest[Wanted.hash() % Buckets]; Number;) {
    const Entry *Known = Names[Number].load(std::memory_order_relaxed);
    if (Known->Name.text() == Wanted.text())
      return Number;
    Number = Known->Before;
  }
  if (Count + 1 < Others) {
    uint32_t Number = add(Name, Count + 1);
    Count += Number != 0;
    return Number;
  }
  return nameOf(Others) ? Others : add(DynamicSites::OverflowName, Others);
}

} // namespace torchprof
