//===- Variants.h - what nodes take per shapes of their operands *- C++ -*-===//
//
// A variant is a node with one signature (format/Variant.h). The framework
// says, by a key, which signature the operands on its stack have, and writes
// the text when a key is new. Everything else is looked up by the key, before
// the clock is read.
//
// A node has a bounded number of signatures in a process; what comes with
// others shares one. A thread that has met these others no longer tells
// signatures apart that it meets for the first time later.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_VARIANTS_H
#define TORCHPROF_VARIANTS_H

#include "Lane.h"
#include "Operands.h"
#include "Process.h"
#include "torchprof/format/Variant.h"

#include <cstdint>
#include <string>

namespace torchprof {

class Recording;
struct Host;

/// How the framework's operands are read. \p Stack is what Operands has, the
/// values are the topmost ones. Both are called on the thread whose operands
/// they are.
struct SignatureReader {
  /// Tells signatures apart; 0 if these operands have none. Must not throw.
  uint64_t (*Key)(const void *Stack, unsigned Count);
  /// Text of the values, "float32[2,3] *". May throw.
  std::string (*Text)(const void *Stack, unsigned Count);
};

/// Names the reader, which lives as long as the process. Before recording;
/// without one no shapes are recorded.
void setSignatureReader(const SignatureReader *Reader);

/// The key of all signatures of a node that are not told apart.
inline constexpr uint64_t OtherSignatures = UINT64_MAX;

/// A signature that a lane has met at a node. In pages that a forked child
/// finds wiped, for its frames may lead here.
struct Variant {
  uint64_t Key; ///< never 0
  format::VariantCell *Data;
  Variant *Next; ///< of the same node, the one met last first
};

/// What the end of a span leaves to book.
struct EndedTicks {
  uint64_t Ticks;
  int64_t NetBytes; ///< as VariantCell has them
};

/// The variants of one recording. Called by the lane's owner.
class Variants {
public:
  Variants(ProfileFile &File, PageSource &Pages, const Host &Program);

  /// True if shapes were asked for and can be read.
  bool exist() const { return Most != 0; }

  /// What the lane knows of the signature with a reader's key at a node, or of
  /// all those beyond the bound; null if it meets the first of these now.
  static Variant *met(Lane &L, format::Slot Site, uint64_t Key);

  /// The variant that begins at a node, for end() or drop(); empty if it
  /// cannot be known.
  OpenVariant begin(Lane &L, format::Slot Site, const Operands &Of);

  /// The same of operands that are gone when the span ends; the outputs of a
  /// new one are to be told to complete().
  OpenVariant beginApart(Lane &L, format::Slot Site, const Operands &Of);
  static void complete(OpenVariant V, const Operands &Outputs);

  /// Books a span that was recorded. \p R is the recording of these variants.
  void end(Recording &R, Lane &L, format::Slot Site, OpenVariant V,
           uint64_t Begin, EndedTicks Ended);

  /// The same of a signature that the lane knows, by its cell.
  static void addSpan(format::VariantCell &C, uint64_t Begin, EndedTicks Ended);

  /// Forgets a span that was not.
  static void drop(OpenVariant V);

private:
  /// met() where the node's last call had another signature.
  static Variant *metBefore(Lane &L, format::Slot Site, uint64_t Key);
  static Variant *known(Lane &L, format::Slot Site, uint64_t Key);
  OpenVariant beginNew(Lane &L, format::Slot Site, Operands Of, uint64_t Key);
  bool makeEntries(Lane &L);
  static void emptyCell(format::VariantCell &C, uint32_t Epoch);
  /// end() of a signature that the lane has met for the first time.
  void endNew(Recording &R, Lane &L, format::Slot Site, NewVariant *New,
              uint64_t Begin, EndedTicks Ended);
  Variant *make(Recording &R, Lane &L, format::Slot Site, const NewVariant &V);
  format::Slot signatureOf(format::Slot Site, const NewVariant &New) const;
  format::VariantCell *makeCell(Lane &L, format::Slot Site,
                                format::Slot Signature);
  Variant *addTo(Lane &L, format::Slot Site, uint64_t Key,
                 format::VariantCell *Data);

  ProfileFile &File;
  PageSource &Pages;
  const SignatureReader *Read; ///< null: there is none
  unsigned Most; ///< signatures of a node; 0: no shapes are recorded
};

inline Variant *Variants::met(Lane &L, format::Slot Site, uint64_t Key) {
  if (number(Site) >= L.VariantCount) [[unlikely]]
    return nullptr;
  Variant *Last = L.Variants[number(Site)];
  if (!Last || Last->Key != Key) [[unlikely]]
    return metBefore(L, Site, Key);
  return Last;
}

inline OpenVariant Variants::begin(Lane &L, format::Slot Site,
                                   const Operands &Of) {
  if (!L.WithShapes || !Of.Stack)
    return {};
  uint64_t Key = Read->Key(Of.Stack, Of.Inputs);
  Variant *Known = met(L, Site, Key);
  return Known ? OpenVariant(Known) : beginNew(L, Site, Of, Key);
}

inline void Variants::addSpan(format::VariantCell &C, uint64_t Begin,
                              EndedTicks Ended) {
  using format::storeRelease;
  uint64_t Ticks = Ended.Ticks;
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  if (C.Epoch != Epoch) [[unlikely]]
    emptyCell(C, Epoch);
  uint64_t Word = C.Word;
  format::storeRelaxed(C.Word, Word + 1);
  storeRelease(C.Time, C.Time + Ticks);
  if (Ended.NetBytes)
    storeRelease(C.NetBytes, C.NetBytes + Ended.NetBytes);
  if (Ticks > C.Max) [[unlikely]]
    storeRelease(C.Max, Ticks);
  if (Word == 0) [[unlikely]] {
    storeRelease(C.FirstTicks, Begin);
    storeRelease(C.Min, Ticks);
  } else if (Ticks < C.Min) [[unlikely]] {
    storeRelease(C.Min, Ticks);
  }
  storeRelease(C.Word, Word + 2);
}

inline void Variants::end(Recording &R, Lane &L, format::Slot Site,
                          OpenVariant V, uint64_t Begin, EndedTicks Ended) {
  if (NewVariant *New = V.made()) [[unlikely]]
    return endNew(R, L, Site, New, Begin, Ended);
  // In a child of fork what the lane knew is wiped.
  if (Variant *Known = V.known(); Known && Known->Data) [[likely]]
    addSpan(*Known->Data, Begin, Ended);
}

} // namespace torchprof

#endif // TORCHPROF_VARIANTS_H
