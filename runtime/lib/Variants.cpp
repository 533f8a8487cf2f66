//===- Variants.cpp - what nodes take per shapes of their operands --------===//

#include "Variants.h"

#include "Host.h"
#include "Lineage.h"
#include "Pages.h"
#include "Process.h"
#include "ProfileFile.h"
#include "Recording.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <memory>
#include <utility>

namespace torchprof {

using namespace format;

static std::atomic<const SignatureReader *> Reader = nullptr;

void setSignatureReader(const SignatureReader *New) { Reader = New; }

/// A signature that its lane meets for the first time.
struct NewVariant {
  NewVariant(uint64_t Key, const Operands &Of, std::string Inputs)
      : Key(Key), Of(Of), Text(std::move(Inputs)), InputBytes(Text.size()) {}

  uint64_t Key;
  Operands Of;
  std::string Text; ///< of the inputs, then of the outputs too
  size_t InputBytes;
  bool IsComplete = false;
};

Variants::Variants(ProfileFile &File, PageSource &Pages, const Host &Program)
    : File(File), Pages(Pages), Read(Reader),
      Most(hasWord(Program.Opts.Record, "shapes") && Read
               ? unsigned(Program.Opts.ShapeVariants)
               : 0) {}

/// Finds the variant, and makes it the first of its node.
Variant *Variants::known(Lane &L, Slot Site, uint64_t Key) {
  Variant **Head = &L.Variants[number(Site)];
  for (Variant **Link = Head; Variant *V = *Link; Link = &V->Next) {
    if (V->Key != Key)
      continue;
    if (Link != Head) {
      *Link = V->Next;
      V->Next = *Head;
      *Head = V;
    }
    return V;
  }
  return nullptr;
}

bool Variants::makeEntries(Lane &L) {
  L.Variants = static_cast<Variant **>(
      Pages.plain(uint64_t(L.SlotCount) * sizeof(Variant *)));
  L.VariantCount = L.Variants ? L.SlotCount : 0;
  return L.Variants;
}

Variant *Variants::metBefore(Lane &L, Slot Site, uint64_t Key) {
  if (!Key)
    return nullptr;
  Variant *V = known(L, Site, Key);
  return V ? V : known(L, Site, OtherSignatures);
}

OpenVariant Variants::beginNew(Lane &L, Slot Site, Operands Of, uint64_t Key) {
  if (!Key || (!L.VariantCount && !makeEntries(L)) ||
      number(Site) >= L.VariantCount)
    return {};
  try {
    return OpenVariant(
        new NewVariant(Key, Of, Read->Text(Of.Stack, Of.Inputs)));
  } catch (const std::exception &) {
    return {};
  }
}

OpenVariant Variants::beginApart(Lane &L, Slot Site, const Operands &Of) {
  OpenVariant V = begin(L, Site, Of);
  if (NewVariant *New = V.made())
    New->Of = {};
  return V;
}

static void appendOutputs(NewVariant &New, const Operands &Of) {
  New.Text += " -> ";
  New.Text +=
      Reader.load(std::memory_order_relaxed)->Text(Of.Stack, Of.Outputs);
}

void Variants::complete(OpenVariant V, const Operands &Outputs) {
  NewVariant *New = V.made();
  if (!New || New->IsComplete)
    return;
  New->IsComplete = true;
  try {
    appendOutputs(*New, Outputs);
  } catch (const std::exception &) {
    // Its inputs tell it apart.
  }
}

/// The site of all signatures that are not told apart; NoSlot without memory.
static Slot othersOf(Slot Site) {
  ProcessLock Lock;
  return Line.Children.addOthers(Site, DynamicKind::Shape);
}

/// The site of a signature, which its inputs tell apart, or of all those beyond
/// the bound. NoSlot without memory, or below what has no signatures.
Slot Variants::signatureOf(Slot Site, const NewVariant &New) const {
  const RegisteredModel *Model = Line.Models.ownerOf(Site).Model;
  if (!Model)
    return NoSlot;
  ProcessLock Lock;
  SiteName Name(New.Text, New.InputBytes);
  Slot Known = Line.Children.knownChild(Site, DynamicKind::Shape, Name);
  if (Known != NoSlot)
    return Known;
  uint8_t &Count = Model->Signatures[Site - Model->FirstSlot];
  if (Count >= Most)
    return Line.Children.addOthers(Site, DynamicKind::Shape);
  ++Count;
  return Line.Children.addChild(Site, DynamicKind::Shape, Name);
}

VariantCell *Variants::makeCell(Lane &L, Slot Site, Slot Signature) {
  ProcessLock Lock;
  using VariantSegment = SegmentOf<SegmentType::Variants>;
  SegmentHeader *&Head = L.VariantCells;
  if (!Head || VariantSegment(Head).record().Used ==
                   VariantSegment(Head).record().Capacity) {
    constexpr uint32_t Capacity = 2 * PageBytes / sizeof(VariantCell) - 2;
    SegmentHeader *New =
        File.add(SegmentType::Variants, VariantSegment::payloadBytes(Capacity),
                 L.Number);
    if (!New)
      return nullptr;
    VariantSegment(New).record().Capacity = Capacity;
    File.publish();
    Head = New;
  }
  VariantsRecord &Record = VariantSegment(Head).record();
  VariantCell &New = VariantSegment(Head).entries()[Record.Used];
  storeRelaxed(New.Site, Site);
  storeRelaxed(New.Signature, Signature);
  storeRelaxed(New.Epoch, Process.Epoch.load(std::memory_order_relaxed));
  storeRelease(Record.Used, Record.Used + 1);
  return &New;
}

Variant *Variants::addTo(Lane &L, Slot Site, uint64_t Key, VariantCell *Data) {
  if (L.SpareVariants == L.EndOfVariants) {
    auto *More = static_cast<Variant *>(Pages.wiped(PageBytes));
    if (!More)
      return nullptr;
    L.SpareVariants = More;
    L.EndOfVariants = More + PageBytes / sizeof(Variant);
  }
  Variant *V = L.SpareVariants++;
  *V = {Key, Data, L.Variants[number(Site)]};
  L.Variants[number(Site)] = V;
  return V;
}

/// Makes the lane know a signature; null without memory.
Variant *Variants::make(Recording &R, Lane &L, Slot Site,
                        const NewVariant &New) {
  // Keys may tell apart what texts do not, those that are cut above all. Most
  // calls walk the list of keys: it is bounded as well.
  unsigned Keys = 0;
  for (const Variant *V = L.Variants[number(Site)]; V; V = V->Next)
    ++Keys;
  Slot Signature = Keys < 2 * Most ? signatureOf(Site, New) : othersOf(Site);
  const RegisteredChild *Child = Line.Children.childAt(Signature);
  if (!Child)
    return nullptr;
  uint64_t Key = Child->Flags & DF_Overflow ? OtherSignatures : New.Key;
  if (Variant *V = known(L, Site, Key)) // a span inside of this one was first
    return V;
  VariantCell *Data = nullptr;
  for (Variant *V = L.Variants[number(Site)]; V && !Data; V = V->Next)
    if (V->Data->Signature == Signature)
      Data = V->Data;
  if (!Data) {
    R.writeNote(Signature);
    Data = makeCell(L, Site, Signature);
  }
  return Data ? addTo(L, Site, Key, Data) : nullptr;
}

/// Makes a cell of an older epoch one of \p Epoch.
void Variants::emptyCell(VariantCell &C, uint32_t Epoch) {
  storeRelaxed(C.Word, C.Word | 1);
  for (uint64_t *Field : {&C.Time, &C.Min, &C.Max, &C.FirstTicks})
    storeRelease(*Field, 0);
  storeRelease(C.NetBytes, 0);
  storeRelease(C.Word, 0); // as in resetCell()
  storeRelease(C.Epoch, Epoch);
}

void Variants::endNew(Recording &R, Lane &L, Slot Site, NewVariant *New,
                      uint64_t Begin, EndedTicks Ended) {
  std::unique_ptr<NewVariant> Owned(New);
  Variant *Known = nullptr;
  try {
    if (!New->IsComplete && New->Of.Stack)
      appendOutputs(*New, New->Of);
    if (number(Site) < L.VariantCount && L.Attached)
      Known = make(R, L, Site, *New);
  } catch (const std::exception &) {
    // The span is in the node's cell alone.
  }
  if (Known && Known->Data)
    addSpan(*Known->Data, Begin, Ended);
}

void Variants::drop(OpenVariant V) { delete V.made(); }

} // namespace torchprof
