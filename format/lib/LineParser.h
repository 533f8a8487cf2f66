//===- LineParser.h - the lines and words of a manifest ---------*- C++ -*-===//
//
// Takes the text apart, line by line and word by word. The first error wins and
// says in which line it is; afterwards every call fails.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_LINEPARSER_H
#define TORCHPROF_FORMAT_LINEPARSER_H

#include "torchprof/format/Manifest.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace torchprof {

class LineParser {
public:
  static std::string quoted(std::string_view Text) {
    std::string Result("'");
    Result.append(Text.substr(0, 40)).append("'");
    return Result;
  }

  template <typename Number>
  static bool readNumber(std::string_view Text, Number &Value, int Base = 10) {
    const char *End = Text.data() + Text.size();
    auto [Last, Code] = std::from_chars(Text.data(), End, Value, Base);
    return Code == std::errc() && Last == End;
  }

  /// Takes what is before \p Separator from the front of \p Text.
  static std::string_view takeUntil(std::string_view &Text, char Separator) {
    size_t End = std::min(Text.find(Separator), Text.size());
    std::string_view Word = Text.substr(0, End);
    Text.remove_prefix(End == Text.size() ? End : End + 1);
    return Word;
  }

  LineParser(std::string_view Text, std::string &Error)
      : Rest(Text), Error(Error) {}

  bool fail(const std::string &Cause) {
    std::string Where("manifest line ");
    Where.append(std::to_string(LineNumber)).append(": ");
    return failWhole(Where + Cause);
  }

  /// An error that is not one of a single line.
  bool failWhole(const std::string &Cause) {
    if (!Failed)
      Error = Cause;
    Failed = true;
    return false;
  }

  bool nextLine() {
    if (Failed)
      return false;
    ++LineNumber;
    size_t End = Rest.find('\n');
    if (End == std::string_view::npos)
      return fail("the text ends too early");
    Line = Rest.substr(0, End);
    Rest.remove_prefix(End + 1);
    return true;
  }

  /// Reads a line "KEY VALUE"; the value stays in Line.
  bool nextKey(std::string_view &Key) {
    if (!nextLine())
      return false;
    Key = takeUntil(Line, ' ');
    return true;
  }

  /// Reads the line "NAME COUNT" that begins a section. Each line has at least
  /// one byte, so a count is bounded by what is left of the text.
  bool nextSection(std::string_view &Name, uint32_t &Lines) {
    if (!nextKey(Name))
      return false;
    if (Name == "end")
      return true;
    if (!number(Lines, NoIndex - 1))
      return false;
    if (Lines > Rest.size())
      return fail("section " + quoted(Name) + " has fewer than " +
                  std::to_string(Lines) + " lines");
    return true;
  }

  bool skipLines(uint32_t Count) {
    while (Count && nextLine())
      --Count;
    return Count == 0;
  }

  bool toNumber(std::string_view Word, uint32_t &Value, uint32_t Limit) {
    if (!readNumber(Word, Value))
      return fail(quoted(Word) + " is not a number");
    if (Value > Limit)
      return fail(std::to_string(Value) + " is more than " +
                  std::to_string(Limit));
    return true;
  }

  /// The next word of the line as a number of at most \p Limit.
  bool number(uint32_t &Value, uint32_t Limit) {
    return !Failed && toNumber(takeUntil(Line, ' '), Value, Limit);
  }

  bool toIndex(std::string_view Word, uint32_t &Value, size_t Size,
               const char *Table) {
    if (!readNumber(Word, Value))
      return fail(quoted(Word) + " is not a number");
    if (Value >= Size)
      return fail(std::string("there is no ") + Table + " " +
                  std::to_string(Value));
    return true;
  }

  /// The next word of the line as an index into a table of \p Size entries.
  bool index(uint32_t &Value, size_t Size, const char *Table) {
    return !Failed && toIndex(takeUntil(Line, ' '), Value, Size, Table);
  }

  /// The same for a parent: "-" or one of the \p Size entries before.
  bool parent(uint32_t &Value, size_t Size, const char *Table) {
    if (Line == "-" || Line.starts_with("- ")) {
      takeUntil(Line, ' ');
      Value = NoIndex;
      return true;
    }
    return index(Value, Size, Table);
  }

  bool hex(uint64_t &Value) {
    if (!readNumber(Line, Value, 16))
      return fail(quoted(Line) + " is not a hexadecimal number");
    return true;
  }

  bool unescape(std::string &Out) {
    Out.clear();
    for (size_t I = 0; I < Line.size(); ++I) {
      if (Line[I] != '\\') {
        Out += Line[I];
        continue;
      }
      char C = ++I < Line.size() ? Line[I] : '?';
      if (C == '\\')
        Out += '\\';
      else if (C == 'n')
        Out += '\n';
      else if (C == 'r')
        Out += '\r';
      else if (C == '0')
        Out += '\0';
      else
        return fail("unknown escape in " + quoted(Line));
    }
    return true;
  }

  std::string_view Line;

private:
  std::string_view Rest;
  std::string &Error;
  unsigned LineNumber = 0;
  bool Failed = false;
};

} // namespace torchprof

#endif // TORCHPROF_FORMAT_LINEPARSER_H
