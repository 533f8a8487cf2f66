//===- Work.cpp - what operators compute and move -------------------------===//
//
// A rule is one column of an operator's row: a number from the operands of a
// call. To debug one, parse the signature that `summary --group-by=shape` shows
// and call workOf(), as WorkTest.cpp does.
//
//===----------------------------------------------------------------------===//

#include "Work.h"
#include "Einsum.h"
#include "WorkCall.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;
using namespace torchprof::report::work;

static double larger(double A, double B) {
  return std::isnan(A) || std::isnan(B) ? Unknown : std::max(A, B);
}

static bool hasTensor(ArrayRef<Operand> Operands) {
  return any_of(Operands, [](const Operand &O) {
    return O.isTensor() || hasTensor(O.Elements);
  });
}

namespace {

using Rule = double (*)(const Call &);

struct Operator {
  StringLiteral Kind;
  Rule Flops, OtherOps, Bytes;
};

} // namespace

static double nothing(const Call &) { return 0; }

//===----------------------------------------------------------------------===//
// Products and convolutions
//===----------------------------------------------------------------------===//

/// Input First [.., M, K] times the input after it [.., K, N].
template <unsigned First> static double product(const Call &C) {
  return 2 * C.in(First).elements() * C.in(First + 1)[-1];
}

/// Input Matrix [M, K] times a vector, or a vector times another one.
template <unsigned Matrix> static double vectorProduct(const Call &C) {
  return 2 * C.in(Matrix).elements();
}

/// K products for each output.
static double batchedProduct(const Call &C) {
  return 2 * C.out().elements() * C.in(0)[-1];
}

/// One multiplication for each output.
static double outerProduct(const Call &C) { return C.out().elements(); }

/// [F, K], [K, G] and [F, G] hold F K, K G and F G elements, whatever the
/// dimensions that F, G and K stand for.
static double contraction(Shape Left, Shape Right, Shape Out) {
  return 2 * std::sqrt(Left.elements() * Right.elements() * Out.elements());
}

static double contraction(const Call &C) {
  return contraction(C.in(0), C.in(1), C.out());
}

/// One product, or what LibTorch computes at once: those of one factor with
/// each of the others, or the sum of several, first all left factors.
static double products(const Call &C) {
  size_t Inputs = C.S.Inputs.size(), Outputs = C.S.Outputs.size();
  if (Inputs <= 2)
    return product<0>(C);
  double Sum = 0;
  if (Outputs == 1 && Inputs % 2 == 0)
    for (size_t I = 0; I < Inputs / 2; ++I)
      Sum += contraction(C.in(I), C.in(Inputs / 2 + I), C.out());
  else if (Outputs == Inputs - 1)
    for (size_t I = 0; I < Outputs; ++I)
      Sum += contraction(C.in(0), C.in(1 + I), C.out(I));
  else
    return Unknown;
  return Sum;
}

/// Input 0 is the equation, input 2 a path, or None.
static Optional<Contractions> einsum(const Call &C) {
  ArrayRef<Operand> In = C.S.Inputs;
  bool IsKnown = In.size() >= 2 && In[0].Kind == OperandKind::String &&
                 In[1].Kind == OperandKind::List;
  if (!IsKnown || (In.size() > 2 && In[2].Kind != OperandKind::None &&
                   In[1].Elements.size() > 2))
    return None;
  return contractionsOf(In[0].Text, In[1].Elements);
}

static double einsumFlops(const Call &C) {
  Optional<Contractions> Of = einsum(C);
  return Of ? Of->Flops : Unknown;
}

static double einsumOps(const Call &C) {
  Optional<Contractions> Of = einsum(C);
  return Of ? Of->OtherOps : Unknown;
}

static double linear(const Call &C) {
  Shape Weight = C.in(1);
  double Outputs = Weight.rank() == 1 ? 1 : Weight[0];
  return 2 * C.in(0).elements() * Outputs;
}

/// Inputs [.., I1] and [.., I2], weight [O, I1, I2]: the first with the weight,
/// then with the second, which is how LibTorch goes about it (_trilinear).
static double bilinear(const Call &C) {
  Shape Weight = C.in(2);
  return 2 * C.out().elements() * Weight[2] * (Weight[1] + 1);
}

static double packedLinear(const Call &C) {
  return 2 * C.in(0).elements() * C.packedWeight()[0];
}

/// A weight is [out, in / groups, ...]: each output sums up one row of it.
static double convolution(const Call &C) {
  return 2 * C.out().elements() * C.in(1).elementsOfRow();
}

/// A weight is [in, out / groups, ...]: each input is spread by one row of it.
static double transposedConvolution(const Call &C) {
  return 2 * C.in(0).elements() * C.in(1).elementsOfRow();
}

static double packedConvolution(const Call &C) {
  return 2 * C.out().elements() * C.packedWeight().elementsOfRow();
}

static double packedTransposedConvolution(const Call &C) {
  return 2 * C.in(0).elements() * C.packedWeight().elementsOfRow();
}

/// True if a transposed convolution with a stride above 1 in some dimension,
/// no dilation and padding below the kernel's size makes such an output.
/// PyTorch's documentation of ConvTranspose2d has, for a stride s, a kernel's
/// size k, padding p and output padding o < s,
///
///   out = (in - 1) s + k + o - 2 p
///
/// so that (out - k + 1) / in <= s <= (out + k - 2) / (in - 1).
static bool isStretched(const Call &C) {
  Shape In = C.in(0), Weight = C.in(1), Out = C.out();
  bool HasStride = false;
  for (int I = 1; I <= Weight.rank() - 2; ++I) {
    double Kernel = Weight[-I];
    double Least = std::max(1., std::ceil((Out[-I] - Kernel + 1) / In[-I]));
    double Most = In[-I] > 1 ? std::floor((Out[-I] + Kernel - 2) / (In[-I] - 1))
                             : std::max(Least, Out[-I]);
    if (!(Least <= Most))
      return false;
    HasStride |= Most > 1;
  }
  return HasStride;
}

/// Whether a convolution is transposed is a flag, but the weight's first size
/// are the channels of the output, or of the input if it is. Where both have as
/// many, an image that is several times as large is taken for the result of a
/// transposed one, and one that is larger by something else for that of
/// padding, as causal convolutions have it; where the images have one size as
/// well, both formulas have one result.
static double anyConvolution(const Call &C) {
  Shape Weight = C.in(1);
  int Channels = 1 - Weight.rank();
  bool FitsInput = C.in(0)[Channels] == Weight[0];
  bool FitsOutput = C.out()[Channels] == Weight[0];
  if (!FitsInput && !FitsOutput)
    return Unknown;
  bool IsTransposed =
      FitsInput && FitsOutput
          ? C.out().elements() > C.in(0).elements() && isStretched(C)
          : FitsInput;
  return IsTransposed ? transposedConvolution(C) : convolution(C);
}

/// [time, batch, out] from a weight [kernel, in, out].
static double timeFirstConvolution(const Call &C) {
  return 2 * C.out().elements() * C.in(1)[0] * C.in(1)[1];
}

/// The weights are the last list. Each matrix of them is multiplied with a
/// vector at each step of each sequence, which are the rows of the input:
/// [time, batch, features], [batch, time, features], without a batch, or
/// packed.
static double recurrent(const Call &C) {
  double Weights = 0;
  for (const Operand &O : reverse(C.S.Inputs)) {
    if (!isList(O))
      continue;
    for (const Operand &Element : O.Elements)
      if (Element.isTensor() && Element.Sizes.size() != 1)
        Weights += Shape(&Element).elements();
    break;
  }
  return Weights == 0 ? Unknown : 2 * C.in(0).rows() * Weights;
}

/// One step: input, state, weight of the input, weight of the state.
static double recurrentCell(const Call &C) {
  return 2 * C.in(0).rows() * (C.in(2).elements() + C.in(3).elements());
}

/// The weights are in objects. If these say nothing, the only list is the
/// state.
static double packedLstm(const Call &C) {
  return count_if(C.S.Inputs, isList) == 2 ? recurrent(C) : Unknown;
}

static double packedRecurrentCell(const Call &C) {
  return 2 * C.in(0).rows() *
         (C.packedWeight(2).elements() + C.packedWeight(3).elements());
}

/// Query [.., L, E], key [.., S, E] and value [.., S, Ev]: scores, and their
/// sums of the values. The batch is the output's: a key's may be broadcast, and
/// one of its heads may serve several of the query's.
static double attention(const Call &C) {
  Shape Key = C.in(1), Value = C.in(2);
  return 2 * C.out().rows() * Key[-2] * (C.in(0)[-1] + Value[-1]);
}

/// Query, key and value [B, L, E] by a third of the weight in input 5 each,
/// attention, and the projection by input 7.
static double multiHeadAttention(const Call &C) {
  Shape Query = C.in(0), Key = C.in(1), Value = C.in(2);
  double Width = C.in(5)[0] / 3;
  double Projections =
      (Query.elements() + Key.elements() + Value.elements()) * Width +
      Query.rows() * C.in(7).elements();
  return 2 * (Projections + Query.rows() * Key[-2] * 2 * Width);
}

/// The weights are input 3 (query, key, value), 5 (projection), 14 and 16
/// (feed forward) for the input [B, L, E].
static double encoderLayer(const Call &C) {
  Shape X = C.in(0);
  double Weights = C.in(3).elements() + C.in(5).elements() +
                   C.in(14).elements() + C.in(16).elements();
  return 2 * X.rows() * (Weights + 2 * X[-2] * X[-1]);
}

//===----------------------------------------------------------------------===//
// Other operations
//===----------------------------------------------------------------------===//

template <unsigned Cost> static double perOutput(const Call &C) {
  return Cost * C.out().elements();
}

/// For each element of the input. Of two inputs that are broadcast the output
/// may be the larger one (aten::max).
template <unsigned Cost> static double perElement(const Call &C) {
  return Cost * larger(C.in(0).elements(), C.out().elements());
}

/// One for the mean, three for the variance, two to apply them; one more for
/// each of the input Weight and the bias after it.
template <unsigned Weight> static double normalization(const Call &C) {
  unsigned Affine = C.in(Weight).isKnown() + C.in(Weight + 1).isKnown();
  return (6 + Affine) * C.out().elements();
}

/// Of two tensors by a condition, which may be broadcast; or, of a condition
/// alone, the indices where it is true, in a list.
static double selections(const Call &C) {
  return C.out().isKnown() ? C.out().elements() : C.in(0).elements();
}

/// One per element of the rows that the indices name.
static double bagOps(const Call &C) {
  return C.in(1).elements() * C.in(0).elementsOfRow();
}

/// How many elements of the first input are written: as many as values, or as
/// indices if the value is one number.
static double scatteredElements(const Call &C) {
  double Most = 0;
  for (const Operand &O : C.rest()) {
    if (O.isTensor())
      Most = larger(Most, Shape(&O).elements());
    for (const Operand &Element : O.Elements)
      if (Element.isTensor())
        Most = larger(Most, Shape(&Element).elements());
  }
  return Most;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static double outputs(const Call &C) { return bytesOf(C.S.Outputs); }

static double operands(const Call &C) {
  return bytesOf(C.S.Inputs) + bytesOf(C.S.Outputs);
}

/// The first input, a tensor, is not read.
static double overwrites(const Call &C) {
  if (!C.in(0).isKnown()) // aten::copy of a list
    return Unknown;
  return bytesOf(C.rest()) + bytesOf(C.S.Outputs);
}

/// Of the first input as much is read as is written.
static double gathered(const Call &C) {
  return overwrites(C) + bytesOf(C.S.Outputs);
}

/// The first input is copied unless it is written in place.
static double scattered(const Call &C) {
  double Copied = C.IsInPlace ? 0 : 2 * C.in(0).elements() * C.itemBytes();
  return Copied + bytesOf(C.rest()) + scatteredElements(C) * C.itemBytes();
}

/// As embedding, but the rows that are read are summed up before they are
/// written.
static double bagBytes(const Call &C) {
  return overwrites(C) + bagOps(C) * C.itemBytes();
}

/// Nothing if the tensor is already what is asked for. What is asked for may be
/// another tensor's dtype and device, so only the first input is read. It may
/// be a number or a list of them.
static double converted(const Call &C) {
  if (!hasTensor(C.S.Inputs))
    return outputs(C);
  if (!C.in(0).isKnown() || !C.out().isKnown())
    return Unknown;
  const Operand &From = C.S.Inputs.front(), &To = C.S.Outputs.front();
  bool IsSame = From.Dtype == To.Dtype && From.Layout == To.Layout &&
                From.Device == To.Device;
  return IsSame ? 0 : bytesOf(From) + bytesOf(To);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static const Operator Operators[] = {
#define OPERATOR(KIND, FLOPS, OTHER_OPS, BYTES, WHY)                           \
  {KIND, FLOPS, OTHER_OPS, BYTES},
#include "Operators.def"
};

static const Operator *findExactly(StringRef Kind) {
  static const StringMap<const Operator *> ByKind = [] {
    StringMap<const Operator *> Map;
    for (const Operator &O : Operators) {
      bool IsNew = Map.try_emplace(O.Kind, &O).second;
      assert(IsNew && "an operator has two rows");
      (void)IsNew;
    }
    return Map;
  }();
  return ByKind.lookup(Kind);
}

/// An in-place form has the name of the row and one underscore more. `__and__`
/// is none.
static const Operator *find(StringRef Kind, bool &IsInPlace) {
  IsInPlace = Kind.endswith("_") && !Kind.endswith("__");
  const Operator *Found = findExactly(Kind);
  return Found || !IsInPlace ? Found : findExactly(Kind.drop_back());
}

bool report::runsOtherNodes(StringRef Kind) {
  return StringSwitch<bool>(Kind)
      .Cases("method", "prim::CallFunction", "prim::CallMethod", "prim::If",
             "prim::Loop", "prim::fork", true)
      .Default(false);
}

Optional<Work> report::workOf(StringRef Kind, const Signature &S) {
  bool IsInPlace = false;
  const Operator *Row = find(Kind, IsInPlace);
  if (!Row)
    return None;
  if (Row->Bytes == nothing)
    return Work();
  if (!S.IsWhole || S.Outputs.empty()) // it may be cut where outputs begin
    return None;
  if (!hasTensor(S.Inputs) && !hasTensor(S.Outputs))
    return Work();
  Call C(S, IsInPlace);
  Work W{Row->Flops(C), Row->OtherOps(C), Row->Bytes(C)};
  if (!std::isfinite(W.Flops + W.OtherOps + W.Bytes))
    return None;
  return W;
}
