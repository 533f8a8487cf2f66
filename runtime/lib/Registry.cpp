//===- Registry.cpp - models and their slots ------------------------------===//

#include "Registry.h"

#include "torchprof/format/Manifest.h"

#include <algorithm>
#include <memory>
#include <new>

namespace torchprof {

using namespace format;

Registry::Owner Registry::ownerOf(Slot S) const {
  const RangeList *L = Ranges.load(std::memory_order_acquire);
  if (!L)
    return {};
  const Range *Begin = L->Entries;
  const Range *End = Begin + L->Count.load(std::memory_order_acquire);
  const Range *Behind =
      std::upper_bound(Begin, End, S, [](Slot Wanted, const Range &R) {
        return Wanted < R.First;
      });
  if (Behind == Begin || S - Behind[-1].First >= Behind[-1].Count)
    return {};
  return Behind[-1].Of;
}

/// How ranges call a site.
static std::string labelOf(const torchprof::Manifest &Table,
                           const ManifestSite &Site) {
  if (Site.Flags & SF_Root)
    return Table.ModelName + "." + Table.string(Site.Name);
  std::string Module = Table.modulePath(Site.Scope);
  return Table.string(Site.Kind) + (Module.empty() ? "" : " ") + Module;
}

const RegisteredModel::SiteText &RegisteredModel::textOf(uint32_t Site) const {
  const std::vector<SiteText> *Known = Texts.load(std::memory_order_acquire);
  if (!Known) {
    torchprof::Manifest Table;
    std::string Error;
    auto New = std::make_unique<std::vector<SiteText>>();
    if (parseManifest(Manifest, Table, Error))
      for (const ManifestSite &S : Table.Sites)
        New->push_back({Table.string(S.Kind), labelOf(Table, S)});
    if (Texts.compare_exchange_strong(Known, New.get(),
                                      std::memory_order_acq_rel))
      Known = New.release(); // as long as the process
  }
  static const SiteText Unknown;
  return Site < Known->size() ? (*Known)[Site] : Unknown;
}

bool Registry::hasRoomFor(uint32_t Count) const {
  return MaxSlots - slotCount() > Count;
}

/// Gives a stretch of slots away; false without memory.
bool Registry::publish(const Range &R) {
  RangeList *L = Ranges.load(std::memory_order_relaxed);
  uint32_t Count = L ? L->Count.load(std::memory_order_relaxed) : 0;
  if (!L || Count == L->Capacity) {
    uint32_t Capacity = L ? 2 * L->Capacity : 64;
    std::unique_ptr<Range[]> Entries(new (std::nothrow) Range[Capacity]);
    auto *New = Entries ? new (std::nothrow)
                              RangeList{Count, Capacity, Entries.get(), L}
                        : nullptr;
    if (!New)
      return false;
    if (L)
      std::copy_n(L->Entries, Count, New->Entries);
    Entries.release(); // as long as the process
    L = New;
  }
  L->Entries[Count] = R;
  Slots.store(number(R.First) + R.Count, std::memory_order_release);
  L->Count.store(Count + 1, std::memory_order_release);
  Ranges.store(L, std::memory_order_release);
  return true;
}

void Registry::insert(const Table &T, const RegisteredModel &Model) {
  uint64_t I = Model.ModelId & T.Mask;
  while (T.Entries[I].Key.load(std::memory_order_relaxed))
    I = (I + 1) & T.Mask;
  Entry &E = T.Entries[I];
  E.FirstSlot = Model.FirstSlot;
  E.SiteCount = Model.SiteCount;
  E.Model = &Model;
  E.Key.store(Model.ModelId + 1, std::memory_order_release);
}

/// Puts the newest model into the table, in a bigger one if the present one is
/// half full. Old tables stay for probes that look there.
bool Registry::addToTable(const RegisteredModel &Model) {
  const Table *Old = Models.load(std::memory_order_relaxed);
  uint64_t Count = 0;
  each([&](const RegisteredModel &) { ++Count; });
  if (Old && 2 * Count <= Old->Mask) {
    insert(*Old, Model);
    return true;
  }
  uint64_t Size = Old ? 2 * (Old->Mask + 1) : 64;
  auto *Entries = new (std::nothrow) Entry[Size];
  auto *New = new (std::nothrow) Table{Size - 1, Entries, Old};
  if (!Entries || !New)
    return false;
  each([New](const RegisteredModel &Known) { insert(*New, Known); });
  Models.store(New, std::memory_order_release);
  return true;
}

Registration
Registry::add(uint64_t ModelId, uint32_t SiteCount, std::string_view Manifest,
              const std::vector<std::pair<uint32_t, uint8_t>> &Bits) {
  bool IsKnown = false;
  each([&](const RegisteredModel &M) { IsKnown |= M.ModelId == ModelId; });
  if (IsKnown)
    return Registration::Known;
  if (!hasRoomFor(SiteCount))
    return Registration::NoRoom;
  Slot First{slotCount()};
  auto *Room = new (std::nothrow) std::atomic<uint8_t>[SiteCount + 1]();
  auto *Signatures = new (std::nothrow) uint8_t[SiteCount + 1]();
  auto *Model = new (std::nothrow) RegisteredModel{
      ModelId, First, SiteCount, std::string(Manifest), Room, Signatures};
  if (!Room || !Signatures || !Model)
    return Registration::NoRoom;
  for (auto [Site, Bit] : Bits)
    Model->add(Site, Bit);
  bool IsAdded =
      publish({First, SiteCount, {Model, nullptr}}) && addToTable(*Model);
  return IsAdded ? Registration::Added : Registration::NoRoom;
}

bool Registry::addBlock(DynamicBlock &Block, Slot &First, uint32_t Count) {
  if (!hasRoomFor(Count))
    return false;
  First = Slot{slotCount()};
  return publish({First, Count, {nullptr, &Block}});
}

} // namespace torchprof
