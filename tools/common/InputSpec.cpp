//===- InputSpec.cpp - the grammar of --input -----------------------------===//

#include "InputSpec.h"

#include <cctype>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <string_view>

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
    return At == Text.size() || fail("the end");
  }

private:
  // Deeper nesting than any model takes would only exhaust the stack.
  static constexpr unsigned MaxDepth = 64;

  bool fail(const std::string &Wanted) {
    std::string Found("the end");
    if (At < Text.size())
      Found.assign("'").append(Text, At, 20).append("'");
    Error = "expected " + Wanted + " at character " + std::to_string(At + 1) +
            ", found " + Found;
    return false;
  }

  bool failAt(size_t Position, const std::string &Wanted) {
    At = Position;
    return fail(Wanted);
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

  bool expect(char C) { return accept(C) || fail(std::string("'") + C + "'"); }

  bool spec(InputSpec &Spec, unsigned Depth) {
    skipBlank();
    if (Depth > MaxDepth)
      return fail("fewer nested lists");
    if (At >= Text.size())
      return fail("an input such as float[1,3,224,224]");
    char C = Text[At];
    if (C == '@') {
      Spec.Type = InputSpec::Kind::File;
      Spec.Word = Text.substr(At + 1);
      if (Spec.Word.empty())
        return fail("a file after '@'");
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
      return fail("a text with a closing quote");
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
      return failAt(Start,
                    "one of " + inputTypeNames() + ", true, false, None");
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
      size_t Start = At;
      int64_t Size = 0;
      if (!parse(Size) || Size < 0)
        return failAt(Start, "a size of 0 or more");
      Spec.Sizes.push_back(Size);
      Elements *= static_cast<double>(Size);
    } while (accept(','));
    if (Elements > 1e12)
      return fail("at most 10^12 elements");
    return expect(']');
  }

  bool range(const ElementType &Type, InputSpec &Spec) {
    if (!accept('{'))
      return true;
    double Low = 0, High = 0;
    size_t LowAt = 0, HighAt = 0;
    if (!bound(Type, Low, LowAt) || !expect(':') || !bound(Type, High, HighAt))
      return false;
    if (Low < Type.Least)
      return failAt(LowAt, std::string("a value that fits ") + Type.Name);
    // The upper end is not among the values: 256 is right for uint8.
    if (High > Type.Most + (Type.IsInteger ? 1 : 0))
      return failAt(HighAt, std::string("a value that fits ") + Type.Name);
    if (High <= Low)
      return failAt(HighAt, "a value above the lowest");
    if (!std::isfinite(High - Low))
      return failAt(HighAt, "a narrower range");
    Spec.Low = Low;
    Spec.High = High;
    return expect('}');
  }

  /// One end of a range; it begins at \p Start.
  bool bound(const ElementType &Type, double &Value, size_t &Start) {
    skipBlank();
    Start = At;
    if (!parse(Value) || !std::isfinite(Value))
      return failAt(Start, "a finite number");
    if (Type.IsInteger && Value != std::trunc(Value))
      return failAt(Start, "a whole number");
    return true;
  }

  template <typename Number> bool parse(Number &Value) {
    const char *First = Text.data() + At;
    auto [Last, Code] =
        std::from_chars(First, Text.data() + Text.size(), Value);
    if (Code != std::errc())
      return false;
    At += Last - First;
    return true;
  }

  bool number(InputSpec &Spec) {
    size_t Start = At;
    int64_t Integer = 0;
    if (parse(Integer) &&
        (At == Text.size() ||
         std::string_view(".eE").find(Text[At]) == std::string_view::npos)) {
      Spec.Type = InputSpec::Kind::Integer;
      Spec.Integer = Integer;
      return true;
    }
    At = Start;
    if (!parse(Spec.Real))
      return fail("an input such as float[1,3,224,224]");
    Spec.Type = InputSpec::Kind::Real;
    return true;
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
