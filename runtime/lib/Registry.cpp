//===- Registry.cpp - models and their slots ------------------------------===//

#include "Registry.h"

#include "torchprof/format/Manifest.h"

#include <memory>
#include <new>

namespace torchprof {

using namespace format;

Registry::Owner Registry::ownerOf(Slot S) const {
  for (const Range *R = Ranges.load(std::memory_order_acquire); R; R = R->Next)
    if (S - R->First < R->Count)
      return R->Of;
  return {};
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

void Registry::publish(Range *R) {
  R->Next = Ranges.load(std::memory_order_relaxed);
  Slots.store(number(R->First) + R->Count, std::memory_order_release);
  Ranges.store(R, std::memory_order_release);
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
  for (const Range *R = Ranges.load(std::memory_order_relaxed); R; R = R->Next)
    Count += R->Of.Model ? 1 : 0;
  if (Old && 2 * Count <= Old->Mask) {
    insert(*Old, Model);
    return true;
  }
  uint64_t Size = Old ? 2 * (Old->Mask + 1) : 64;
  auto *Entries = new (std::nothrow) Entry[Size];
  auto *New = new (std::nothrow) Table{Size - 1, Entries, Old};
  if (!Entries || !New)
    return false;
  for (const Range *R = Ranges.load(std::memory_order_relaxed); R; R = R->Next)
    if (R->Of.Model)
      insert(*New, *R->Of.Model);
  Models.store(New, std::memory_order_release);
  return true;
}

Registration
Registry::add(uint64_t ModelId, uint32_t SiteCount, std::string_view Manifest,
              const std::vector<std::pair<uint32_t, uint8_t>> &Bits) {
  for (const Range *R = Ranges.load(std::memory_order_relaxed); R; R = R->Next)
    if (R->Of.Model && R->Of.Model->ModelId == ModelId)
      return Registration::Known;
  if (!hasRoomFor(SiteCount))
    return Registration::NoRoom;
  Slot First{slotCount()};
  auto *Room = new (std::nothrow) std::atomic<uint8_t>[SiteCount + 1]();
  auto *Signatures = new (std::nothrow) uint8_t[SiteCount + 1]();
  auto *Model = new (std::nothrow) RegisteredModel{
      ModelId, First, SiteCount, std::string(Manifest), Room, Signatures};
  auto *R =
      new (std::nothrow) Range{First, SiteCount, {Model, nullptr}, nullptr};
  if (!Room || !Signatures || !Model || !R)
    return Registration::NoRoom;
  for (auto [Site, Bit] : Bits)
    Model->add(Site, Bit);
  publish(R);
  return addToTable(*Model) ? Registration::Added : Registration::NoRoom;
}

bool Registry::addBlock(DynamicBlock &Block, Slot &First, uint32_t Count) {
  if (!hasRoomFor(Count))
    return false;
  First = Slot{slotCount()};
  auto *R = new (std::nothrow) Range{First, Count, {nullptr, &Block}, nullptr};
  if (!R)
    return false;
  publish(R);
  return true;
}

} // namespace torchprof
