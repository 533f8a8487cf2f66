//===- Registry.cpp - models, regions and their slots ---------------------===//

#include "Registry.h"

#include <new>

namespace torchprof {

std::atomic<const ModelTable *> Models{nullptr};

static std::atomic<Registered *> Head{nullptr};
static std::atomic<uint32_t> Slots{0};
static std::atomic<NodeGroup *> Groups{nullptr};

uint32_t slotCount() { return Slots.load(std::memory_order_acquire); }

Registered *entryOf(uint32_t Slot) {
  for (Registered *E = Head.load(std::memory_order_acquire); E;
       E = E->Next.load(std::memory_order_acquire))
    if (Slot - E->FirstSlot < E->SiteCount)
      return E;
  return nullptr;
}

/// Publishes an entry at the list's head: one store, so that a fork sees the
/// list with it or without it.
static void publish(Registered *Entry, uint32_t Count) {
  Entry->FirstSlot = Slots.load(std::memory_order_relaxed);
  Entry->SiteCount = Count;
  Slots.store(Entry->FirstSlot + Count, std::memory_order_release);
  Entry->Next.store(Head.load(std::memory_order_relaxed),
                    std::memory_order_relaxed);
  Head.store(Entry, std::memory_order_release);
}

static bool hasRoomFor(uint32_t Count) {
  return format::NoSlot - slotCount() > Count;
}

static void insert(const ModelTable &Table, const Registered &Model) {
  uint64_t I = Model.ModelId & Table.Mask;
  while (Table.Entries[I].Key.load(std::memory_order_relaxed))
    I = (I + 1) & Table.Mask;
  ModelTable::Entry &E = Table.Entries[I];
  E.FirstSlot = Model.FirstSlot;
  E.SiteCount = Model.SiteCount;
  E.Roots = Model.Roots;
  E.Key.store(Model.ModelId + 1, std::memory_order_release);
}

/// Puts the newest model, the list's head, into the table, in a bigger one if
/// the present one is half full. Old tables stay for probes that look there.
static bool addToTable(const Registered &Model) {
  const ModelTable *Old = Models.load(std::memory_order_relaxed);
  uint64_t Count = 0;
  for (Registered *E = Head.load(std::memory_order_relaxed); E;
       E = E->Next.load(std::memory_order_relaxed))
    Count += E->Text.empty() ? 0 : 1;
  if (Old && 2 * Count <= Old->Mask) {
    insert(*Old, Model);
    return true;
  }
  uint64_t Size = Old ? 2 * (Old->Mask + 1) : 64;
  auto *Entries = new (std::nothrow) ModelTable::Entry[Size];
  auto *Table = new (std::nothrow) ModelTable{Size - 1, Entries, Old};
  if (!Entries || !Table)
    return false;
  for (Registered *E = Head.load(std::memory_order_relaxed); E;
       E = E->Next.load(std::memory_order_relaxed))
    if (!E->Text.empty())
      insert(*Table, *E);
  Models.store(Table, std::memory_order_release);
  return true;
}

Registration registerModel(uint64_t ModelId, uint32_t SiteCount,
                           std::string_view Text) {
  for (Registered *E = Head.load(std::memory_order_relaxed); E;
       E = E->Next.load(std::memory_order_relaxed))
    if (!E->Text.empty() && E->ModelId == ModelId)
      return E->Text == Text ? Registration::Known : Registration::Conflict;
  if (!hasRoomFor(SiteCount))
    return Registration::Full;
  auto *Model = new (std::nothrow) Registered;
  auto *Roots = new (std::nothrow) std::atomic<uint8_t>[SiteCount + 1]();
  if (!Model || !Roots)
    return Registration::Full;
  Model->ModelId = ModelId;
  Model->Text = Text;
  Model->Roots = Roots;
  publish(Model, SiteCount);
  return addToTable(*Model) ? Registration::Added : Registration::Full;
}

uint32_t registerRegion(std::string_view Name) {
  for (Registered *E = Head.load(std::memory_order_relaxed); E;
       E = E->Next.load(std::memory_order_relaxed))
    if (E->Text.empty() && E->Name == Name)
      return E->FirstSlot;
  auto *Region = new (std::nothrow) Registered;
  if (!Region || !hasRoomFor(1))
    return format::NoSlot;
  Region->Name = Name;
  publish(Region, 1);
  return Region->FirstSlot;
}

NodeGroup *newestGroup() { return Groups.load(std::memory_order_acquire); }

bool registerGroup(uint32_t Slot, std::string_view Members) {
  NodeGroup *Newest = newestGroup();
  for (NodeGroup *G = Newest; G; G = G->Next)
    if (G->Slot == Slot && G->Members == Members)
      return true;
  auto *Group = new (std::nothrow) NodeGroup;
  if (!Group)
    return false;
  Group->Slot = Slot;
  Group->Members = Members;
  Group->Next = Newest;
  Groups.store(Group, std::memory_order_release);
  return true;
}

} // namespace torchprof
