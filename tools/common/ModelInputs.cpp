//===- ModelInputs.cpp - arguments for a method ---------------------------===//

#include "ModelInputs.h"

#include "InputFile.h"
#include "InputSpec.h"
#include "PickleItems.h"
#include "torchprof/Passes.h"

#include <ATen/Functions.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/csrc/jit/serialization/unpickler.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace torchprof {

using namespace torch::jit;
using c10::IValue;
using c10::TypePtr;

static at::ScalarType scalarType(const std::string &Name) {
  if (Name == "float")
    return at::kFloat;
  if (Name == "double")
    return at::kDouble;
  if (Name == "half")
    return at::kHalf;
  if (Name == "bfloat16")
    return at::kBFloat16;
  if (Name == "int64")
    return at::kLong;
  if (Name == "int32")
    return at::kInt;
  if (Name == "int16")
    return at::kShort;
  if (Name == "int8")
    return at::kChar;
  if (Name == "uint8")
    return at::kByte;
  if (Name == "bool")
    return at::kBool;
  return Name == "complex64" ? at::kComplexFloat : at::kComplexDouble;
}

/// Otherwise the kernel would kill this process, and perhaps another one.
static void checkMemory(double Bytes) {
  if (Bytes > static_cast<double>(physicalMemory()))
    throw InstrumentError("takes " + std::to_string(uint64_t(Bytes / 1048576)) +
                          " MiB, more than this machine's memory");
}

/// The largest number of \p Type, which is real, below \p Limit.
static at::Tensor largestBelow(double Limit, at::ScalarType Type) {
  at::Tensor Rounded = at::scalar_tensor(Limit, at::kDouble).to(Type);
  double Number = Rounded.item().toDouble();
  if (Number < Limit)
    return Rounded;
  // Not all versions of at::nextafter() know all types. Such bits are a sign
  // and a magnitude.
  at::ScalarType Bits = Type == at::kDouble  ? at::kLong
                        : Type == at::kFloat ? at::kInt
                                             : at::kShort;
  if (Number == 0)
    return at::neg(at::ones({}, Bits).view(Type));
  return at::sub(Rounded.view(Bits), Number > 0 ? 1 : -1).view(Type);
}

static at::Tensor makeTensor(const InputSpec &Spec) {
  at::ScalarType Type = scalarType(Spec.Word);
  double Elements = 1;
  for (int64_t Size : Spec.Sizes)
    Elements *= static_cast<double>(Size);
  // Values are drawn as int64, double or complex128 and then converted.
  checkMemory(Elements * (at::isComplexType(Type) ? 16 : 8));
  if (at::isIntegralType(Type, /*includeBool=*/true)) {
    auto Low = static_cast<int64_t>(Spec.Low.value_or(0));
    auto High =
        static_cast<int64_t>(Spec.High.value_or(Type == at::kBool ? 2 : 10));
    return at::randint(Low, High, Spec.Sizes, at::kLong).to(Type);
  }
  // Every device and version has a generator for these types.
  bool IsComplex = at::isComplexType(Type);
  at::Tensor Value =
      at::rand(Spec.Sizes, IsComplex ? at::kComplexDouble : at::kDouble);
  if (Spec.Low) {
    at::Scalar Low = *Spec.Low;
    if (IsComplex)
      Low = c10::complex<double>(*Spec.Low, *Spec.Low);
    Value = at::add(at::mul(Value, *Spec.High - *Spec.Low), Low);
  }
  Value = Value.to(Type);
  // A number may have been rounded to the end of the range.
  at::Tensor Parts = IsComplex ? at::view_as_real(Value) : Value;
  at::minimum_out(Parts, Parts,
                  largestBelow(Spec.High.value_or(1), Parts.scalar_type()));
  return Value;
}

/// The value in a file that holds lists or dictionaries of one element, which
/// LibTorch 1.13 does not read as Python writes them.
static std::optional<IValue> loadMarked(const std::string &Path) {
  caffe2::serialize::PyTorchStreamReader Reader(Path);
  auto [Data, Size] = Reader.getRecord("data.pkl");
  std::optional<std::string> Pickle =
      withItemsMarked({static_cast<const char *>(Data.get()), Size});
  if (!Pickle)
    return std::nullopt;
  size_t At = 0;
  auto Read = [&](char *To, size_t Count) {
    At += Count = Pickle->copy(To, Count, At);
    return Count;
  };
  auto ReadTensor = [&](const std::string &Name) {
    return std::get<0>(Reader.getRecord("data/" + Name));
  };
  Unpickler Values(Read, nullptr, nullptr, ReadTensor, {});
  Values.set_version(Reader.version());
  return Values.parse_ivalue();
}

static IValue readFile(const std::string &Path) {
  uint64_t Size;
  if (const char *Reason = whyUnreadable(Path.c_str(), Size))
    throw InstrumentError(Reason);
  checkMemory(Size);
  if (Size == 0)
    throw InstrumentError("the file is empty");
  std::vector<char> Bytes(Size);
  std::ifstream In(Path, std::ios::binary);
  if (!In.read(Bytes.data(), static_cast<std::streamsize>(Size)))
    throw InstrumentError(strerror(errno));
  try {
    return pickle_load(Bytes);
  } catch (const c10::Error &) {
    try {
      if (std::optional<IValue> Value = loadMarked(Path))
        return *Value;
    } catch (const c10::Error &) {
      // The first error says what is wrong with the file.
    }
    throw;
  }
}

/// The element type of a list or an optional that \p Type is, else null.
template <typename Container> static TypePtr elementOf(const TypePtr &Type) {
  auto Cast = Type ? Type->cast<Container>() : nullptr;
  return Cast ? Cast->getElementType() : nullptr;
}

static TypePtr withoutOptional(const TypePtr &Type) {
  TypePtr Inner = elementOf<c10::OptionalType>(Type);
  return Inner ? Inner : Type;
}

static IValue makeValue(const InputSpec &Spec, TypePtr Wanted);

static bool allFit(const std::vector<IValue> &Values, const TypePtr &Type) {
  return std::all_of(Values.begin(), Values.end(), [&](const IValue &Value) {
    return Value.type()->isSubtypeOf(*Type);
  });
}

/// The element type of a container with \p Values: \p Wanted if all of them are
/// of it, else one that they have in common. makeInputs() then refuses the
/// container.
static TypePtr elementTypeFor(const std::vector<IValue> &Values,
                              const TypePtr &Wanted) {
  if (Wanted && allFit(Values, Wanted))
    return Wanted;
  if (Values.empty())
    return c10::AnyType::get();
  TypePtr First = c10::unshapedType(Values[0].type());
  return allFit(Values, First) ? First : c10::AnyType::get();
}

static IValue listOf(std::vector<IValue> Values, const TypePtr &Element) {
  c10::impl::GenericList List(Element);
  for (IValue &Value : Values)
    List.push_back(std::move(Value));
  return List;
}

static IValue dictOf(const std::vector<IValue> &Keys, const TypePtr &Key,
                     const std::vector<IValue> &Values, const TypePtr &Value) {
  c10::impl::GenericDict Dict(Key, Value);
  for (size_t I = 0; I < Keys.size(); ++I)
    Dict.insert_or_assign(Keys[I], Values[I]);
  return Dict;
}

/// A tuple with the name of \p Type, which may be null, if it is of that type.
static IValue tupleOf(std::vector<IValue> Values,
                      const c10::TupleTypePtr &Type) {
  auto Fits = [&] {
    return std::equal(Values.begin(), Values.end(), Type->elements().begin(),
                      Type->elements().end(),
                      [](const IValue &Value, const TypePtr &Element) {
                        return Value.type()->isSubtypeOf(*Element);
                      });
  };
  return Type && Type->name() && Fits()
             ? c10::ivalue::Tuple::createNamed(std::move(Values), Type)
             : c10::ivalue::Tuple::create(std::move(Values));
}

static IValue makeList(const InputSpec &Spec, const TypePtr &Wanted) {
  TypePtr Element = elementOf<c10::ListType>(Wanted);
  std::vector<IValue> Values;
  for (const InputSpec &Item : Spec.Items)
    Values.push_back(makeValue(Item, Element));
  Element = elementTypeFor(Values, Element);
  return listOf(std::move(Values), Element);
}

static IValue makeTuple(const InputSpec &Spec, const TypePtr &Wanted) {
  auto Type = Wanted ? Wanted->cast<c10::TupleType>() : nullptr;
  std::vector<IValue> Values;
  for (size_t I = 0; I < Spec.Items.size(); ++I) {
    bool Known = Type && I < Type->elements().size();
    Values.push_back(
        makeValue(Spec.Items[I], Known ? Type->elements()[I] : nullptr));
  }
  return tupleOf(std::move(Values), Type);
}

static IValue makeDict(const InputSpec &Spec, const TypePtr &Wanted) {
  auto Type = Wanted ? Wanted->cast<c10::DictType>() : nullptr;
  TypePtr Key = Type ? Type->getKeyType() : nullptr;
  TypePtr Value = Type ? Type->getValueType() : nullptr;
  std::vector<IValue> Keys, Values;
  for (size_t I = 0; I + 1 < Spec.Items.size(); I += 2) {
    Keys.push_back(makeValue(Spec.Items[I], Key));
    Values.push_back(makeValue(Spec.Items[I + 1], Value));
  }
  return dictOf(Keys, elementTypeFor(Keys, Key), Values,
                elementTypeFor(Values, Value));
}

static IValue makeValue(const InputSpec &Spec, TypePtr Wanted) {
  if (Spec.Type != InputSpec::Kind::None)
    Wanted = withoutOptional(Wanted);
  switch (Spec.Type) {
  case InputSpec::Kind::Tensor:
    return makeTensor(Spec);
  case InputSpec::Kind::File:
    return readFile(Spec.Word);
  case InputSpec::Kind::Integer:
    // As in Python, an integer serves where a float is wanted.
    if (Wanted && Wanted->kind() == c10::TypeKind::FloatType)
      return static_cast<double>(Spec.Integer);
    return Spec.Integer;
  case InputSpec::Kind::Real:
    return Spec.Real;
  case InputSpec::Kind::Boolean:
    return Spec.Integer != 0;
  case InputSpec::Kind::Text:
    return Spec.Word;
  case InputSpec::Kind::None:
    return IValue();
  case InputSpec::Kind::List:
    return makeList(Spec, Wanted);
  case InputSpec::Kind::Tuple:
    return makeTuple(Spec, Wanted);
  case InputSpec::Kind::Dict:
    return makeDict(Spec, Wanted);
  }
  return IValue();
}

/// Pickled lists and dictionaries are untyped: gives them the element types of
/// \p Declared if their elements are of these.
static IValue retype(const IValue &Value, const TypePtr &Declared) {
  TypePtr Wanted = withoutOptional(Declared);
  if (auto Type = Wanted->cast<c10::DictType>();
      Type && Value.isGenericDict()) {
    std::vector<IValue> Keys, Values;
    for (const auto &Entry : Value.toGenericDict()) {
      Keys.push_back(retype(Entry.key(), Type->getKeyType()));
      Values.push_back(retype(Entry.value(), Type->getValueType()));
    }
    return dictOf(Keys, elementTypeFor(Keys, Type->getKeyType()), Values,
                  elementTypeFor(Values, Type->getValueType()));
  }
  if (TypePtr Element = elementOf<c10::ListType>(Wanted);
      Element && Value.isList()) {
    std::vector<IValue> Items;
    for (const IValue &Item : Value.toList().vec())
      Items.push_back(retype(Item, Element));
    Element = elementTypeFor(Items, Element);
    return listOf(std::move(Items), Element);
  }
  if (auto Type = Wanted->cast<c10::TupleType>(); Type && Value.isTuple()) {
    const auto &Elements = Value.toTupleRef().elements();
    if (Elements.size() != Type->elements().size())
      return Value;
    std::vector<IValue> Items;
    for (size_t I = 0; I < Elements.size(); ++I)
      Items.push_back(retype(Elements[I], Type->elements()[I]));
    return tupleOf(std::move(Items), Type);
  }
  return Value;
}

static bool isOwnMethod(const std::string &Name) {
  return !Name.starts_with(OriginalPrefix) && Name != "__getstate__" &&
         Name != "__setstate__";
}

Method findRunnable(const Module &Root, const std::string &Name) {
  if (auto Found = Root.find_method(Name); Found && isOwnMethod(Name))
    return *Found;
  std::string Known;
  for (const Method &M : Root.get_methods())
    if (isOwnMethod(M.name()))
      Known += (Known.empty() ? "" : ", ") + M.name();
  throw InstrumentError("no method '" + Name + "'; the model has " +
                        (Known.empty() ? "none" : Known));
}

/// "2 inputs (x, y)" or "1 to 2 inputs (x, y)".
static std::string describeArguments(const c10::FunctionSchema &Schema,
                                     size_t Least) {
  std::string Names;
  const auto &Arguments = Schema.arguments();
  for (size_t I = 1; I < Arguments.size(); ++I)
    Names += (I > 1 ? ", " : "") + Arguments[I].name();
  size_t Most = Arguments.size() - 1;
  std::string Count =
      Least == Most ? std::to_string(Most)
                    : std::to_string(Least) + " to " + std::to_string(Most);
  return Count + (Most == 1 ? " input" : " inputs") +
         (Names.empty() ? "" : " (" + Names + ")");
}

static void checkCount(const c10::FunctionSchema &Schema, size_t Count) {
  const auto &Arguments = Schema.arguments();
  size_t Least = 0;
  for (size_t I = 1; I < Arguments.size(); ++I)
    if (!Arguments[I].default_value())
      Least = I;
  if (Count < Least || Count + 1 > Arguments.size())
    throw InstrumentError("expected " + describeArguments(Schema, Least) +
                          " for " + Schema.name() + ", found " +
                          std::to_string(Count) + "; one --input SPEC each");
}

IValue mapTensors(const IValue &Value,
                  const std::function<at::Tensor(const at::Tensor &)> &Change) {
  if (Value.isTensor())
    return Value.toTensor().defined() ? Change(Value.toTensor())
                                      : Value.toTensor();
  auto Map = [&Change](const auto &Values) {
    std::vector<IValue> Mapped;
    for (const IValue &Element : Values)
      Mapped.push_back(mapTensors(Element, Change));
    return Mapped;
  };
  if (Value.isTuple())
    return tupleOf(Map(Value.toTupleRef().elements()),
                   Value.type()->cast<c10::TupleType>());
  if (Value.isList())
    return listOf(Map(Value.toListRef()), Value.toList().elementType());
  if (Value.isGenericDict()) {
    auto Old = Value.toGenericDict();
    c10::impl::GenericDict New(Old.keyType(), Old.valueType());
    for (const auto &Entry : Old)
      New.insert(Entry.key(), mapTensors(Entry.value(), Change));
    return New;
  }
  return Value;
}

Stack makeInputs(const c10::FunctionSchema &Schema, const TextList &Texts,
                 std::optional<c10::Device> Device) {
  const auto &Arguments = Schema.arguments();
  Stack Inputs;
  for (size_t I = 0; I < Texts.Size; ++I) {
    std::string Where =
        "--input " + std::to_string(I + 1) + " (" + Texts.Data[I] + "): ";
    InputSpec Spec;
    std::string Error;
    if (!parseInputSpec(Texts.Data[I], Spec, Error))
      throw InstrumentError(Where + Error);
    TypePtr Wanted = Inputs.size() + 1 < Arguments.size()
                         ? Arguments[Inputs.size() + 1].type()
                         : nullptr;
    IValue Value;
    try {
      Value = makeValue(Spec, Wanted);
    } catch (const c10::Error &E) {
      throw InstrumentError(Where + E.what_without_backtrace());
    } catch (const std::exception &E) {
      throw InstrumentError(Where + E.what());
    }
    // A file may hold all inputs as one tuple.
    bool IsAll = Spec.Type == InputSpec::Kind::File && Value.isTuple() &&
                 !(Wanted && Value.type()->isSubtypeOf(*Wanted));
    if (IsAll)
      for (const IValue &Element : Value.toTupleRef().elements())
        Inputs.push_back(Element);
    else
      Inputs.push_back(std::move(Value));
  }
  if (Device)
    for (IValue &Input : Inputs)
      Input =
          mapTensors(Input, [&](const at::Tensor &T) { return T.to(*Device); });
  checkCount(Schema, Inputs.size());
  for (size_t I = 0; I < Inputs.size(); ++I)
    Inputs[I] = retype(Inputs[I], Arguments[I + 1].type());
  for (size_t I = 0; I < Inputs.size(); ++I)
    if (!Inputs[I].type()->isSubtypeOf(*Arguments[I + 1].type()))
      throw InstrumentError("input " + std::to_string(I + 1) + " (" +
                            Arguments[I + 1].name() + "): expected " +
                            Arguments[I + 1].type()->repr_str() + ", found " +
                            Inputs[I].type()->repr_str());
  return Inputs;
}

} // namespace torchprof
