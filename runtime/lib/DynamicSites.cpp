//===- DynamicSites.cpp - sites that come to be at run time ---------------===//

#include "DynamicSites.h"

#include "Process.h"

#include <memory>
#include <new>

namespace torchprof {

using namespace format;

SiteName::SiteName(std::string_view Text, size_t KeyBytes)
    : Text(Text.substr(0, DynamicSites::MaxNameBytes)),
      Key(this->Text.substr(0, KeyBytes)),
      Hash(hashText(Text.substr(0, KeyBytes))),
      IsCut(Text.size() > DynamicSites::MaxNameBytes) {}

static uint64_t placeOf(Slot Parent, DynamicKind Kind, uint64_t NameHash) {
  uint64_t Mixed = NameHash ^ (uint64_t(number(Parent)) << 8 | uint64_t(Kind));
  return (Mixed ^ Mixed >> 32) * 0x9e3779b97f4a7c15ull >> 20;
}

const RegisteredChild *DynamicSites::find(Slot Parent, DynamicKind Kind,
                                          const SiteName &Name) const {
  const Table *T = Children.load(std::memory_order_acquire);
  if (!T)
    return nullptr;
  for (uint64_t I = placeOf(Parent, Kind, Name.hash()) & T->Mask;;
       I = (I + 1) & T->Mask) {
    const RegisteredChild *C = T->Entries[I].load(std::memory_order_acquire);
    if (!C || (C->Hash == Name.hash() && C->Parent == Parent &&
               C->Kind == Kind && C->key() == Name.key()))
      return C;
  }
}

Slot DynamicSites::findOrOverflow(Slot Parent, DynamicKind Kind,
                                  const SiteName &Name) const {
  if (const RegisteredChild *Known = find(Parent, Kind, Name)) [[likely]]
    return Known->Site;
  static const SiteName Overflow(OverflowName);
  const RegisteredChild *Others = find(Parent, Kind, Overflow);
  if (!Others || !(Others->Flags & DF_Overflow))
    return NoSlot;
  count(Counter::DynamicOverflow);
  return Others->Site;
}

std::atomic<const RegisteredChild *> &DynamicSites::newestOf(const Table &T,
                                                             Slot Parent) {
  for (uint64_t I = placeOf(Parent, DynamicKind(), 0) & T.Mask;;
       I = (I + 1) & T.Mask) {
    const RegisteredChild *C = T.Newest[I].load(std::memory_order_relaxed);
    if (!C || C->Parent == Parent)
      return T.Newest[I];
  }
}

uint32_t DynamicSites::childrenOf(Slot Parent) const {
  const Table *T = Children.load(std::memory_order_relaxed);
  const RegisteredChild *C =
      T ? newestOf(*T, Parent).load(std::memory_order_relaxed) : nullptr;
  return C ? C->Number : 0;
}

uint32_t DynamicSites::levelOf(Slot Site) const {
  const RegisteredChild *Child = childAt(Site);
  return Child ? Child->Level : 0;
}

/// Children of one parent come in their order.
void DynamicSites::insert(const Table &T, const RegisteredChild &Child) {
  uint64_t I = placeOf(Child.Parent, Child.Kind, Child.Hash) & T.Mask;
  while (T.Entries[I].load(std::memory_order_relaxed))
    I = (I + 1) & T.Mask;
  T.Entries[I].store(&Child, std::memory_order_release);
  newestOf(T, Child.Parent).store(&Child, std::memory_order_release);
}

/// Makes room for one more child: a slot for it and a place in the table.
bool DynamicSites::makeRoom() {
  if (!Newest || Newest->Block.Children[DynamicBlockSlots - 1].load(
                     std::memory_order_relaxed)) {
    auto *List = new (std::nothrow) BlockList;
    if (!List ||
        !Slots.addBlock(List->Block, List->Block.First, DynamicBlockSlots))
      return false;
    if (Newest)
      Newest->Next.store(List, std::memory_order_release);
    else
      Blocks.store(List, std::memory_order_release);
    Newest = List;
  }
  const Table *Old = Children.load(std::memory_order_relaxed);
  if (Old && 2 * (Count + 1) <= Old->Mask)
    return true;
  uint64_t Size = Old ? 2 * (Old->Mask + 1) : 256;
  using Entry = std::atomic<const RegisteredChild *>;
  std::unique_ptr<Entry[]> Entries(new (std::nothrow) Entry[Size]());
  std::unique_ptr<Entry[]> Newest(new (std::nothrow) Entry[Size]());
  auto *New = Entries && Newest
                  ? new (std::nothrow)
                        Table{Size - 1, Entries.get(), Newest.get(), Old}
                  : nullptr;
  if (!New)
    return false;
  Entries.release(); // as long as the process
  Newest.release();
  each([New](const RegisteredChild &C) { insert(*New, C); });
  Children.store(New, std::memory_order_release);
  return true;
}

const RegisteredChild *DynamicSites::add(Slot Parent, DynamicKind Kind,
                                         const SiteName &Name, uint32_t Flags) {
  if (!makeRoom())
    return nullptr;
  uint32_t Place = Count % DynamicBlockSlots;
  if (Name.isCut())
    Flags |= DF_Cut;
  auto *Child = new (std::nothrow) RegisteredChild{Newest->Block.First + Place,
                                                   Parent,
                                                   Kind,
                                                   Flags,
                                                   childrenOf(Parent) + 1,
                                                   levelOf(Parent) + 1,
                                                   Name.hash(),
                                                   Name.key().size(),
                                                   std::string(Name.text())};
  if (!Child)
    return nullptr;
  ++Count;
  Newest->Block.Children[Place].store(Child, std::memory_order_release);
  insert(*Children.load(std::memory_order_relaxed), *Child);
  return Child;
}

Slot DynamicSites::knownChild(Slot Parent, DynamicKind Kind,
                              const SiteName &Name) const {
  const RegisteredChild *Known = find(Parent, Kind, Name);
  return Known ? Known->Site : NoSlot;
}

Slot DynamicSites::addChild(Slot Parent, DynamicKind Kind, const SiteName &Name,
                            uint32_t Flags) {
  const RegisteredChild *New = add(Parent, Kind, Name, Flags);
  return New ? New->Site : NoSlot;
}

Slot DynamicSites::addOthers(Slot Parent, DynamicKind Kind) {
  SiteName Name(OverflowName);
  Slot Known = knownChild(Parent, Kind, Name);
  return Known != NoSlot ? Known : addChild(Parent, Kind, Name, DF_Overflow);
}

Slot DynamicSites::childSlot(Slot Parent, DynamicKind Kind,
                             const SiteName &Name) {
  Slot Known = findOrOverflow(Parent, Kind, Name);
  if (Known != NoSlot) [[likely]]
    return Known;
  uint32_t Level = levelOf(Parent);
  if (Level > MaxLevels) {
    count(Counter::DynamicOverflow);
    return Parent; // which stands for others already
  }
  ProcessLock Lock;
  Known = findOrOverflow(Parent, Kind, Name);
  if (Known != NoSlot)
    return Known;
  return Level < MaxLevels && childrenOf(Parent) < MaxChildren
             ? addChild(Parent, Kind, Name)
             : addOthers(Parent, Kind);
}

const RegisteredChild *DynamicSites::childAt(Slot Site) const {
  const DynamicBlock *Block = Slots.ownerOf(Site).Block;
  if (!Block)
    return nullptr;
  return Block->Children[Site - Block->First].load(std::memory_order_acquire);
}

} // namespace torchprof
