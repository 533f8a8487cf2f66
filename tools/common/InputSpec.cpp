//===- InputSpec.cpp - the grammar of --input -----------------------------===//

#include "InputSpec.h"

#include <cctype>
#include <cfloat>
#include <charconv>
#include <cmath>

namespace torchprof {

namespace {

struct ElementType {
  const char *Name;
  const char *Alias; ///< LibTorch's other name
  double Least, Most;
  bool IsInteger;
};

} // namespace

// Most of int64 is the largest double below 2^63.
static constexpr ElementType Types[] = {
    {"float", "float32", -FLT_MAX, FLT_MAX, false},
    {"double", "float64", -DBL_MAX, DBL_MAX, false},
    {"half", "float16", -65504, 65504, false},
    {"bfloat16", "bfloat16", -0x1.fep127, 0x1.fep127, false},
    {"int64", "long", -0x1p63, 0x1.fffffffffffffp62, true},
    {"int32", "int", INT32_MIN, INT32_MAX, true},
    {"int16", "short", INT16_MIN, INT16_MAX, true},
    {"int8", "char", INT8_MIN, INT8_MAX, true},
    {"uint8", "byte", 0, UINT8_MAX, true},
    {"bool", "bool", 0, 1, true},
    {"complex64", "cfloat", -FLT_MAX, FLT_MAX, false},
    {"complex128", "cdouble", -DBL_MAX, DBL_MAX, false},
};

/// Null for an unknown word.
static const ElementType *findType(const std::string &Word) {
  for (const ElementType &Type : Types)
    if (Word == Type.Name || Word == Type.Alias)
      return &Type;
  return nullptr;
}

std::string inputTypeNames() {
  std::string Text;
  for (const ElementType &Type : Types)
    Text += (Text.empty() ? "" : ", ") + std::string(Type.Name);
  return Text;
}

namespace {

class SpecParser {
public:
  SpecParser(const std::string &Text, std::string &Error)
      : Text(Text), Error(Error) {}

  bool run(InputSpec &Spec) {
    if (!spec(Spec, 0))
      return false;
    skipBlank();
    return At == Text.size() || missing("the end");
  }

private:
  // Deeper nesting than any model takes would only exhaust the stack.
  static constexpr unsigned MaxDepth = 64;

  bool fail(const std::string &Reason) {
    Error = Reason;
    return false;
  }

  /// Something else stands where the grammar wants \p Wanted.
  bool missing(const std::string &Wanted) {
    return fail("expected " + Wanted + " at character " +
                std::to_string(At + 1));
  }

  void skipBlank() {
    while (At < Text.size() && Text[At] == ' ')
      ++At;
  }

  bool accept(char C) {
    skipBlank();
    if (At >= Text.size() || Text[At] != C)
      return false;
    ++At;
    return true;
  }

  bool expect(char C) {
    return accept(C) || missing(std::string("'") + C + "'");
  }

  bool spec(InputSpec &Spec, unsigned Depth) {
    skipBlank();
    if (Depth > MaxDepth)
      return fail("lists nest more than " + std::to_string(MaxDepth) + " deep");
    if (At >= Text.size())
      return missing("an input such as float[1,3,224,224]");
    char C = Text[At];
    if (C == '@' && Depth > 0)
      return fail("a file stands alone, not in a list, a tuple or a dict; it "
                  "may hold one");
    if (C == '@') {
      Spec.Type = InputSpec::Kind::File;
      Spec.Word = Text.substr(At + 1);
      if (Spec.Word.empty())
        return fail("no file after '@'");
      At = Text.size();
      return true;
    }
    if (C == '\'' || C == '"')
      return text(Spec);
    if (C == '[')
      return items(Spec, InputSpec::Kind::List, ']', Depth);
    if (C == '(')
      return items(Spec, InputSpec::Kind::Tuple, ')', Depth);
    if (C == '{')
      return items(Spec, InputSpec::Kind::Dict, '}', Depth);
    if (std::isalpha(static_cast<unsigned char>(C)))
      return word(Spec);
    return number(Spec);
  }

  bool text(InputSpec &Spec) {
    size_t End = Text.find(Text[At], At + 1);
    if (End == std::string::npos)
      return fail("the text at character " + std::to_string(At + 1) +
                  " has no closing quote");
    Spec.Type = InputSpec::Kind::Text;
    Spec.Word = Text.substr(At + 1, End - At - 1);
    At = End + 1;
    return true;
  }

  bool items(InputSpec &Spec, InputSpec::Kind Type, char Close,
             unsigned Depth) {
    Spec.Type = Type;
    ++At;
    if (accept(Close))
      return true;
    do {
      Spec.Items.emplace_back();
      if (!spec(Spec.Items.back(), Depth + 1))
        return false;
      if (Type != InputSpec::Kind::Dict)
        continue;
      Spec.Items.emplace_back();
      if (!expect(':') || !spec(Spec.Items.back(), Depth + 1))
        return false;
    } while (accept(','));
    return expect(Close);
  }

  bool word(InputSpec &Spec) {
    size_t Start = At;
    while (At < Text.size() &&
           std::isalnum(static_cast<unsigned char>(Text[At])))
      ++At;
    std::string Word = Text.substr(Start, At - Start);
    if (Word == "true" || Word == "false") {
      Spec.Type = InputSpec::Kind::Boolean;
      Spec.Integer = Word == "true";
      return true;
    }
    if (Word == "None")
      return true;
    const ElementType *Type = findType(Word);
    if (!Type)
      return fail("unknown word '" + Word + "'; known are " + inputTypeNames() +
                  ", true, false, None");
    Spec.Type = InputSpec::Kind::Tensor;
    Spec.Word = Type->Name;
    return sizes(Spec) && range(*Type, Spec);
  }

  bool sizes(InputSpec &Spec) {
    if (!expect('['))
      return false;
    if (accept(']'))
      return true;
    double Elements = 1;
    do {
      skipBlank();
      int64_t Size = 0;
      if (!parse(Size, "a size"))
        return false;
      if (Size < 0)
        return fail("the size " + std::to_string(Size) + " is negative");
      Spec.Sizes.push_back(Size);
      Elements *= static_cast<double>(Size);
    } while (accept(','));
    if (Elements > 1e12)
      return fail("the tensor has more than 10^12 elements");
    return expect(']');
  }

  bool range(const ElementType &Type, InputSpec &Spec) {
    if (!accept('{'))
      return true;
    Bound Low, High;
    if (!bound(Type, Low) || !expect(':') || !bound(Type, High))
      return false;
    if (Low.Value < Type.Least)
      return fail(Low.Text + " does not fit " + Type.Name);
    // The upper end is not among the values: 256 is right for uint8.
    if (High.Value > Type.Most + (Type.IsInteger ? 1 : 0))
      return fail(High.Text + " does not fit " + Type.Name);
    if (High.Value <= Low.Value)
      return fail("no value is from " + Low.Text + " to below " + High.Text);
    if (!std::isfinite(High.Value - Low.Value))
      return fail("the range from " + Low.Text + " to " + High.Text +
                  " is too wide");
    Spec.Low = Low.Value;
    Spec.High = High.Value;
    return expect('}');
  }

  /// One end of a range.
  struct Bound {
    double Value = 0;
    std::string Text; ///< as it was written
  };

  bool bound(const ElementType &Type, Bound &End) {
    skipBlank();
    size_t Start = At;
    if (!parse(End.Value, "a number"))
      return false;
    End.Text = Text.substr(Start, At - Start);
    if (!std::isfinite(End.Value))
      return fail(End.Text + " is not a finite number");
    if (Type.IsInteger && End.Value != std::trunc(End.Value))
      return fail(End.Text + " is not a whole number");
    return true;
  }

  /// Reads a number, which the grammar calls \p Wanted.
  template <typename Number> bool parse(Number &Value, const char *Wanted) {
    const char *First = Text.data() + At;
    auto [Last, Code] =
        std::from_chars(First, Text.data() + Text.size(), Value);
    if (Code == std::errc::result_out_of_range)
      return fail(std::string(First, Last) + " is out of range");
    if (Code != std::errc())
      return missing(Wanted);
    At += Last - First;
    return true;
  }

  bool number(InputSpec &Spec) {
    size_t Start = At;
    if (!parse(Spec.Real, "an input such as float[1,3,224,224]"))
      return false;
    Spec.Type = InputSpec::Kind::Real;
    if (Text.find_first_not_of("-0123456789", Start) < At)
      return true;
    Spec.Type = InputSpec::Kind::Integer;
    At = Start;
    return parse(Spec.Integer, "a whole number");
  }

  const std::string &Text;
  std::string &Error;
  size_t At = 0;
};

} // namespace

bool parseInputSpec(const std::string &Text, InputSpec &Spec,
                    std::string &Error) {
  Spec = InputSpec();
  return SpecParser(Text, Error).run(Spec);
}

} // namespace torchprof
