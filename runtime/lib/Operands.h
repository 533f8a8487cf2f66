//===- Operands.h - what a node works on ------------------------*- C++ -*-===//
//
// The collector does not know the framework's values: it passes on where they
// are to who does (Variants.h).
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_OPERANDS_H
#define TORCHPROF_OPERANDS_H

#include <cstdint>

namespace torchprof {

/// The operands of a node, on top of a stack: its inputs before it runs, its
/// outputs afterwards.
struct Operands {
  const void *Stack = nullptr; ///< null if they are not known
  uint16_t Inputs = 0;
  uint16_t Outputs = 0;
};

struct Variant;
struct NewVariant;

/// What is known at a span's begin of the variant that it belongs to. Owns a
/// NewVariant.
class OpenVariant {
public:
  OpenVariant() = default;
  explicit OpenVariant(Variant *Known)
      : Bits(reinterpret_cast<uintptr_t>(Known)) {}
  explicit OpenVariant(NewVariant *New)
      : Bits(reinterpret_cast<uintptr_t>(New) | 1) {}

  explicit operator bool() const { return Bits != 0; }
  /// One of the two, the other is null.
  Variant *known() const {
    return Bits & 1 ? nullptr : reinterpret_cast<Variant *>(Bits);
  }
  NewVariant *made() const {
    return Bits & 1 ? reinterpret_cast<NewVariant *>(Bits - 1) : nullptr;
  }

private:
  uintptr_t Bits = 0;
};

} // namespace torchprof

#endif // TORCHPROF_OPERANDS_H
