//===- Signatures.cpp - dtypes and sizes of values on a stack -------------===//

#include "SignatureKey.h"
#include "Variants.h"

#include <ATen/core/class_type.h>
#include <ATen/core/function.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>
#include <ATen/record_function.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

namespace torchprof {

using torch::jit::Stack;

namespace {

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Of a list or a tuple.
c10::ArrayRef<c10::IValue> elementsOf(const c10::IValue &V) {
  return V.isTuple() ? V.toTupleRef().elements().asArrayRef() : V.toListRef();
}

/// True if the value is a list or a tuple of tensors, some of which may be
/// None, or of such lists.
bool hasTensors(const c10::IValue &V) {
  if (V.isList()) {
    c10::ArrayRef<c10::IValue> List = V.toListRef();
    return !List.empty() &&
           (List[0].isTensor() || List[0].isNone() || hasTensors(List[0]));
  }
  if (!V.isTuple())
    return false;
  for (const c10::IValue &Element : elementsOf(V))
    if (Element.isTensor() || hasTensors(Element))
      return true;
  return false;
}

/// The string that a signature has of a value; null if it has none. What a
/// signature cannot quote, or has no room for, does not count.
const std::string *wordOf(const c10::IValue &V) {
  constexpr size_t MostCharacters = 64;
  if (!V.isString())
    return nullptr;
  const std::string &Word = V.toStringRef();
  bool IsPlain = Word.size() <= MostCharacters &&
                 std::all_of(Word.begin(), Word.end(), [](char C) {
                   return C >= ' ' && C <= '~' && C != '"';
                 });
  return IsPlain ? &Word : nullptr;
}

} // namespace

SignatureHash withOther(SignatureHash H, const c10::IValue &V) {
  if (const std::string *Word = wordOf(V)) {
    H = H.with(H.StringHere);
    for (char C : *Word)
      H = H.with(uint64_t(C));
    return H;
  }
  if (!hasTensors(V))
    return H.with(H.NoTensor);
  H = H.with(H.ListHere);
  for (const c10::IValue &Element : elementsOf(V))
    H = withValue(H, Element);
  return H.with(H.ListEnds);
}

namespace {

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// The dtype as Python calls it, without "torch.".
std::string nameOf(c10::ScalarType Type) {
  switch (Type) {
  case c10::ScalarType::Byte:
    return "uint8";
  case c10::ScalarType::Char:
    return "int8";
  case c10::ScalarType::Short:
    return "int16";
  case c10::ScalarType::Int:
    return "int32";
  case c10::ScalarType::Long:
    return "int64";
  case c10::ScalarType::Half:
    return "float16";
  case c10::ScalarType::Float:
    return "float32";
  case c10::ScalarType::Double:
    return "float64";
  case c10::ScalarType::ComplexHalf:
    return "complex32";
  case c10::ScalarType::ComplexFloat:
    return "complex64";
  case c10::ScalarType::ComplexDouble:
    return "complex128";
  default: // Bool, QInt8, BFloat16, Float8_e5m2, UInt16, ...
    std::string Name = c10::toString(Type);
    for (char &C : Name)
      C = char(std::tolower(static_cast<unsigned char>(C)));
    return Name;
  }
}

/// The layout if it is not strided, "sparse_csr".
std::string layoutOf(const at::Tensor &T) {
  if (T.is_nested())
    return "nested";
  switch (T.layout()) {
  case c10::kStrided:
    return "";
  case c10::kSparse:
    return "sparse";
  case c10::kSparseCsr:
    return "sparse_csr";
  case c10::kSparseCsc:
    return "sparse_csc";
  case c10::kSparseBsr:
    return "sparse_bsr";
  case c10::kSparseBsc:
    return "sparse_bsc";
  case c10::kMkldnn:
    return "mkldnn";
  default:
    return "other";
  }
}

void appendTensor(std::string &Text, const at::Tensor &T) {
  if (!T.defined()) {
    Text += '-';
    return;
  }
  Text += nameOf(T.scalar_type());
  Text += '[';
  if (T.is_nested()) {
    Text += '?';
  } else {
    const char *Separator = "";
    for (int64_t Size : T.sizes()) {
      Text += Separator;
      Text += std::to_string(Size);
      Separator = ",";
    }
  }
  Text += ']';
  if (std::string Layout = layoutOf(T); !Layout.empty())
    Text.append(":").append(Layout);
  if (c10::Device Device = T.device(); !Device.is_cpu())
    Text.append("@").append(Device.str());
}

/// What the method \p Name of an object gives, if the object is of one of
/// LibTorch's own classes in \p Package, else None. Objects of other classes
/// must not be asked: their methods may do anything.
c10::IValue ask(const c10::IValue &V, std::string_view Package,
                const char *Name) try {
  if (!V.isObject())
    return {};
  const c10::ClassType &Class = *V.toObjectRef().type();
  if (!Class.name() || Class.name()->qualifiedName().rfind(Package, 0) != 0)
    return {};
  torch::jit::Function *Method = Class.findMethod(Name);
  if (!Method)
    return {};
  at::RecordFunctionGuard NoCallbacks(/*is_enabled=*/false);
  Stack Values{V};
  Method->run(Values);
  return Values.size() == 1 && Values[0].isTuple() ? Values[0] : c10::IValue();
} catch (const std::exception &) {
  return {}; // it has been freed, or is of another kind of processor
}

/// The weight and the bias in a packed object of a quantized operator, as a
/// tuple; None of other values.
c10::IValue unpackedWeight(const c10::IValue &V) {
  return ask(V, "__torch__.torch.classes.quantized.", "unpack");
}

/// The packed weights, of the input and of the state, in the object of a
/// recurrent operator's cell; empty for other values. Its state is a tuple of
/// the kind, tensors, numbers, integers, and the packed weights.
c10::ArrayRef<c10::IValue> packedWeightsOf(const c10::IValue &State) {
  if (!State.isTuple() || elementsOf(State).size() != 5 ||
      !elementsOf(State)[4].isList())
    return {};
  return elementsOf(State)[4].toListRef();
}

/// The weights in a list of cells as aten::lstm has them, of each cell both
/// weights and then both biases, as a tuple; None of other values.
c10::IValue unpackedCells(const c10::IValue &V) {
  std::vector<c10::IValue> All;
  for (const c10::IValue &Cell : V.toListRef()) {
    c10::IValue State =
        ask(Cell, "__torch__.torch.classes.rnn.", "__getstate__");
    std::vector<c10::IValue> Biases;
    for (const c10::IValue &Packed : packedWeightsOf(State)) {
      c10::IValue Parts = unpackedWeight(Packed);
      if (Parts.isNone() || elementsOf(Parts).size() != 2)
        return {};
      All.push_back(elementsOf(Parts)[0]);
      if (!elementsOf(Parts)[1].isNone())
        Biases.push_back(elementsOf(Parts)[1]);
    }
    if (All.empty())
      return {};
    All.insert(All.end(), Biases.begin(), Biases.end());
  }
  return c10::ivalue::Tuple::create(std::move(All));
}

c10::IValue unpacked(const c10::IValue &V) {
  return V.isList() ? unpackedCells(V) : unpackedWeight(V);
}

void appendValue(std::string &Text, const c10::IValue &V) {
  if (V.isTensor())
    return appendTensor(Text, V.toTensor());
  if (V.isNone()) {
    Text += '-';
  } else if (hasTensors(V)) {
    char Separator = '(';
    for (const c10::IValue &Element : elementsOf(V)) {
      Text += Separator;
      appendValue(Text, Element);
      Separator = ' ';
    }
    Text += ')';
  } else if (const std::string *Word = wordOf(V)) {
    Text.append("\"").append(*Word).append("\"");
  } else if (c10::IValue Parts = unpacked(V); !Parts.isNone()) {
    appendValue(Text, Parts);
  } else {
    Text += '*';
  }
}

std::string textOf(const void *Values, unsigned Count) {
  const auto &S = *static_cast<const Stack *>(Values);
  std::string Text;
  if (S.size() < Count)
    return Text;
  for (size_t I = S.size() - Count; I < S.size(); ++I) {
    if (!Text.empty())
      Text += ' ';
    appendValue(Text, S[I]);
  }
  return Text;
}

uint64_t keyOf(const void *Values, unsigned Count) {
  const auto &S = *static_cast<const Stack *>(Values);
  return S.size() < Count ? 0 : signatureKey(S, Count);
}

constexpr SignatureReader Reader{keyOf, textOf};

const bool ReadsSignatures = (setSignatureReader(&Reader), true);

} // namespace

} // namespace torchprof
