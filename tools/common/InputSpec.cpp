//===- InputSpec.cpp - the grammar of --input -----------------------------===//

#include "InputSpec.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

namespace torchprof {

// Each dtype with LibTorch's other names for it, the first one is the name.
static constexpr std::array<std::array<const char *, 3>, 12> TypeNames = {{
    {"float", "float32", "float32"},
    {"double", "float64", "float64"},
    {"half", "float16", "float16"},
    {"bfloat16", "bfloat16", "bfloat16"},
    {"int64", "long", "long"},
    {"int32", "int", "int"},
    {"int16", "short", "short"},
    {"int8", "char", "char"},
    {"uint8", "byte", "byte"},
    {"bool", "bool", "bool"},
    {"complex64", "cfloat", "cfloat"},
    {"complex128", "cdouble", "cdouble"},
}};

/// The first name of a dtype, null for an unknown word.
static const char *canonicalType(const std::string &Word) {
  for (const auto &Names : TypeNames)
    if (std::find(Names.begin(), Names.end(), Word) != Names.end())
      return Names[0];
  return nullptr;
}

std::string inputTypeNames() {
  std::string Text;
  for (const auto &Names : TypeNames)
    Text += (Text.empty() ? "" : ", ") + std::string(Names[0]);
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
    const char *Type = canonicalType(Word);
    if (!Type)
      return failAt(Start,
                    "one of " + inputTypeNames() + ", true, false, None");
    Spec.Type = InputSpec::Kind::Tensor;
    Spec.Word = Type;
    return sizes(Spec) && range(Spec);
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

  bool range(InputSpec &Spec) {
    if (!accept('{'))
      return true;
    double Low = 0, High = 0;
    skipBlank();
    if (!parse(Low))
      return fail("the lowest value");
    if (!expect(':'))
      return false;
    skipBlank();
    size_t Start = At;
    if (!parse(High) || High <= Low)
      return failAt(Start, "a value above the lowest");
    Spec.Low = Low;
    Spec.High = High;
    return expect('}');
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
