//===- Scripts.cpp - LibTorch's scripts for operators ---------------------===//

#include "Scripts.h"

#include <torch/csrc/jit/ir/ir.h>

namespace torchprof {

using namespace torch::jit;

/// True for the text of scripts for backward: several functions, each with its
/// `backward` inside of it.
static bool isForBackward(const std::string &Text) {
  return Text.find("def backward(") != std::string::npos;
}

/// True for the text of those that decompose.
static bool isDecomposing(const std::string &Text) {
  return Text.find("def addmm(") != std::string::npos &&
         Text.find("def layer_norm(") != std::string::npos;
}

/// The functions of a text that lie in no other one, by their places.
static std::vector<std::pair<size_t, std::string>>
outerFunctions(const std::string &Text) {
  static constexpr std::string_view Define = "def ";
  std::vector<std::pair<size_t, std::string>> Functions;
  size_t Outermost = std::string::npos;
  for (size_t At = Text.find(Define); At != std::string::npos;
       At = Text.find(Define, At + 1)) {
    size_t Line = At ? Text.rfind('\n', At - 1) : std::string::npos;
    size_t Indent = At - (Line == std::string::npos ? 0 : Line + 1);
    if (Outermost == std::string::npos)
      Outermost = Indent;
    size_t Name = At + Define.size();
    if (Indent <= Outermost)
      Functions.emplace_back(At,
                             Text.substr(Name, Text.find('(', Name) - Name));
  }
  return Functions;
}

std::string_view Scripts::Script::functionAround(size_t Place) const {
  std::string_view Found;
  for (const auto &[Begin, Name] : Functions)
    if (Begin < Place)
      Found = Name;
  return Found;
}

const Scripts::Script &Scripts::of(Source &From) {
  auto [It, IsNew] = Known.try_emplace(&From);
  if (!IsNew || From.filename().value_or("<string>") != "<string>")
    return It->second;
  std::string Text = From.text_str().str();
  Script &Found = It->second;
  Found.IsForBackward = isForBackward(Text);
  if (Found.IsForBackward || isDecomposing(Text))
    Found.Functions = outerFunctions(Text);
  return Found;
}

std::string_view Scripts::functionOf(const Node *N) {
  SourceRange Range = N->sourceRange();
  return Range.source() ? of(*Range.source()).functionAround(Range.start())
                        : std::string_view();
}

std::string_view Scripts::operatorOf(std::string_view Function) {
  // LibTorch's own rule for the names; log10 and relu6 have no underscore.
  size_t Last = Function.find_last_of('_');
  bool IsNumbered =
      Last != Function.npos && Last + 1 < Function.size() &&
      Function.find_first_not_of("0123456789", Last + 1) == Function.npos;
  return IsNumbered ? Function.substr(0, Last) : Function;
}

bool Scripts::isOfAutodiff(const Node *N) {
  SourceRange Range = N->sourceRange();
  return Range.source() && of(*Range.source()).IsForBackward &&
         !functionOf(N).empty();
}

} // namespace torchprof
