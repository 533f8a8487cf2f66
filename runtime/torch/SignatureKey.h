//===- SignatureKey.h - tells signatures of a node apart --------*- C++ -*-===//
//
// The key of a signature (Variants.h) is made for each node that runs, so it
// reads what lies nearest: a tensor's dispatch keys stand for its device,
// layout and kind. They tell more tensors apart than texts do, which then share
// a variant. What is in an object, on the other hand, only texts say: a node
// has one object.
//
// Inline, for a timed node: operators fill the nearest cache for code, where
// each line more pushes out some that come next.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TORCH_SIGNATUREKEY_H
#define TORCHPROF_TORCH_SIGNATUREKEY_H

#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>

#include <bit>
#include <cstdint>

namespace torchprof {

/// A hash of words, one by one: add, multiply by the odd number nearest to 2^64
/// divided by the golden ratio. No multiple of that below 2^31 lies nearer to
/// one of 2^64 than 2^31: lists of sizes that differ in no more than two
/// dimensions that follow each other have different sums. By value, so that it
/// stays in a register.
class SignatureHash {
public:
  /// What a value begins with; a tensor begins with its dispatch keys.
  enum : uint64_t {
    NoTensor = 1,
    NoneHere = 2,
    ListHere = 3,
    ListEnds = 4,
    StringHere = 5
  };

  [[nodiscard]] SignatureHash with(uint64_t Word) const {
    SignatureHash Next;
    Next.Sum = (Sum + Word) * 0x9e3779b97f4a7c15ull;
    return Next;
  }
  uint64_t sum() const { return Sum; }

private:
  uint64_t Sum = 0;
};

inline SignatureHash withTensor(SignatureHash H, const at::Tensor &T) {
  if (!T.defined()) [[unlikely]]
    return H.with(H.NoneHere);
  c10::TensorImpl &Impl = *T.unsafeGetTensorImpl();
  H = H.with(Impl.key_set().raw_repr());
  auto Dtype = uint64_t(std::bit_cast<uint16_t>(Impl.dtype()));
  if (T.is_nested()) [[unlikely]]
    return H.with(Dtype);
  c10::IntArrayRef Sizes = Impl.sizes();
  H = H.with(Dtype << 32 | Sizes.size());
  for (int64_t Size : Sizes)
    H = H.with(uint64_t(Size));
  return H;
}

/// Of what is neither a tensor, nor a number, nor None. Out of line, for few
/// are such.
SignatureHash withOther(SignatureHash H, const c10::IValue &V);

inline SignatureHash withValue(SignatureHash H, const c10::IValue &V) {
  if (V.isTensor()) [[likely]]
    return withTensor(H, V.toTensor());
  if (V.isNone())
    return H.with(H.NoneHere);
  if (V.isInt() || V.isDouble() || V.isBool())
    return H.with(H.NoTensor);
  return withOther(H, V);
}

/// SignatureReader::Key of the topmost \p Count values, which are there.
inline uint64_t signatureKey(const torch::jit::Stack &S, unsigned Count) {
  const c10::IValue *End = S.data() + S.size();
  SignatureHash H;
  try {
    for (const c10::IValue *V = End - Count; V != End; ++V)
      H = withValue(H, *V);
  } catch (...) { // a tensor that has no sizes, or none that are numbers
    return 0;
  }
  return H.sum();
}

} // namespace torchprof

#endif // TORCHPROF_TORCH_SIGNATUREKEY_H
