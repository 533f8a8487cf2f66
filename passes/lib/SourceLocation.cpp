//===- SourceLocation.cpp - from a node to the author's source ------------===//

#include "SourceLocation.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace torchprof {

using torch::jit::Source;
using torch::jit::SourceRange;

static std::string trim(std::string Text) {
  const char *Blank = " \t\r\n";
  size_t First = Text.find_first_not_of(Blank);
  if (First == std::string::npos)
    return std::string();
  return Text.substr(First, Text.find_last_not_of(Blank) - First + 1);
}

/// Splits `file(line): function`.
static bool parseFrame(const std::string &Frame, std::string &File,
                       uint32_t &Line) {
  size_t Close = Frame.rfind("): ");
  if (Close == std::string::npos)
    return false;
  size_t Open = Frame.rfind('(', Close);
  if (Open == std::string::npos || Open == 0)
    return false;
  const char *End = Frame.data() + Close;
  auto [Last, Code] = std::from_chars(Frame.data() + Open + 1, End, Line);
  if (Code != std::errc() || Last != End)
    return false;
  File = Frame.substr(0, Open);
  return true;
}

bool parsePythonStack(const std::string &Text, std::string &File,
                      uint32_t &Line) {
  bool Found = false;
  for (size_t Start = 0; Start < Text.size();) {
    size_t End = std::min(Text.find('\n', Start), Text.size());
    std::string FrameFile;
    uint32_t FrameLine = 0;
    if (!parseFrame(Text.substr(Start, End - Start), FrameFile, FrameLine))
      return Found;
    bool IsTorch = FrameFile.find("/torch/") != std::string::npos;
    // Take the innermost frame until one of the author's own turns up.
    if (!Found || !IsTorch) {
      File = FrameFile;
      Line = FrameLine;
      Found = true;
    }
    if (!IsTorch)
      return true;
    Start = End + 1;
  }
  return Found;
}

/// The text from \p Begin up to \p End or the first \p Stop. Character by
/// character: each substr() of a loaded source copies the list of all its
/// lines.
static std::string textUpTo(char Stop, const Source &Of, size_t Begin,
                            size_t End) {
  std::string Text;
  for (size_t I = Begin; I < std::min(End, Of.size()); ++I) {
    char Next = Of.char_at(I);
    if (Next == Stop)
      break;
    Text += Next;
  }
  return Text;
}

static std::string lineOf(const Source &Of, size_t Number) {
  return textUpTo('\n', Of, Of.offset_for_line(Number), Of.size());
}

/// The range in the author's source if LibTorch knows it, else the range in
/// the generated code.
static SourceRange originalRange(const SourceRange &Range) {
  auto Original = Range.findSourceRangeThatGenerated();
  return Original ? *Original : Range;
}

SourcePosition locate(const SourceRange &Range, Manifest &Table) {
  SourcePosition Position;
  if (!Range.source())
    return Position;
  SourceRange Original = originalRange(Range);
  const auto &Source = Original.source();
  if (!Source)
    return Position;
  if (auto Place = Original.file_line_col()) {
    auto [File, Line, Column] = *Place;
    Position.File = Table.intern(File);
    Position.Line = static_cast<uint32_t>(Line);
    Position.Column = static_cast<uint32_t>(Column) + 1;
    size_t Number = Source->lineno_for_offset(Original.start());
    Position.Text = Table.intern(trim(lineOf(*Source, Number)));
    return Position;
  }
  std::string File;
  uint32_t Line = 0;
  // Code without a file name may be long, and is looked at for each of its
  // nodes: only a stack is copied whole.
  if (parsePythonStack(lineOf(*Source, 0), File, Line) &&
      parsePythonStack(Source->text_str().str(), File, Position.Line))
    Position.File = Table.intern(File);
  return Position;
}

bool isWrittenAsMethod(const SourceRange &Range, const std::string &OpName) {
  if (!Range.source())
    return false;
  SourceRange Original = originalRange(Range);
  if (!Original.source())
    return false;
  std::string Text =
      textUpTo('(', *Original.source(), Original.start(), Original.end());
  size_t Dot = Text.rfind('.');
  if (Dot == std::string::npos || trim(Text.substr(Dot + 1)) != OpName)
    return false;
  static constexpr std::array<const char *, 6> Modules = {
      "F", "nn", "ops", "torch", "torchvision", "math"};
  std::string Base = trim(Text.substr(0, Text.find('.')));
  return std::find(Modules.begin(), Modules.end(), Base) == Modules.end();
}

} // namespace torchprof
