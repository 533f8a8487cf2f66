//===- Variant.h - what a node took per shapes of its operands --*- C++ -*-===//
//
// A signature is the text of a node's inputs and outputs, the name of a dynamic
// site of kind Shape below the node:
//
//   float32[2,3] float32[4,3] - * (int64[2] int64[3]@cuda) -> float32[2,4]
//
// A tensor is its dtype and sizes, followed by `:layout` unless it is strided
// and by `@device` unless that is the CPU; the sizes of a nested tensor are
// `?`. `-` is None or an undefined tensor, and tensors in brackets are a list
// or a tuple of them, or the weight and the bias in a packed object of a
// quantized operator. A string of up to 64 printable characters stands in
// quotes, of which it holds none: "bij,bjk->bik". `*` is whatever else holds no
// tensor. The outputs are those of the first span with such inputs. A text that
// is too long is cut (DF_Cut).
//
// A cell here is small: what a node's cell knows, its signatures share.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_VARIANT_H
#define TORCHPROF_FORMAT_VARIANT_H

#include "torchprof/format/Site.h"

#include <cstdint>

namespace torchprof::format {

/// Head of a Variants segment of a lane. Used grows (release) after a cell's
/// Site is set.
struct VariantsRecord {
  uint32_t Capacity;
  uint32_t Used;
};

/// The spans of one node with one signature on one lane. One writer; Word as in
/// Cell.
struct VariantCell {
  Slot Site;      ///< of the node
  uint32_t Epoch; ///< as in Cell
  Slot Signature; ///< dynamic site of kind Shape
  uint32_t Reserved0;
  uint64_t Word;       ///< 2 * number of spans, odd while updating
  uint64_t Time;       ///< ticks of all spans
  uint64_t Min;        ///< of one span
  uint64_t Max;        ///< of one span
  uint64_t FirstTicks; ///< begin of the first span
  /// What the spans allocated less what they freed, on the CPU; 0 if that was
  /// not measured.
  int64_t NetBytes;
};
static_assert(sizeof(VariantCell) == 64);

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_VARIANT_H
