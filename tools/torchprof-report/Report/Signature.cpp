//===- Signature.cpp - dtypes and sizes of a node's operands --------------===//

#include "Signature.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

double Operand::elements() const {
  double Product = 1;
  for (int64_t Size : Sizes)
    Product *= static_cast<double>(Size);
  return Product;
}

/// Bytes of an element; 0 if the dtype is not known. A name ends with its bits,
/// but for a few.
static unsigned itemBytes(StringRef Dtype) {
  unsigned Special = StringSwitch<unsigned>(Dtype)
                         .Case("bool", 1)
                         .StartsWith("float8", 1)
                         .StartsWith("quint4x2", 0)
                         .StartsWith("quint2x4", 0)
                         .Default(99);
  if (Special != 99)
    return Special;
  unsigned Bits = 0;
  StringRef Digits =
      Dtype.take_back(Dtype.size() - Dtype.rtrim("0123456789").size());
  return Digits.getAsInteger(10, Bits) ? 0 : Bits / 8;
}

Optional<double> Operand::bytes() const {
  unsigned Item = itemBytes(Dtype);
  if (!isTensor() || !HasSizes || Item == 0)
    return None;
  return elements() * Item;
}

namespace {

/// Reads operands from the front of a text. What does not read ends it.
class Parser {
public:
  explicit Parser(StringRef Text) : Rest(Text) {}

  /// Operands up to the end, or up to ")" if \p InList. False if it was cut.
  bool operands(std::vector<Operand> &Out, bool InList = false);

private:
  /// Lists within lists, more than values of a graph have: a deep text must not
  /// exhaust the stack.
  static constexpr unsigned MaxDepth = 16;

  bool operand(Operand &O);
  bool sizes(Operand &O);
  /// What lies before a character that ends a word.
  StringRef word() {
    StringRef Word = Rest.take_until(
        [](char C) { return StringRef("[]:@ ()").contains(C); });
    Rest = Rest.drop_front(Word.size());
    return Word;
  }

  StringRef Rest;
  unsigned Depth = 0; ///< of the list that is being read
};

} // namespace

bool Parser::sizes(Operand &O) {
  if (!Rest.consume_front("["))
    return false;
  if (Rest.consume_front("?]")) {
    O.HasSizes = false;
    return true;
  }
  if (Rest.consume_front("]"))
    return true;
  do {
    int64_t Size = 0;
    if (Rest.consumeInteger(10, Size))
      return false;
    O.Sizes.push_back(Size);
  } while (Rest.consume_front(","));
  return Rest.consume_front("]");
}

bool Parser::operand(Operand &O) {
  if (Rest.consume_front("-")) {
    O.Kind = OperandKind::None;
    return true;
  }
  if (Rest.consume_front("*"))
    return true;
  if (Rest.consume_front("\"")) {
    O.Kind = OperandKind::String;
    size_t End = Rest.find('"');
    O.Text = Rest.take_front(End).str();
    Rest = Rest.drop_front(std::min(End, Rest.size()));
    return Rest.consume_front("\"");
  }
  if (Rest.consume_front("(")) {
    O.Kind = OperandKind::List;
    if (++Depth > MaxDepth)
      return false;
    bool IsWhole = operands(O.Elements, /*InList=*/true);
    --Depth;
    return IsWhole;
  }
  O.Kind = OperandKind::Tensor;
  O.Dtype = word().str();
  if (O.Dtype.empty() || !sizes(O))
    return false;
  if (Rest.consume_front(":"))
    O.Layout = word().str();
  if (Rest.consume_front("@")) {
    O.Device = word().str();
    if (Rest.consume_front(":")) // "cuda:0"
      O.Device += (":" + word()).str();
  }
  return true;
}

bool Parser::operands(std::vector<Operand> &Out, bool InList) {
  while (!Rest.empty()) {
    Operand O;
    if (!operand(O))
      return false;
    Out.push_back(std::move(O));
    if (InList && Rest.consume_front(")"))
      return true;
    if (!Rest.empty() && !Rest.consume_front(" "))
      return false;
  }
  return !InList;
}

/// Between the inputs and the outputs.
static constexpr StringLiteral Arrow = " -> ";

/// Where it stands, if not in a string.
static size_t findArrow(StringRef Text) {
  bool InString = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    InString ^= Text[I] == '"';
    if (!InString && Text.substr(I).startswith(Arrow))
      return I;
  }
  return StringRef::npos;
}

Signature report::parseSignature(StringRef Text) {
  Signature S;
  size_t Split = findArrow(Text);
  S.IsWhole = Parser(Text.take_front(Split)).operands(S.Inputs);
  if (Split == StringRef::npos)
    S.IsWhole = false;
  else
    S.IsWhole &=
        Parser(Text.drop_front(Split + Arrow.size())).operands(S.Outputs);
  return S;
}

static std::string sizesText(const Operand &O, StringRef Separator) {
  if (!O.HasSizes)
    return "[?]";
  std::string Text;
  raw_string_ostream OS(Text);
  OS << '[';
  interleave(O.Sizes, OS, Separator);
  OS << ']';
  return OS.str();
}

/// What of a tensor's layout and device is not the ordinary.
static std::string whereText(const Operand &O) {
  return (Twine(O.Layout.empty() ? "" : ":") + O.Layout +
          (O.Device.empty() ? "" : "@") + O.Device)
      .str();
}

static bool usesDevice(ArrayRef<Operand> Operands) {
  return any_of(Operands, [](const Operand &O) {
    return (O.isTensor() && !O.Device.empty()) || usesDevice(O.Elements);
  });
}

bool report::usesDevice(const Signature &S) {
  return ::usesDevice(S.Inputs) || ::usesDevice(S.Outputs);
}

std::string report::shapesText(ArrayRef<Operand> Operands) {
  std::string Text;
  for (const Operand &O : Operands) {
    std::string More = O.isTensor() ? sizesText(O, ",") + whereText(O)
                       : O.Kind == OperandKind::List
                           ? ("(" + Twine(shapesText(O.Elements)) + ")").str()
                           : "";
    if (!More.empty() && !Text.empty())
      Text += ' ';
    Text += More;
  }
  return Text;
}

std::string report::torchShapesText(ArrayRef<Operand> Operands) {
  std::string Text;
  for (const Operand &O : Operands) {
    Text += Text.empty() ? "[" : ", ";
    Text += O.isTensor()                  ? sizesText(O, ", ")
            : O.Kind == OperandKind::List ? torchShapesText(O.Elements)
                                          : "[]";
  }
  return Text.empty() ? "[]" : Text + "]";
}

std::string report::torchInputsText(StringRef Text) {
  Signature S = parseSignature(Text);
  return S.isEmpty() ? Text.str() : torchShapesText(S.Inputs);
}

static void addDtypes(SmallVectorImpl<StringRef> &Names,
                      ArrayRef<Operand> Operands) {
  for (const Operand &O : Operands) {
    if (O.isTensor() && !is_contained(Names, O.Dtype))
      Names.push_back(O.Dtype);
    addDtypes(Names, O.Elements);
  }
}

std::string report::dtypesText(ArrayRef<Operand> Operands) {
  SmallVector<StringRef, 4> Names;
  addDtypes(Names, Operands);
  return join(Names, " ");
}
